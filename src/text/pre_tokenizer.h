#pragma once
// The steps under "pre_tokenizer" of a tokenizer.json: they cut the text and may rewrite the pieces.

#include <memory>
#include <vector>

#include "text/json_node.h"
#include "text/normalized.h"
#include "text/pieces.h"

namespace kefu::text {

/// Immutable after loading; any number of threads may use one at once.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void apply(Normalized& text, Pieces& pieces) const = 0;
};

using PreTokenizers = std::vector<std::unique_ptr<PreTokenizer>>;

/// Appends the steps of `node` to `out`, sequences flattened.
Result<void> load_pre_tokenizer(const JsonNode& node, PreTokenizers& out);

/// Appends the two steps of BertPreTokenizer: white space removed, punctuation isolated.
void add_bert_pre_tokenizer(PreTokenizers& out);

}  // namespace kefu::text
