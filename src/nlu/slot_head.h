#pragma once
// Slots: a linear-chain conditional random field (Lafferty et al. 2001) over units, with the encoder's states
// of the unit and its neighbours and lexical features as observations.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/tensor_file.h"
#include "nlu/slot_features.h"

namespace kefu::nlu {

/// What a tag stands for besides B or I: "plan" with role "target".
struct SlotType {
  std::string entity;
  std::string role;
  std::string group;

  auto operator<=>(const SlotType&) const = default;
};

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

/// The parameters, as trained. Matrices are row-major.
struct SlotWeights {
  std::size_t tags = 1;
  std::size_t hidden = 0;
  float scale = 1;                      // dense rows are divided by it
  std::vector<float> dense;             // [hidden, 3 tags]: as left neighbour, itself, right neighbour
  std::vector<std::uint32_t> features;  // hashes, ascending
  std::vector<float> lexical;           // [features, tags]
  std::vector<float> bias;              // [tags]
  std::vector<float> transition;        // [tags, tags] from, to
  std::vector<float> start;             // [tags]
};

/// Where a feature's row lies in SlotWeights::lexical. Immutable; any thread.
class FeatureIndex {
 public:
  FeatureIndex() = default;
  explicit FeatureIndex(std::vector<std::uint32_t> features);

  /// The number of a feature, or size() if it is not known.
  std::size_t find(std::uint32_t feature) const;
  std::size_t size() const { return features_.size(); }

 private:
  std::vector<std::uint32_t> features_;  // ascending
  std::vector<std::uint32_t> starts_;    // first feature of each prefix of 16 bits, and the end
};

/// Transitions with the impossible ones at minus infinity, and their exponentials: [tags, tags] from, to.
struct StepTable {
  explicit StepTable(const SlotWeights& weights);
  StepTable() = default;

  std::vector<float> score;
  std::vector<float> weight;
};

/// A slot found: units [begin, end).
struct TaggedSlot {
  std::size_t type;
  std::size_t begin;
  std::size_t end;
  float confidence;  // least marginal probability of its tags
};

/// Immutable after loading; any number of threads.
class SlotHead {
 public:
  SlotHead() = default;
  explicit SlotHead(SlotWeights weights);

  static Result<SlotHead> read(const TensorFile& file, std::size_t slot_types, std::size_t hidden);
  void write(TensorFileWriter& file) const;

  /// The best tag sequence by Viterbi, as slots with their marginal confidence.
  std::vector<TaggedSlot> tag(const SlotInput& input) const;

  const SlotWeights& weights() const { return weights_; }

 private:
  SlotWeights weights_;
  FeatureIndex features_;
  StepTable steps_;
};

/// Scores [units, tags] of the observations. `index` is of weights.features.
std::vector<float> emissions(const SlotWeights& weights, const FeatureIndex& index, const SlotInput& input);

/// The best sequence of tags for emissions [units, tags]. `steps` is of `weights`, here and below.
std::vector<std::size_t> viterbi(const SlotWeights& weights, const StepTable& steps,
                                 std::span<const float> emissions);

/// Marginals [units, tags] by forward-backward; adds to `pairs` [tags, tags], if given, the expected
/// transitions. Returns the log partition sum.
double marginals(const SlotWeights& weights, const StepTable& steps, std::span<const float> emissions,
                 std::vector<float>& out, float* pairs);

}  // namespace kefu::nlu
