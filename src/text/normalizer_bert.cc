#include "text/normalizer_bert.h"

#include "text/normalizer_simple.h"

namespace kefu::text {
namespace {

// Removes NUL, U+FFFD and control characters; white space of any kind becomes a space.
class CleanText : public Normalizer {
 public:
  void apply(Normalized& text) const override {
    const CharTable& table = CharTable::get();
    remove_if(text, [&](char32_t c) {
      if (c == U'\t' || c == U'\n' || c == U'\r') return false;
      return c == kReplacement || (table[c] & kControl) != 0;
    });
    for (std::size_t i = 0; i < text.size(); ++i) {
      if ((table[text[i]] & kSpace) != 0) text.set(i, U' ');
    }
  }
};

class SpaceChinese : public Normalizer {
 public:
  void apply(Normalized& text) const override {
    std::size_t i = 0;
    while (i < text.size() && !is_bert_chinese(text[i])) ++i;
    if (i == text.size()) return;
    text.begin_edit(i);
    for (; i < text.size(); ++i) {
      const bool chinese = is_bert_chinese(text[i]);
      if (chinese) text.put(U' ', text.span(i));
      text.keep(i);
      if (chinese) text.put(U' ', text.span(i));
    }
    text.commit();
  }
};

}  // namespace

void add_bert_normalizer(const BertOptions& options, Normalizers& out) {
  if (options.clean_text) out.push_back(std::make_unique<CleanText>());
  if (options.handle_chinese_chars) out.push_back(std::make_unique<SpaceChinese>());
  if (options.strip_accents) {
    out.push_back(std::make_unique<FormNormalizer>(NormalForm::kD));
    out.push_back(std::make_unique<StripMarks>(kNonspacingMark));
  }
  if (options.lowercase) out.push_back(std::make_unique<Lowercase>());
}

Result<void> load_bert_normalizer(const JsonNode& node, Normalizers& out) {
  BertOptions options;
  KEFU_ASSIGN(options.clean_text, node.boolean("clean_text", true));
  KEFU_ASSIGN(options.handle_chinese_chars, node.boolean("handle_chinese_chars", true));
  KEFU_ASSIGN(options.lowercase, node.boolean("lowercase", true));
  KEFU_ASSIGN(options.strip_accents, node.boolean("strip_accents", options.lowercase));
  add_bert_normalizer(options, out);
  return {};
}

}  // namespace kefu::text
