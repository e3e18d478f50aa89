#pragma once

#include <string>

#include "text/code_point_map.h"
#include "text/normalizer.h"

namespace kefu::text {

/// Any number of "replace this code point by that text", in order, in one pass.
class ReplaceCodePoints : public Normalizer {
 public:
  void then_replace(char32_t from, std::u32string_view to) { map_.then_replace(from, to); }
  void apply(Normalized& text) const override;

 private:
  CodePointMap map_;
};

/// Replaces every occurrence of a text of two or more code points, from the left. The content stands for
/// the last code point replaced.
class ReplaceText : public Normalizer {
 public:
  ReplaceText(std::u32string from, std::u32string to) : from_(std::move(from)), to_(std::move(to)) {}
  void apply(Normalized& text) const override;

 private:
  std::u32string from_;
  std::u32string to_;
};

/// One class of code points repeated `at_least` times or more: ` {2,}`, `\s+`.
struct RunPattern {
  char32_t code_point = 0;  // if not white_space
  bool white_space = false;
  std::size_t at_least = 1;
  bool greedy_run = true;  // false: exactly one code point
};

/// Parses the regular expressions of the form atom, then nothing, `+` or `{n,}`; the atom is a literal, an
/// escaped literal, `\n \r \t` or `\s`. False for anything else.
bool parse_run_pattern(std::u32string_view regex, RunPattern& out);

class ReplaceRuns : public Normalizer {
 public:
  ReplaceRuns(RunPattern pattern, std::u32string to) : pattern_(pattern), to_(std::move(to)) {}
  void apply(Normalized& text) const override;

 private:
  std::size_t next_run(std::u32string_view text, std::size_t from, std::size_t& end) const;

  RunPattern pattern_;
  std::u32string to_;
};

Result<void> load_replace(const JsonNode& node, Normalizers& out);

}  // namespace kefu::text
