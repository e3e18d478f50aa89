#include "train/closeness.h"

#include <algorithm>

#include "nlu/neighbor_index.h"

namespace kefu::train {
namespace {

constexpr Eigen::Index kBlock = 256;  // queries a product

/// Mean of the largest kNeighbors values.
float mean_of_nearest(std::vector<float>& cosines) {
  const std::size_t count = std::min(nlu::NeighborIndex::kNeighbors, cosines.size());
  if (count == 0) return -1;
  std::partial_sort(cosines.begin(), cosines.begin() + static_cast<std::ptrdiff_t>(count), cosines.end(),
                    std::greater<>());
  float sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += cosines[k];
  return sum / static_cast<float>(count);
}

}  // namespace

std::vector<float> closeness(DenseRows queries, DenseRows rows,
                             const std::function<bool(Eigen::Index, Eigen::Index)>& allowed) {
  queries.rowwise().normalize();
  rows.rowwise().normalize();
  std::vector<float> out;
  std::vector<float> cosines;
  for (Eigen::Index at = 0; at < queries.rows(); at += kBlock) {
    const DenseRows block = queries.middleRows(at, std::min(kBlock, queries.rows() - at)) * rows.transpose();
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      cosines.clear();
      for (Eigen::Index j = 0; j < rows.rows(); ++j) {
        if (allowed(at + i, j)) cosines.push_back(block(i, j));
      }
      out.push_back(mean_of_nearest(cosines));
    }
  }
  return out;
}

}  // namespace kefu::train
