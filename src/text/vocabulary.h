#pragma once
// The pieces of a tokeniser by id, and which of them text must never match.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/json_node.h"
#include "text/tokenizer.h"

namespace kefu::text {

class Vocabulary {
 public:
  /// Sets the piece of an id. kInvalidArgument if the id is negative or beyond 2^24.
  Result<void> set(std::int64_t id, std::string_view piece, std::string_view where);

  /// Room for so many pieces and bytes.
  void reserve(std::size_t pieces, std::size_t bytes);

  /// Text never matches the piece of this id. Requires an id that was set.
  void make_special(TokenId id) { special_[static_cast<std::size_t>(id)] = true; }

  std::size_t size() const { return begin_.size(); }
  bool contains(TokenId id) const { return id >= 0 && static_cast<std::size_t>(id) < size(); }
  bool is_special(TokenId id) const { return special_[static_cast<std::size_t>(id)]; }

  /// Empty for an id without a piece.
  std::string_view piece(TokenId id) const;

  /// The ids by piece; of equal pieces the highest id. The views last as long as nothing is set.
  std::unordered_map<std::string_view, TokenId> index() const;

 private:
  std::string bytes_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> length_;
  std::vector<bool> special_;
};

/// Reads `added_tokens`. An added token that is not special would have to be found in text before anything
/// else: kUnimplemented.
Result<void> load_added_tokens(const JsonNode& root, Vocabulary& vocabulary);

/// Reads an object from piece to id.
Result<void> load_piece_ids(const JsonNode& model, Vocabulary& vocabulary);

}  // namespace kefu::text
