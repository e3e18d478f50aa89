#include "text/scanner.h"

#include "text/char_table.h"

namespace kefu::text {
namespace {

constexpr std::string_view kGpt2Regex =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2Regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kCl100kRegex =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";

bool is_newline(char32_t c) {
  return c == U'\r' || c == U'\n';
}

// Reading positions of one match; beyond the end there is no code point of any kind.
class Reader {
 public:
  explicit Reader(std::u32string_view text) : text_(text), table_(CharTable::get()) {}

  bool is(std::size_t at, std::uint32_t flags) const {
    return at < text_.size() && (table_[text_[at]] & flags) != 0;
  }
  bool is_other(std::size_t at) const {
    return at < text_.size() && (table_[text_[at]] & (kSpace | kLetter | kNumber)) == 0;
  }
  bool is_newline_at(std::size_t at) const { return at < text_.size() && is_newline(text_[at]); }

  std::size_t skip(std::size_t at, std::uint32_t flags) const {
    while (is(at, flags)) ++at;
    return at;
  }
  std::size_t skip_other(std::size_t at) const {
    while (is_other(at)) ++at;
    return at;
  }

  // Length of 's 't 're 've 'm 'll 'd at `at`, 0 if none. Ignoring case takes in U+017F, which folds to s.
  std::size_t contraction(std::size_t at, bool ignore_case) const {
    if (at + 1 >= text_.size() || text_[at] != U'\'') return 0;
    const char32_t first = fold(text_[at + 1], ignore_case);
    if (first == U's' || first == U't' || first == U'm' || first == U'd') return 2;
    if (at + 2 >= text_.size()) return 0;
    const char32_t second = fold(text_[at + 2], ignore_case);
    const bool long_form =
        (second == U'e' && (first == U'r' || first == U'v')) || (second == U'l' && first == U'l');
    return long_form ? 3 : 0;
  }

  // End of `\s+(?!\S)|\s+` at `at`, which is white space: a run leaves its last code point to the next word.
  std::size_t space_end(std::size_t at) const {
    const std::size_t end = skip(at, kSpace);
    return end < text_.size() && end - at > 1 ? end - 1 : end;
  }

 private:
  static char32_t fold(char32_t c, bool ignore_case) {
    if (!ignore_case) return c;
    if (c == 0x17F) return U's';
    return c >= U'A' && c <= U'Z' ? c + 32 : c;
  }

  std::u32string_view text_;
  const CharTable& table_;
};

}  // namespace

std::optional<Scanner> Scanner::find(std::string_view regex) {
  if (regex == kGpt2Regex) return gpt2();
  if (regex == kQwen2Regex) return Scanner(Kind::kCl100k, 1);
  if (regex == kLlama3Regex || regex == kCl100kRegex) return Scanner(Kind::kCl100k, 3);
  return std::nullopt;
}

std::size_t Scanner::match_end(std::u32string_view text, std::size_t at) const {
  return kind_ == Kind::kGpt2 ? match_gpt2(text, at) : match_cl100k(text, at);
}

std::size_t Scanner::match_gpt2(std::u32string_view text, std::size_t at) const {
  const Reader reader(text);
  if (const std::size_t length = reader.contraction(at, /*ignore_case=*/false)) return at + length;
  const std::size_t word = text[at] == U' ' ? at + 1 : at;
  if (reader.is(word, kLetter)) return reader.skip(word, kLetter);
  if (reader.is(word, kNumber)) return reader.skip(word, kNumber);
  if (reader.is_other(word)) return reader.skip_other(word);
  return reader.space_end(at);
}

std::size_t Scanner::match_cl100k(std::u32string_view text, std::size_t at) const {
  const Reader reader(text);
  if (const std::size_t length = reader.contraction(at, /*ignore_case=*/true)) return at + length;
  const bool prefix = !is_newline(text[at]) && !reader.is(at, kLetter | kNumber);
  const std::size_t word = prefix ? at + 1 : at;
  if (reader.is(word, kLetter)) return reader.skip(word, kLetter);
  if (reader.is(at, kNumber)) {
    std::size_t end = at + 1;
    while (end - at < max_digits_ && reader.is(end, kNumber)) ++end;
    return end;
  }
  std::size_t end = text[at] == U' ' ? at + 1 : at;
  if (reader.is_other(end)) {
    end = reader.skip_other(end);
    while (reader.is_newline_at(end)) ++end;
    return end;
  }
  for (end = reader.skip(at, kSpace); end > at; --end) {
    if (is_newline(text[end - 1])) return end;
  }
  return reader.space_end(at);
}

}  // namespace kefu::text
