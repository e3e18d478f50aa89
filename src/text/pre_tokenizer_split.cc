#include "text/pre_tokenizer_split.h"

namespace kefu::text {

void SplitByFlags::apply(Normalized& text, Pieces& pieces) const {
  const CharTable& table = CharTable::get();
  cut_pieces(pieces, behavior_, [&](std::uint32_t begin, std::uint32_t end, std::vector<Part>& parts) {
    std::uint32_t from = begin;
    for (std::uint32_t i = begin; i < end; ++i) {
      if ((table[text[i]] & flags_) == 0) continue;
      if (from < i) parts.push_back({from, i, false});
      parts.push_back({i, i + 1, true});
      from = i + 1;
    }
    if (from < end) parts.push_back({from, end, false});
  });
}

void WordRuns::apply(Normalized& text, Pieces& pieces) const {
  const CharTable& table = CharTable::get();
  cut_pieces(pieces, Behavior::kRemoved,
             [&](std::uint32_t begin, std::uint32_t end, std::vector<Part>& parts) {
               const auto kind = [&](std::uint32_t i) { return table[text[i]] & (kWord | kSpace); };
               for (std::uint32_t i = begin; i < end;) {
                 const std::uint32_t from = i;
                 while (i < end && kind(i) == kind(from)) ++i;
                 parts.push_back({from, i, kind(from) == kSpace});
               }
             });
}

void SplitByText::apply(Normalized& text, Pieces& pieces) const {
  cut_pieces(pieces, behavior_, [&](std::uint32_t begin, std::uint32_t end, std::vector<Part>& parts) {
    const std::u32string_view input = text.text().substr(0, end);
    const auto length = static_cast<std::uint32_t>(delimiter_.size());
    std::uint32_t from = begin;
    for (std::size_t at = input.find(delimiter_, from); at != std::u32string_view::npos;
         at = input.find(delimiter_, from)) {
      const auto match = static_cast<std::uint32_t>(at);
      if (from < match) parts.push_back({from, match, invert_});
      parts.push_back({match, match + length, !invert_});
      from = match + length;
    }
    if (from < end) parts.push_back({from, end, invert_});
  });
}

void SplitByScanner::apply(Normalized& text, Pieces& pieces) const {
  cut_pieces(pieces, behavior_, [&](std::uint32_t begin, std::uint32_t end, std::vector<Part>& parts) {
    const std::u32string_view input = text.text().substr(begin, end - begin);
    for (std::uint32_t at = 0; at < input.size();) {
      const auto next = static_cast<std::uint32_t>(scanner_.match_end(input, at));
      parts.push_back({begin + at, begin + next, !invert_});
      at = next;
    }
  });
}

Result<void> load_split(const JsonNode& node, PreTokenizers& out) {
  KEFU_ASSIGN(const std::string_view name, node.string("behavior"));
  KEFU_ASSIGN(const Behavior behavior, parse_behavior(name, node.where()));
  KEFU_ASSIGN(const bool invert, node.boolean("invert", false));
  KEFU_ASSIGN(const JsonNode pattern, node.at("pattern"));
  if (pattern.has("String")) {
    KEFU_ASSIGN(const std::string_view literal, pattern.string("String"));
    if (literal.empty()) return node.unsupported("a Split at the empty text", "remove the step");
    out.push_back(std::make_unique<SplitByText>(decode_utf8(literal), behavior, invert));
    return {};
  }
  KEFU_ASSIGN(const std::string_view regex, pattern.string("Regex"));
  const auto scanner = Scanner::find(regex);
  if (!scanner) {
    return node.unsupported(fmt::format("a Split by the regular expression `{}`", regex),
                            "known are those of GPT-2, GPT-4 (cl100k), Llama 3 and Qwen 2, as published");
  }
  out.push_back(std::make_unique<SplitByScanner>(*scanner, behavior, invert));
  return {};
}

}  // namespace kefu::text
