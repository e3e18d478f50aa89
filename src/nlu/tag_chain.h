#pragma once
// The chain of a linear-chain conditional random field (Lafferty et al. 2001): what tag may follow which, and
// how gladly.

#include <cstddef>
#include <span>
#include <vector>

namespace kefu::nlu {

/// Tags: 0 is outside; 1 + 2k begins and 2 + 2k continues slot type k.
constexpr std::size_t tag_count(std::size_t slot_types) {
  return 1 + 2 * slot_types;
}
constexpr bool is_inside(std::size_t tag) {
  return tag != 0 && tag % 2 == 0;
}

/// "I" may only follow "B" or "I" of its type.
constexpr bool may_follow(std::size_t previous, std::size_t tag) {
  return !is_inside(tag) || previous == tag || previous == tag - 1;
}

/// Scores of first tags and of steps between tags. Immutable; any thread.
class TagChain {
 public:
  TagChain() = default;
  /// `start` [tags]; `transition` [tags, tags] from, to. Those of tags that may not be are not read.
  TagChain(std::span<const float> start, std::span<const float> transition);

  std::size_t tags() const { return start_.size(); }

  /// The sequence of tags with the highest score, given emissions [units, tags] (Viterbi).
  std::vector<std::size_t> best_path(std::span<const float> emissions) const;

  /// Sets `out` to the marginals [units, tags] by forward-backward; adds to `pairs` [tags, tags], if given,
  /// the expected steps. Returns the log partition sum.
  double marginals(std::span<const float> emissions, std::vector<float>& out, float* pairs) const;

 private:
  std::vector<float> start_;
  // Matrices [tags, stride_]: rows go on with steps that never are.
  std::size_t stride_ = 0;
  std::vector<float> score_;      // from, to
  std::vector<float> weight_;     // from, to: exp(score)
  std::vector<float> weight_to_;  // to, from
};

}  // namespace kefu::nlu
