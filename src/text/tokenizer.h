#pragma once
// A text tokeniser read from the standard files: `tokenizer.json` of the Hugging Face `tokenizers`
// library (Unigram, WordPiece) or BERT's `vocab.txt`.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/unicode.h"

namespace kefu::text {

using TokenId = std::int32_t;

/// Parallel arrays: ids[i] stands for the code points offsets[i] of the original text.
struct Encoding {
  std::vector<TokenId> ids;
  std::vector<Span> offsets;

  void clear() {
    ids.clear();
    offsets.clear();
  }
};

/// Immutable after loading; encode() may be called from any number of threads at once.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Appends the tokens of `utf8` to `out`, without the template's special tokens. Any bytes are
  /// accepted: invalid UTF-8 is replaced as decode_utf8() does. Text never matches a special token.
  virtual void encode(std::string_view utf8, Encoding& out) const = 0;

  /// Special tokens the template puts before and after a text (`<s>`, `</s>`; `[CLS]`, `[SEP]`).
  virtual const std::vector<TokenId>& template_prefix() const = 0;
  virtual const std::vector<TokenId>& template_suffix() const = 0;

  /// One more than the highest id.
  virtual std::size_t vocabulary_size() const = 0;

  virtual TokenId unknown_id() const = 0;

  /// The piece of an id as stored in the file; empty for an id out of range.
  virtual std::string_view piece(TokenId id) const = 0;
};

/// The tokeniser of a tokenizer.json's text.
Result<std::unique_ptr<Tokenizer>> parse_tokenizer(std::string_view json);

/// Loads `tokenizer.json` or `vocab.txt` (by file name). A step of the file this library does not know
/// is an error that names it: a tokeniser never runs with a step left out.
///
/// Not steps of a tokeniser, hence ignored: `truncation`, `padding` (the batcher's job) and `decoder`.
/// `vocab.txt` needs `tokenizer_config.json` beside it, which says whether the text is lower-cased.
Result<std::unique_ptr<Tokenizer>> load_tokenizer(const std::filesystem::path& file);

/// The same from the text of a `tokenizer.json`; `name` stands for the file in errors.
Result<std::unique_ptr<Tokenizer>> load_tokenizer_from_json(std::string_view json, std::string_view name);

}  // namespace kefu::text
