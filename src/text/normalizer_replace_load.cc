#include "text/normalizer_replace.h"

namespace kefu::text {
namespace {

constexpr std::u32string_view kMeta = U"\\^$.|?*+()[]{}";

// Reads `+`, `{n,}` or nothing.
bool parse_quantifier(std::u32string_view text, RunPattern& out) {
  out.greedy_run = !text.empty();
  out.at_least = 1;
  if (text.empty() || text == U"+") return true;
  if (text.size() < 4 || text.size() > 6 || text.front() != U'{' || !text.ends_with(U",}")) return false;
  out.at_least = 0;
  for (const char32_t c : text.substr(1, text.size() - 3)) {
    if (c < U'0' || c > U'9') return false;
    out.at_least = out.at_least * 10 + (c - U'0');
  }
  return out.at_least > 0;
}

// Reads the code point after a backslash.
bool parse_escape(char32_t c, RunPattern& out) {
  switch (c) {
    case U's':
      out.white_space = true;
      return true;
    case U'n':
      out.code_point = U'\n';
      return true;
    case U'r':
      out.code_point = U'\r';
      return true;
    case U't':
      out.code_point = U'\t';
      return true;
    default:
      out.code_point = c;
      return kMeta.find(c) != std::u32string_view::npos;
  }
}

Result<void> load_regex(const JsonNode& node, std::string_view regex, std::u32string to, Normalizers& out) {
  RunPattern pattern;
  if (!parse_run_pattern(decode_utf8(regex), pattern)) {
    return node.unsupported(fmt::format("a Replace of the regular expression `{}`", regex),
                            "known are one literal code point or `\\s`, alone or with `+` or `{n,}`");
  }
  out.push_back(std::make_unique<ReplaceRuns>(pattern, std::move(to)));
  return {};
}

}  // namespace

bool parse_run_pattern(std::u32string_view regex, RunPattern& out) {
  out = {};
  if (regex.empty()) return false;
  if (regex.front() != U'\\') {
    out.code_point = regex.front();
    return kMeta.find(regex.front()) == std::u32string_view::npos && parse_quantifier(regex.substr(1), out);
  }
  return regex.size() >= 2 && parse_escape(regex[1], out) && parse_quantifier(regex.substr(2), out);
}

Result<void> load_replace(const JsonNode& node, Normalizers& out) {
  KEFU_ASSIGN(const JsonNode pattern, node.at("pattern"));
  KEFU_ASSIGN(const std::string_view content, node.string("content"));
  std::u32string to = decode_utf8(content);
  if (pattern.has("Regex")) {
    KEFU_ASSIGN(const std::string_view regex, pattern.string("Regex"));
    return load_regex(node, regex, std::move(to), out);
  }
  KEFU_ASSIGN(const std::string_view literal, pattern.string("String"));
  std::u32string from = decode_utf8(literal);
  if (from.empty()) return node.unsupported("a Replace of the empty text", "remove the step");
  if (from.size() > 1) {
    out.push_back(std::make_unique<ReplaceText>(std::move(from), std::move(to)));
    return {};
  }
  auto* previous = out.empty() ? nullptr : dynamic_cast<ReplaceCodePoints*>(out.back().get());
  if (previous == nullptr) {
    auto step = std::make_unique<ReplaceCodePoints>();
    previous = step.get();
    out.push_back(std::move(step));
  }
  previous->then_replace(from.front(), to);
  return {};
}

}  // namespace kefu::text
