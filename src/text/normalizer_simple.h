#pragma once

#include <string>

#include "text/char_table.h"
#include "text/normal_form.h"
#include "text/normalizer.h"

namespace kefu::text {

class FormNormalizer : public Normalizer {
 public:
  explicit FormNormalizer(NormalForm form) : form_(form) {}
  void apply(Normalized& text) const override { apply_normal_form(form_, text); }

 private:
  NormalForm form_;
};

/// Removes white space (Unicode) from the ends.
class Strip : public Normalizer {
 public:
  Strip(bool left, bool right) : left_(left), right_(right) {}
  void apply(Normalized& text) const override;

 private:
  bool left_;
  bool right_;
};

/// Removes every code point with one of the flags.
class StripMarks : public Normalizer {
 public:
  explicit StripMarks(std::uint32_t flags) : flags_(flags) {}
  void apply(Normalized& text) const override;

 private:
  std::uint32_t flags_;
};

/// Full lower-case mapping without context: no final sigma.
class Lowercase : public Normalizer {
 public:
  void apply(Normalized& text) const override;
};

/// Puts a text before a text that is not empty; it stands for the first code point.
class Prepend : public Normalizer {
 public:
  explicit Prepend(std::u32string prefix) : prefix_(std::move(prefix)) {}
  void apply(Normalized& text) const override;

 private:
  std::u32string prefix_;
};

/// The NMT rules of SentencePiece: control characters go, white space and zero-width ones become a space.
class Nmt : public Normalizer {
 public:
  void apply(Normalized& text) const override;
};

/// Removes the code points for which `drop(code_point)`; the others keep their spans.
template <typename Drop>
void remove_if(Normalized& text, Drop drop) {
  std::size_t i = 0;
  while (i < text.size() && !drop(text[i])) ++i;
  if (i == text.size()) return;
  text.begin_edit(i);
  for (; i < text.size(); ++i) {
    if (!drop(text[i])) text.keep(i);
  }
  text.commit();
}

}  // namespace kefu::text
