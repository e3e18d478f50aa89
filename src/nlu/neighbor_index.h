#pragma once
// The nearest of many unit vectors: an inverted file (Sivic & Zisserman 2003) of vectors in 8 bits. Only the
// clusters whose centres are nearest to a query are read.

#include <cstdint>
#include <span>
#include <vector>

#include "nlu/byte_matrix.h"

namespace kefu::nlu {

/// How vectors are grouped.
struct Clusters {
  std::vector<float> centers;        // [clusters, dimensions], of length 1
  std::vector<std::uint32_t> sizes;  // vectors of each cluster
  std::size_t probes = 0;            // clusters to read
};

/// Mean cosine of a vector with its nearest few. Immutable; any thread.
class NeighborIndex {
 public:
  static constexpr std::size_t kNeighbors = 5;

  NeighborIndex() = default;
  /// `vectors` [n, dimensions] of length 1, cluster after cluster.
  NeighborIndex(std::span<const float> vectors, std::size_t dimensions, const Clusters& clusters);

  /// kDataLoss if clusters and vectors do not fit together.
  static Result<NeighborIndex> read(const TensorFile& file, const std::string& name, std::size_t dimensions);
  void write(TensorFileWriter& file, const std::string& name) const;

  std::size_t size() const { return vectors_.rows(); }

  /// Mean cosine of `query` with its kNeighbors nearest vectors (fewer if there are fewer) in the clusters
  /// that are read, -1 for no vectors.
  float closeness(std::span<const float> query) const;

 private:
  std::vector<std::size_t> nearest_clusters(const ByteVectors& query) const;

  ByteMatrix vectors_;
  ByteMatrix centers_;
  std::vector<std::uint32_t> ends_;  // of each cluster among the vectors
  std::size_t probes_ = 0;
};

}  // namespace kefu::nlu
