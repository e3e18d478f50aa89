#pragma once
// A tokeniser put together from its steps.

#include <memory>

#include "text/normalizer.h"
#include "text/piece_model.h"
#include "text/post_processor.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace kefu::text {

struct PipelineParts {
  Vocabulary vocabulary;
  Normalizers normalizers;
  PreTokenizers pre_tokenizers;
  std::unique_ptr<PieceModel> model;
  PostProcessor post_processor;
};

class Pipeline : public Tokenizer {
 public:
  explicit Pipeline(PipelineParts parts);

  void encode(std::string_view utf8, Encoding& out) const override;

  const std::vector<TokenId>& template_prefix() const override { return parts_.post_processor.prefix(); }
  const std::vector<TokenId>& template_suffix() const override { return parts_.post_processor.suffix(); }
  std::size_t vocabulary_size() const override { return parts_.vocabulary.size(); }
  TokenId unknown_id() const override { return parts_.model->unknown_id(); }
  std::string_view piece(TokenId id) const override { return parts_.vocabulary.piece(id); }

 private:
  PipelineParts parts_;
};

/// Loads BERT's vocab.txt: one piece a line, the id is the line. `tokenizer_config.json` beside it says
/// do_lower_case (required), tokenize_chinese_chars and strip_accents.
Result<std::unique_ptr<Tokenizer>> load_vocab_txt(const std::filesystem::path& file);

}  // namespace kefu::text
