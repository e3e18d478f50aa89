#pragma once
// Is a text anything this model serves? Energy of the intent scores (Liu et al. 2020, "Energy-based
// Out-of-distribution Detection") and closeness to training vectors (Sun et al. 2022, "Out-of-Distribution
// Detection with Deep Nearest Neighbors"), standardised and weighted.

#include <array>

namespace kefu::nlu {

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
