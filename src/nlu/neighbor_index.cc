#include "nlu/neighbor_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include <Eigen/Core>

namespace kefu::nlu {
namespace {

/// The largest kNeighbors of the values offered.
class Largest {
 public:
  void offer(float value) {
    ++offered_;
    if (value <= values_[0]) return;
    std::size_t at = 1;
    for (; at < values_.size() && values_[at] < value; ++at) values_[at - 1] = values_[at];
    values_[at - 1] = value;
  }

  /// Of as many as there are; -1 for none.
  float mean() const {
    if (offered_ == 0) return -1;
    const auto count = static_cast<std::ptrdiff_t>(std::min(values_.size(), offered_));
    return std::accumulate(values_.end() - count, values_.end(), 0.0F) / static_cast<float>(count);
  }

 private:
  std::array<float, NeighborIndex::kNeighbors> values_{-INFINITY, -INFINITY, -INFINITY, -INFINITY,
                                                       -INFINITY};  // ascending
  std::size_t offered_ = 0;
};

std::vector<std::uint32_t> running_sums(std::span<const std::uint32_t> sizes) {
  std::vector<std::uint32_t> sums(sizes.size());
  std::partial_sum(sizes.begin(), sizes.end(), sums.begin());
  return sums;
}

}  // namespace

NeighborIndex::NeighborIndex(std::span<const float> vectors, std::size_t dimensions, const Clusters& clusters)
    : vectors_(vectors, dimensions),
      centers_(clusters.centers, dimensions),
      ends_(running_sums(clusters.sizes)),
      probes_(clusters.probes) {}

Result<NeighborIndex> NeighborIndex::read(const TensorFile& file, const std::string& name,
                                          std::size_t dimensions) {
  NeighborIndex index;
  KEFU_ASSIGN(index.vectors_, ByteMatrix::read(file, name, dimensions));
  KEFU_ASSIGN(index.centers_, ByteMatrix::read(file, name + ".centers", dimensions));
  KEFU_ASSIGN(const auto ends, file.get<std::int32_t>(name + ".ends", {index.centers_.rows()}));
  KEFU_ASSIGN(const auto probes, file.get<std::int32_t>(name + ".probes", {1}));
  const bool ascending = std::ranges::is_sorted(ends) && (ends.empty() || ends.front() >= 0);
  const std::size_t last = ends.empty() ? 0 : static_cast<std::size_t>(ends.back());
  if (!ascending || last != index.size() || probes[0] < (ends.empty() ? 0 : 1))
    return fail(Code::kDataLoss, "{}: the clusters do not fit the vectors; train the model again", name);
  index.ends_.assign(ends.begin(), ends.end());
  index.probes_ = static_cast<std::size_t>(probes[0]);
  return index;
}

void NeighborIndex::write(TensorFileWriter& file, const std::string& name) const {
  vectors_.write(file, name);
  centers_.write(file, name + ".centers");
  file.add(name + ".ends", {ends_.size()}, std::vector<std::int32_t>(ends_.begin(), ends_.end()));
  file.add(name + ".probes", {1}, std::vector<std::int32_t>{static_cast<std::int32_t>(probes_)});
}

std::vector<std::size_t> NeighborIndex::nearest_clusters(const ByteVectors& query) const {
  std::vector<std::size_t> order(ends_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (probes_ >= order.size()) return order;
  std::vector<float> cosines(order.size());
  centers_.multiply(query, 0, cosines.size(), cosines);
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(probes_), std::greater<>(),
                           [&](std::size_t cluster) { return cosines[cluster]; });
  order.resize(probes_);
  return order;
}

float NeighborIndex::closeness(std::span<const float> query) const {
  if (size() == 0) return -1;
  const float length = Eigen::Map<const Eigen::VectorXf>(query.data(), std::ssize(query)).norm();
  if (length == 0) return 0;
  const ByteVectors bytes(query, query.size());
  Largest nearest;
  std::vector<float> products;
  for (const std::size_t cluster : nearest_clusters(bytes)) {
    const std::uint32_t begin = cluster == 0 ? 0 : ends_[cluster - 1];
    products.resize(ends_[cluster] - begin);
    vectors_.multiply(bytes, begin, products.size(), products);
    for (const float product : products) nearest.offer(product);
  }
  return nearest.mean() / length;
}

}  // namespace kefu::nlu
