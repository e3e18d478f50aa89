#pragma once
// What the slot tagger sees of a text: encoder states of each unit and hashed lexical features.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "engine/encoder.h"
#include "text/units.h"

namespace kefu::nlu {

/// Features of one text. Dense rows are the mean of the states of the tokens that cover the unit.
struct SlotInput {
  std::vector<text::Unit> units;
  std::vector<float> dense;                         // [units, hidden]
  std::vector<std::vector<std::uint32_t>> lexical;  // per unit, hashes of the features that hold
};

/// The hash of a word, an affix, a shape or a name.
std::uint32_t string_hash(std::u32string_view text);

/// The hash of a feature: its kind and the hashes of its values.
std::uint32_t lexical_hash(std::uint32_t kind, std::initializer_list<std::uint32_t> values);

/// Lexical features of units: the unit and its neighbours, affixes, shape, place in its piece, place in
/// the text. `token_spans` are the tokens of the text, without prefix and template.
std::vector<std::vector<std::uint32_t>> lexical_features(std::u32string_view text,
                                                         const std::vector<text::Unit>& units,
                                                         const std::vector<text::Span>& token_spans);

/// Mean state of the tokens that overlap each unit, added to `dense` [units, hidden] and counted, so that
/// windows can be put together; `first` is the row of the first token in `states`.
class DenseAccumulator {
 public:
  DenseAccumulator(const std::vector<text::Unit>& units, std::size_t hidden);

  /// `spans[i]` belongs to states.token(first + i).
  void add(std::span<const text::Span> spans, const engine::RowStates& states, std::size_t first);

  /// The means; rows of units that no token covers are zero.
  std::vector<float> finish() &&;

 private:
  const std::vector<text::Unit>& units_;
  std::size_t hidden_;
  std::vector<float> sums_;
  std::vector<std::uint32_t> counts_;
};

}  // namespace kefu::nlu
