#include "text/post_processor.h"

#include <algorithm>
#include <ranges>

#include "text/byte_level.h"

namespace kefu::text {

void PostProcessor::trim_offsets(std::size_t first, Encoding& out) const {
  if (spaces_.empty()) return;
  for (std::size_t i = first; i < out.ids.size(); ++i) {
    Span& offset = out.offsets[i];
    const auto [leading, trailing] = spaces_[static_cast<std::size_t>(out.ids[i])];
    const bool at_start = i == first || offset.begin == 0;
    const bool ours = at_start && add_prefix_space_ && leading == 1;
    if (leading > 0 && !ours) offset.begin = std::min(offset.begin + leading, offset.end);
    if (trailing > 0 && offset.end >= trailing) offset.end = std::max(offset.end - trailing, offset.begin);
  }
}

Result<void> PostProcessor::load(const JsonNode& node, const Vocabulary& vocabulary) {
  KEFU_ASSIGN(const std::string_view type, node.string("type"));
  if (type == "TemplateProcessing") return load_template(node, vocabulary);
  if (type == "BertProcessing") return load_cls_sep(node, vocabulary);
  if (type == "ByteLevel") return load_trim(node, vocabulary);
  if (type == "RobertaProcessing") {
    KEFU_CHECK(load_trim(node, vocabulary));
    return load_cls_sep(node, vocabulary);
  }
  if (type != "Sequence") {
    return node.unsupported(
        fmt::format("a post-processor \"{}\"", type),
        "known are TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence");
  }
  KEFU_ASSIGN(const std::vector<JsonNode> steps, node.list("processors"));
  for (const JsonNode& step : steps) KEFU_CHECK(load(step, vocabulary));
  return {};
}

Result<void> PostProcessor::load_trim(const JsonNode& node, const Vocabulary& vocabulary) {
  KEFU_ASSIGN(const bool trim, node.boolean("trim_offsets", true));
  KEFU_ASSIGN(add_prefix_space_, node.boolean("add_prefix_space", true));
  if (!trim) return {};
  spaces_.assign(vocabulary.size(), {0, 0});
  std::u32string piece;
  for (TokenId id = 0; vocabulary.contains(id); ++id) {
    decode_utf8(vocabulary.piece(id), piece);
    const auto first = std::ranges::find_if_not(piece, is_byte_level_space);
    const auto last = std::ranges::find_if_not(piece | std::views::reverse, is_byte_level_space);
    spaces_[static_cast<std::size_t>(id)] = {
        static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(255, first - piece.begin())),
        static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(255, last - piece.rbegin()))};
  }
  return {};
}

}  // namespace kefu::text
