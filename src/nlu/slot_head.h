#pragma once
// Slots: a linear-chain conditional random field over units, with the encoder's states of the unit and its
// neighbours and lexical features as observations.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nlu/byte_matrix.h"
#include "nlu/feature_index.h"
#include "nlu/slot_features.h"
#include "nlu/tag_chain.h"

namespace kefu::nlu {

/// What a tag stands for besides B or I: "plan" with role "target".
struct SlotType {
  std::string entity;
  std::string role;
  std::string group;

  auto operator<=>(const SlotType&) const = default;
};

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

/// Scores [units, tags] from products [units, 3 tags] of the units' rows and SlotWeights::dense: each unit's
/// own, and those that its neighbours give it.
std::vector<float> gather_neighbors(std::span<const float> products, std::size_t tags);

/// A slot found: units [begin, end).
struct TaggedSlot {
  std::size_t type;
  std::size_t begin;
  std::size_t end;
  float confidence;  // least marginal probability of its tags
};

/// The parameters as served: matrices in 8 bits. Immutable after loading; any number of threads.
class SlotHead {
 public:
  SlotHead() = default;
  explicit SlotHead(const SlotWeights& weights);

  static Result<SlotHead> read(const TensorFile& file, std::size_t slot_types, std::size_t hidden);
  void write(TensorFileWriter& file) const;

  /// The best tag sequence, as slots with their marginal confidence.
  std::vector<TaggedSlot> tag(const SlotInput& input) const;

 private:
  std::vector<float> emissions(const SlotInput& input) const;

  ByteMatrix dense_;    // [3 tags, hidden], divided by the scale
  ByteMatrix lexical_;  // [features, tags]
  FeatureIndex features_;
  std::vector<float> bias_;
  std::vector<float> transition_;
  std::vector<float> start_;
  TagChain chain_;
};

}  // namespace kefu::nlu
