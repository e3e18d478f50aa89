#include "text/normal_form.h"

#include <algorithm>

#include <utf8proc.h>

#include "text/char_table.h"

namespace kefu::text {
namespace {

struct Decomposed {
  char32_t code_point;
  int change;
  int combining_class;
};

int combining_class(char32_t code_point) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->combining_class;
}

std::uint32_t affected_flags(NormalForm form) {
  switch (form) {
    case NormalForm::kC:
      return kJoinsPrevious | kUnstableC;
    case NormalForm::kD:
      return kJoinsPrevious | kCanonical;
    case NormalForm::kKC:
      return kJoinsPrevious | kUnstableKC;
    case NormalForm::kKD:
      return kJoinsPrevious | kCompatible;
  }
  return 0;
}

// Decomposes and brings each run of marks into canonical order.
void decompose_all(std::u32string_view text, bool compatible, std::vector<Decomposed>& out) {
  out.clear();
  std::size_t run = 0;
  const auto by_class = [](const Decomposed& a, const Decomposed& b) {
    return a.combining_class < b.combining_class;
  };
  for (const char32_t c : text) {
    int change = 0;
    for (const char32_t part : decompose(c, compatible)) {
      const int ccc = combining_class(part);
      if (ccc == 0) {
        std::stable_sort(out.begin() + run, out.end(), by_class);
        run = out.size();
      }
      out.push_back({part, change, ccc});
      change = 1;
    }
  }
  std::stable_sort(out.begin() + run, out.end(), by_class);
}

// Canonical composition (UAX #15): each starter takes the later marks that no other mark blocks. The change
// of a composite counts the inputs that went into it.
void compose_all(const std::vector<Decomposed>& parts, std::vector<Change>& out) {
  constexpr std::size_t kNone = SIZE_MAX;
  std::size_t starter = kNone;
  int last_class = -1;  // of the marks kept since the starter
  for (const Decomposed& part : parts) {
    if (starter != kNone && last_class < part.combining_class) {
      if (const char32_t composite = compose(out[starter].code_point, part.code_point)) {
        out[starter] = {composite, out[starter].change + part.change - 1};
        continue;
      }
    }
    out.push_back({part.code_point, part.change});
    if (part.combining_class == 0) {
      starter = out.size() - 1;
      last_class = -1;
    } else {
      last_class = part.combining_class;
    }
  }
}

void normalize_segment(NormalForm form, std::u32string_view segment, std::vector<Change>& out) {
  static thread_local std::vector<Decomposed> parts;
  decompose_all(segment, form == NormalForm::kKC || form == NormalForm::kKD, parts);
  out.clear();
  if (form == NormalForm::kC || form == NormalForm::kKC) {
    compose_all(parts, out);
  } else {
    for (const Decomposed& part : parts) out.push_back({part.code_point, part.change});
  }
}

}  // namespace

void apply_normal_form(NormalForm form, Normalized& text) {
  static thread_local std::vector<Change> changes;
  const CharTable& table = CharTable::get();
  const std::uint32_t affected = affected_flags(form);
  const std::size_t size = text.size();
  const auto next_affected = [&](std::size_t i) {
    while (i < size && (table[text[i]] & affected) == 0) ++i;
    return i;
  };
  std::size_t i = next_affected(0);
  if (i == size) return;
  text.begin_edit(0);
  std::size_t kept = 0;
  while (i < size) {
    const bool joins = (table[text[i]] & kJoinsPrevious) != 0;
    const std::size_t begin = joins && i > kept ? i - 1 : i;
    std::size_t end = i + 1;
    while (end < size && (table[text[end]] & kJoinsPrevious) != 0) ++end;
    text.keep(kept, begin);
    normalize_segment(form, text.text().substr(begin, end - begin), changes);
    text.put_changes(changes, begin);
    kept = end;
    i = next_affected(end);
  }
  text.keep(kept, size);
  text.commit();
}

}  // namespace kefu::text
