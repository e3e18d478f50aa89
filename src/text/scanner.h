#pragma once
// The regular expressions that byte-level tokenisers cut words with, as hand-written scanners.

#include <cstddef>
#include <optional>
#include <string_view>

namespace kefu::text {

class Scanner {
 public:
  /// GPT-2's: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  static Scanner gpt2() { return Scanner(Kind::kGpt2, 0); }

  /// The scanner of a published expression, by its exact text.
  static std::optional<Scanner> find(std::string_view regex);

  /// End of the match that starts at `at` (there always is one). Requires at < text.size().
  std::size_t match_end(std::u32string_view text, std::size_t at) const;

 private:
  enum class Kind { kGpt2, kCl100k };

  Scanner(Kind kind, std::size_t max_digits) : kind_(kind), max_digits_(max_digits) {}

  std::size_t match_gpt2(std::u32string_view text, std::size_t at) const;
  std::size_t match_cl100k(std::u32string_view text, std::size_t at) const;

  Kind kind_;
  std::size_t max_digits_;  // of one match (cl100k)
};

}  // namespace kefu::text
