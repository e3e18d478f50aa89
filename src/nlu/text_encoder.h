#pragma once
// Text to token states: the encoder package and its engine behind one call.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/encoder.h"
#include "model/encoder_package.h"

namespace kefu::nlu {

/// A text as the encoder reads it: windows of token ids with their spans in the text.
struct TokenizedText {
  std::vector<text::TokenId> ids;   // of the text alone, without template and prefix
  std::vector<text::Span> offsets;  // parallel to ids, code points
};

/// A window of a text's tokens: [begin, end) of TokenizedText::ids.
struct Window {
  std::size_t begin;
  std::size_t end;
};

/// Cuts `tokens` into windows of at most `capacity` that overlap by `overlap` and cover everything; at
/// least one window, also for no tokens. Requires overlap < capacity.
std::vector<Window> cut_windows(std::size_t tokens, std::size_t capacity, std::size_t overlap);

/// Immutable, shared between threads: tokeniser, template, prefix and encoder.
class TextEncoder {
 public:
  static constexpr std::size_t kWindowOverlap = 64;  // tokens that a text's windows share

  /// Loads the folder's graph with the named engine. Blocks while it compiles. kInvalidArgument if the
  /// encoder reads too few tokens at a time for windows to advance.
  static Result<std::shared_ptr<const TextEncoder>> load(model::EncoderPackage package,
                                                         std::string_view engine,
                                                         const engine::EngineOptions& options);

  TokenizedText tokenize(std::string_view utf8) const;

  /// Tokens of text that fit one row beside template and prefix.
  std::size_t window_capacity() const { return encoder_->max_tokens() - head_.size() - tail_.size(); }

  /// Tokens of a window's row.
  std::size_t row_size(const Window& window) const {
    return head_.size() + (window.end - window.begin) + tail_.size();
  }

  /// Tokens before the text's first in a row.
  std::size_t head_size() const { return head_.size(); }

  /// Appends template start, prefix, the window's tokens and template end as one row.
  void add_row(const TokenizedText& text, Window window, engine::TokenBatch& batch) const;

  const model::EncoderPackage& package() const { return package_; }
  const std::shared_ptr<engine::Encoder>& encoder() const { return encoder_; }

 private:
  TextEncoder(model::EncoderPackage package, std::shared_ptr<engine::Encoder> encoder);

  model::EncoderPackage package_;
  std::shared_ptr<engine::Encoder> encoder_;
  std::vector<text::TokenId> head_;
  std::vector<text::TokenId> tail_;
};

/// The mean of all token states of a row, special tokens included.
void mean_pool(const engine::RowStates& states, std::span<float> out);

/// Scales to length 1; a zero vector stays.
void normalize_length(std::span<float> vector);

}  // namespace kefu::nlu
