#include "nlu/text_encoder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/registry.h"

namespace kefu::nlu {

std::vector<Window> cut_windows(std::size_t tokens, std::size_t capacity, std::size_t overlap) {
  std::vector<Window> windows;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = std::min(tokens, begin + capacity);
    windows.push_back({begin, end});
    if (end == tokens) return windows;
    begin = end - overlap;
  }
}

Result<std::shared_ptr<const TextEncoder>> TextEncoder::load(model::EncoderPackage package,
                                                             std::string_view engine,
                                                             const engine::EngineOptions& options) {
  const model::EncoderManifest& manifest = package.manifest;
  KEFU_ASSIGN(const auto format, engine::parse_table_format(manifest.table_format));
  KEFU_ASSIGN(auto table,
              engine::EmbeddingTable::open(package.table(), format, manifest.table_rows, manifest.hidden));
  KEFU_ASSIGN(auto plan, engine::load_engine(engine, package.graph(), options));
  KEFU_ASSIGN(auto encoder, engine::Encoder::create(std::move(table), std::move(plan), manifest.max_tokens));
  auto loaded = std::shared_ptr<const TextEncoder>(new TextEncoder(std::move(package), std::move(encoder)));
  const std::size_t around = loaded->head_.size() + loaded->tail_.size();
  if (loaded->encoder_->max_tokens() <= around + kWindowOverlap) {
    return fail(
        Code::kInvalidArgument,
        "{}: max_tokens is {}; with {} tokens around a text and windows that share {} it must be at least {}",
        loaded->package_.folder.string(), loaded->encoder_->max_tokens(), around, kWindowOverlap,
        around + kWindowOverlap + 1);
  }
  return loaded;
}

TextEncoder::TextEncoder(model::EncoderPackage package, std::shared_ptr<engine::Encoder> encoder)
    : package_(std::move(package)), encoder_(std::move(encoder)) {
  const text::Tokenizer& tokenizer = *package_.tokenizer;
  head_ = tokenizer.template_prefix();
  const TokenizedText prefix = tokenize(package_.manifest.prefix);
  head_.insert(head_.end(), prefix.ids.begin(), prefix.ids.end());
  tail_ = tokenizer.template_suffix();
}

TokenizedText TextEncoder::tokenize(std::string_view utf8) const {
  text::Encoding encoding;
  package_.tokenizer->encode(utf8, encoding);
  return {std::move(encoding.ids), std::move(encoding.offsets)};
}

void TextEncoder::add_row(const TokenizedText& text, Window window, engine::TokenBatch& batch) const {
  std::vector<text::TokenId> row = head_;
  row.insert(row.end(), text.ids.begin() + static_cast<std::ptrdiff_t>(window.begin),
             text.ids.begin() + static_cast<std::ptrdiff_t>(window.end));
  row.insert(row.end(), tail_.begin(), tail_.end());
  batch.add(row);
}

void mean_pool(const engine::RowStates& states, std::span<float> out) {
  std::ranges::fill(out, 0.0F);
  for (std::size_t t = 0; t < states.tokens; ++t) {
    const auto token = states.token(t);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += token[i];
  }
  const float scale = states.tokens == 0 ? 0.0F : 1.0F / static_cast<float>(states.tokens);
  for (float& value : out) value *= scale;
}

void normalize_length(std::span<float> vector) {
  const float norm = std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0F));
  if (norm == 0.0F) return;
  for (float& value : vector) value /= norm;
}

}  // namespace kefu::nlu
