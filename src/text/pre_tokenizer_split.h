#pragma once

#include <string>

#include "text/char_table.h"
#include "text/pre_tokenizer.h"
#include "text/scanner.h"

namespace kefu::text {

/// Every code point with one of the flags is a match of its own.
class SplitByFlags : public PreTokenizer {
 public:
  SplitByFlags(std::uint32_t flags, Behavior behavior) : flags_(flags), behavior_(behavior) {}
  void apply(Normalized& text, Pieces& pieces) const override;

 private:
  std::uint32_t flags_;
  Behavior behavior_;
};

/// `\w+|[^\w\s]+`: keeps runs of word characters and runs of neither those nor white space.
class WordRuns : public PreTokenizer {
 public:
  void apply(Normalized& text, Pieces& pieces) const override;
};

/// Matches are the occurrences of a text.
class SplitByText : public PreTokenizer {
 public:
  SplitByText(std::u32string delimiter, Behavior behavior, bool invert)
      : delimiter_(std::move(delimiter)), behavior_(behavior), invert_(invert) {}
  void apply(Normalized& text, Pieces& pieces) const override;

 private:
  std::u32string delimiter_;
  Behavior behavior_;
  bool invert_;
};

/// Matches are those of one of the known regular expressions, which match every code point.
class SplitByScanner : public PreTokenizer {
 public:
  SplitByScanner(Scanner scanner, Behavior behavior, bool invert)
      : scanner_(scanner), behavior_(behavior), invert_(invert) {}
  void apply(Normalized& text, Pieces& pieces) const override;

 private:
  Scanner scanner_;
  Behavior behavior_;
  bool invert_;
};

Result<void> load_split(const JsonNode& node, PreTokenizers& out);

}  // namespace kefu::text
