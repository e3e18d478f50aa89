#pragma once
// Groups vectors into an index that reads a part of them and finds nearly all nearest ones.

#include "nlu/neighbor_index.h"
#include "train/logistic.h"

namespace kefu::train {

/// Share of the nearest others of its own vectors that an index is built to find.
inline constexpr double kRecall = 0.99;

/// Scales the rows to length 1, groups them by spherical k-means (Dhillon & Modha 2001) and chooses how many
/// clusters a query reads. Few rows make one cluster: the search is exact. Deterministic.
nlu::NeighborIndex index_neighbors(DenseRows rows, std::uint64_t seed);

}  // namespace kefu::train
