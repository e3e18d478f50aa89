#pragma once

#include "text/normalizer.h"

namespace kefu::text {

struct BertOptions {
  bool clean_text = true;
  bool handle_chinese_chars = true;
  bool strip_accents = true;
  bool lowercase = true;
};

/// Appends the steps of BertNormalizer.
void add_bert_normalizer(const BertOptions& options, Normalizers& out);

/// `strip_accents: null` means "as lowercase".
Result<void> load_bert_normalizer(const JsonNode& node, Normalizers& out);

}  // namespace kefu::text
