#pragma once
// Closeness of many vectors to many others, exactly.

#include <functional>
#include <vector>

#include "train/logistic.h"

namespace kefu::train {

/// Mean cosine of each query with its NeighborIndex::kNeighbors nearest rows among those
/// `allowed(query, row)`; -1 where none is allowed.
std::vector<float> closeness(DenseRows queries, DenseRows rows,
                             const std::function<bool(Eigen::Index, Eigen::Index)>& allowed);

}  // namespace kefu::train
