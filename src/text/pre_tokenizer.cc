#include "text/pre_tokenizer.h"

#include "text/byte_level.h"
#include "text/pre_tokenizer_metaspace.h"
#include "text/pre_tokenizer_split.h"

namespace kefu::text {
namespace {

constexpr std::string_view kKnownPreTokenizers =
    "known are Sequence, WhitespaceSplit, Whitespace, Metaspace, BertPreTokenizer, ByteLevel, Split, Digits, "
    "Punctuation";

Result<void> load_sequence(const JsonNode& node, PreTokenizers& out) {
  KEFU_ASSIGN(const std::vector<JsonNode> steps, node.list("pretokenizers"));
  for (const JsonNode& step : steps) KEFU_CHECK(load_pre_tokenizer(step, out));
  return {};
}

Result<void> load_byte_level(const JsonNode& node, PreTokenizers& out) {
  KEFU_ASSIGN(const bool add_prefix_space, node.boolean("add_prefix_space", true));
  KEFU_ASSIGN(const bool use_regex, node.boolean("use_regex", true));
  out.push_back(std::make_unique<ByteLevel>(add_prefix_space, use_regex));
  return {};
}

Result<void> load_digits(const JsonNode& node, PreTokenizers& out) {
  KEFU_ASSIGN(const bool individual, node.boolean("individual_digits", false));
  const Behavior behavior = individual ? Behavior::kIsolated : Behavior::kContiguous;
  out.push_back(std::make_unique<SplitByFlags>(kNumber, behavior));
  return {};
}

Result<void> load_punctuation(const JsonNode& node, PreTokenizers& out) {
  KEFU_ASSIGN(const std::string_view name, node.string("behavior", "Isolated"));
  KEFU_ASSIGN(const Behavior behavior, parse_behavior(name, node.where()));
  out.push_back(std::make_unique<SplitByFlags>(kPunctuation, behavior));
  return {};
}

}  // namespace

void add_bert_pre_tokenizer(PreTokenizers& out) {
  out.push_back(std::make_unique<SplitByFlags>(kSpace, Behavior::kRemoved));
  out.push_back(std::make_unique<SplitByFlags>(kPunctuation, Behavior::kIsolated));
}

Result<void> load_pre_tokenizer(const JsonNode& node, PreTokenizers& out) {
  KEFU_ASSIGN(const std::string_view type, node.string("type"));
  if (type == "Sequence") return load_sequence(node, out);
  if (type == "Metaspace") return load_metaspace(node, out);
  if (type == "ByteLevel") return load_byte_level(node, out);
  if (type == "Split") return load_split(node, out);
  if (type == "Digits") return load_digits(node, out);
  if (type == "Punctuation") return load_punctuation(node, out);
  if (type == "BertPreTokenizer") {
    add_bert_pre_tokenizer(out);
    return {};
  }
  if (type == "WhitespaceSplit") {
    out.push_back(std::make_unique<SplitByFlags>(kSpace, Behavior::kRemoved));
    return {};
  }
  if (type == "Whitespace") {
    out.push_back(std::make_unique<WordRuns>());
    return {};
  }
  return node.unsupported(fmt::format("a pre-tokenizer \"{}\"", type), kKnownPreTokenizers);
}

}  // namespace kefu::text
