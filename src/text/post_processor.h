#pragma once
// The "post_processor" of a tokenizer.json: special tokens around a text, and spaces trimmed off offsets.

#include <vector>

#include "text/json_node.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace kefu::text {

class PostProcessor {
 public:
  const std::vector<TokenId>& prefix() const { return prefix_; }
  const std::vector<TokenId>& suffix() const { return suffix_; }

  /// Trims white space off the offsets of the tokens from `first` on, if the file asks for it.
  void trim_offsets(std::size_t first, Encoding& out) const;

  /// Appends the effects of `node`. Requires the vocabulary complete.
  Result<void> load(const JsonNode& node, const Vocabulary& vocabulary);

  void set_template(std::vector<TokenId> prefix, std::vector<TokenId> suffix) {
    prefix_ = std::move(prefix);
    suffix_ = std::move(suffix);
  }

 private:
  struct Spaces {  // of a piece, at most 255 counted
    std::uint8_t leading;
    std::uint8_t trailing;
  };

  Result<void> load_template(const JsonNode& node, const Vocabulary& vocabulary);
  Result<void> load_cls_sep(const JsonNode& node, const Vocabulary& vocabulary);
  Result<void> load_trim(const JsonNode& node, const Vocabulary& vocabulary);

  std::vector<TokenId> prefix_;
  std::vector<TokenId> suffix_;
  std::vector<Spaces> spaces_;     // by id; empty: no trimming
  bool add_prefix_space_ = false;  // then one space at the start of the text is not trimmed: it is ours
};

}  // namespace kefu::text
