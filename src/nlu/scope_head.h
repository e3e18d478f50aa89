#pragma once
// Is a text anything this model serves? Energy of the intent scores (Liu et al. 2020, "Energy-based
// Out-of-distribution Detection") and closeness to training vectors (Sun et al. 2022, "Out-of-Distribution
// Detection with Deep Nearest Neighbors"), standardised and weighted.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/tensor_file.h"

namespace kefu::nlu {

/// Unit vectors in 8 bits with exact search: mean cosine of the nearest few.
class NeighborIndex {
 public:
  static constexpr std::size_t kNeighbors = 5;

  NeighborIndex() = default;
  /// Rows of `vectors` [n, dimensions] are scaled to length 1 and quantised to steps of 1/127 of the row's
  /// largest component.
  NeighborIndex(std::span<const float> vectors, std::size_t dimensions);

  static Result<NeighborIndex> read(const TensorFile& file, const std::string& name, std::size_t dimensions);
  void write(TensorFileWriter& file, const std::string& name) const;

  std::size_t size() const { return scales_.size(); }

  /// Mean cosine of `centred` with its kNeighbors nearest rows (fewer if there are fewer), -1 for none.
  float closeness(std::span<const float> centred) const;

 private:
  void sum_rows();

  std::size_t dimensions_ = 0;
  std::vector<std::int8_t> rows_;
  std::vector<float> scales_;
  std::vector<std::int32_t> offsets_;  // what the unsigned query adds to each row's product
};

/// What is known about a text before the decision.
struct ScopeSignals {
  float energy = 0;      // log-sum-exp of the intent logits
  float inside = 0;      // closeness to in-scope training texts
  float outside = -1;    // closeness to known out-of-scope texts
  float confidence = 0;  // highest calibrated intent probability

  std::array<float, 4> values() const { return {energy, inside, outside, confidence}; }
};

/// A linear score over standardised signals, as a probability-like value, and its threshold.
struct ScopeRule {
  std::array<float, 4> mean{};
  std::array<float, 4> deviation{1, 1, 1, 1};
  std::array<float, 4> weight{};  // positive: in scope
  float offset = 0;
  float threshold = 0.5F;

  /// 0..1, higher is farther out of scope.
  float score(const ScopeSignals& signals) const;
};

}  // namespace kefu::nlu
