#include "text/post_processor.h"

namespace kefu::text {
namespace {

Result<TokenId> checked_id(std::int64_t id, const Vocabulary& vocabulary, const JsonNode& node) {
  if (id < 0 || id >= static_cast<std::int64_t>(vocabulary.size())) {
    return fail(Code::kInvalidArgument,
                "{}: the special token id {} is not in the vocabulary of {}: correct it", node.where(), id,
                vocabulary.size());
  }
  return static_cast<TokenId>(id);
}

// ["<s>", 0]
Result<TokenId> read_named_id(const JsonNode& node, const char* key, const Vocabulary& vocabulary) {
  simdjson::dom::array pair;
  std::int64_t id = -1;
  if (node.value()[key].get(pair) != simdjson::SUCCESS || pair.at(1).get(id) != simdjson::SUCCESS) {
    return node.wrong(key, "[piece, id]");
  }
  return checked_id(id, vocabulary, node);
}

// The ids that `special_tokens` of the template gives to a name.
Result<void> append_ids(const JsonNode& node, std::string_view name, const Vocabulary& vocabulary,
                        std::vector<TokenId>& out) {
  simdjson::dom::object entry;
  simdjson::dom::array ids;
  if (node.value()["special_tokens"][name].get(entry) != simdjson::SUCCESS ||
      entry["ids"].get(ids) != simdjson::SUCCESS) {
    return fail(Code::kInvalidArgument,
                "{}.special_tokens: \"{}\" has no list of ids: save the tokeniser again", node.where(), name);
  }
  for (const simdjson::dom::element element : ids) {
    std::int64_t id = -1;
    if (element.get(id) != simdjson::SUCCESS) id = -1;
    KEFU_ASSIGN(const TokenId token, checked_id(id, vocabulary, node));
    out.push_back(token);
  }
  return {};
}

}  // namespace

Result<void> PostProcessor::load_template(const JsonNode& node, const Vocabulary& vocabulary) {
  KEFU_ASSIGN(const std::vector<JsonNode> items, node.list("single"));
  std::vector<TokenId> prefix;
  std::vector<TokenId> suffix;
  int texts = 0;
  for (const JsonNode& item : items) {
    if (item.has("Sequence")) {
      ++texts;
      continue;
    }
    KEFU_ASSIGN(const JsonNode special, item.at("SpecialToken"));
    KEFU_ASSIGN(const std::string_view name, special.string("id"));
    KEFU_CHECK(append_ids(node, name, vocabulary, texts == 0 ? prefix : suffix));
  }
  if (texts != 1) {
    return node.unsupported(fmt::format("a template with the text {} times", texts),
                            "use \"single\" with one Sequence");
  }
  set_template(std::move(prefix), std::move(suffix));
  return {};
}

Result<void> PostProcessor::load_cls_sep(const JsonNode& node, const Vocabulary& vocabulary) {
  KEFU_ASSIGN(const TokenId cls, read_named_id(node, "cls", vocabulary));
  KEFU_ASSIGN(const TokenId sep, read_named_id(node, "sep", vocabulary));
  set_template({cls}, {sep});
  return {};
}

}  // namespace kefu::text
