#include "base/file.h"
#include "text/normalizer_bert.h"
#include "text/pipeline.h"
#include "text/wordpiece.h"

namespace kefu::text {
namespace {

std::string_view trim_end(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r");
  return line.substr(0, last + 1);
}

Result<void> read_lines(std::string_view text, std::string_view source, Vocabulary& vocabulary) {
  std::int64_t id = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    KEFU_CHECK(vocabulary.set(id++, trim_end(text.substr(0, end)), source));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return {};
}

Result<BertOptions> read_options(const std::filesystem::path& vocab_file) {
  const std::filesystem::path file = vocab_file.parent_path() / "tokenizer_config.json";
  const auto text = read_file(file);
  if (!text) {
    return fail(Code::kFailedPrecondition,
                "{} does not say whether text is lower-cased: put tokenizer_config.json with "
                "\"do_lower_case\" beside it ({})",
                vocab_file.string(), text.error().message);
  }
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(*text).get(root))
    return fail(Code::kInvalidArgument, "{} is not valid JSON: copy it again", file.string());
  const JsonNode node(root, file.string());
  if (!node.has("do_lower_case")) return node.wrong("do_lower_case", "boolean");
  BertOptions options;
  KEFU_ASSIGN(options.lowercase, node.boolean("do_lower_case", true));
  KEFU_ASSIGN(options.handle_chinese_chars, node.boolean("tokenize_chinese_chars", true));
  KEFU_ASSIGN(options.strip_accents, node.boolean("strip_accents", options.lowercase));
  return options;
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_vocab_txt(const std::filesystem::path& file) {
  const std::string source = file.string();
  PipelineParts parts;
  KEFU_ASSIGN(const BertOptions options, read_options(file));
  KEFU_ASSIGN(const std::string text, read_file(file));
  KEFU_CHECK(read_lines(text, source, parts.vocabulary));
  WordPiece::Options model;
  KEFU_ASSIGN(model.unknown_id, id_of_piece("[UNK]", parts.vocabulary, source));
  KEFU_ASSIGN(const TokenId cls, id_of_piece("[CLS]", parts.vocabulary, source));
  KEFU_ASSIGN(const TokenId sep, id_of_piece("[SEP]", parts.vocabulary, source));
  for (const char* name : {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"}) {
    if (const auto id = id_of_piece(name, parts.vocabulary, source)) parts.vocabulary.make_special(*id);
  }
  add_bert_normalizer(options, parts.normalizers);
  add_bert_pre_tokenizer(parts.pre_tokenizers);
  parts.post_processor.set_template({cls}, {sep});
  parts.model = std::make_unique<WordPiece>(parts.vocabulary, std::move(model));
  return std::make_unique<Pipeline>(std::move(parts));
}

}  // namespace kefu::text
