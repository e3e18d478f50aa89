#pragma once
// A text under normalisation: code points, and for each the span of the original it stands for.

#include <string>
#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace kefu::text {

/// One output of a rewriting in Hugging Face's terms: 0 replaces the next input, 1 is inserted after it
/// (and shares its span), -n replaces the next input and removes the n after it.
struct Change {
  char32_t code_point;
  int change;
};

/// Steps edit in place or write a new version beside the current one:
/// begin_edit(n) keeps the first n code points, keep()/put() append, commit() makes the version current.
/// Spans ascend: the begin (and the end) of each is at least that of the one before it.
class Normalized {
 public:
  /// Starts over with the decoded text; every code point stands for itself.
  void assign(std::string_view utf8);

  std::u32string_view text() const { return text_; }
  std::size_t size() const { return text_.size(); }
  char32_t operator[](std::size_t i) const { return text_[i]; }
  Span span(std::size_t i) const { return spans_[i]; }
  const Span* spans() const { return spans_.data(); }

  /// Replaces one code point by one.
  void set(std::size_t i, char32_t code_point) { text_[i] = code_point; }

  /// Keeps only the code points [begin, end).
  void crop(std::size_t begin, std::size_t end);

  void begin_edit(std::size_t keep_first);
  std::size_t edited_size() const { return next_text_.size(); }
  void put(char32_t code_point, Span span) {
    next_text_.push_back(code_point);
    next_spans_.push_back(span);
  }
  void keep(std::size_t i) { put(text_[i], spans_[i]); }
  void keep(std::size_t begin, std::size_t end) {
    next_text_.append(text_, begin, end - begin);
    next_spans_.insert(next_spans_.end(), spans_.begin() + begin, spans_.begin() + end);
  }
  /// Appends a rewriting of the inputs from `at` on.
  void put_changes(const std::vector<Change>& changes, std::size_t at);
  void commit();

  /// Gives memory back after an unusually long text.
  void shrink();

 private:
  std::u32string text_;
  std::vector<Span> spans_;
  std::u32string next_text_;
  std::vector<Span> next_spans_;
};

}  // namespace kefu::text
