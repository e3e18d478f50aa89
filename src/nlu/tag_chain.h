#pragma once
// The chain of a linear-chain conditional random field (Lafferty et al. 2001): what tag may follow which, and
// how gladly.

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

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
  using Lattice = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // [units, wide_]

  /// "I" comes only from the "B" of its type or from itself.
  struct Continuation {
    std::vector<float> after_begin;   // [types]
    std::vector<float> after_inside;  // [types]
  };

  std::size_t types() const { return tags() / 2; }
  /// Tags that may follow any other: O and every B. In here they come first, and every I after them.
  std::size_t after_any() const { return (tags() + 1) / 2; }
  std::size_t place(std::size_t tag) const { return tag / 2 + (is_inside(tag) ? types() : tag % 2); }
  std::size_t tag_at(std::size_t place) const;
  Lattice in_places(std::span<const float> emissions) const;
  std::size_t best_before(const float* scores, std::size_t place) const;
  double forward(Lattice& scores, Lattice& alpha) const;
  void backward(Lattice& observed, Lattice& beta) const;
  void add_steps(const Lattice& alpha, const Lattice& ahead, float* pairs) const;

  std::vector<float> start_;
  // Rows go on, to whole blocks of registers, with steps that never are.
  std::size_t narrow_ = 0;
  std::size_t wide_ = 0;
  std::vector<float> score_;      // [tags, narrow_] from, to: steps to tags that may follow any
  std::vector<float> weight_;     // exp(score_)
  std::vector<float> weight_to_;  // [after_any(), wide_] to, from
  Continuation score_on_;         // steps to I
  Continuation weight_on_;        // exp(score_on_)
};

}  // namespace kefu::nlu
