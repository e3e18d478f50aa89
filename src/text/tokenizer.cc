#include "text/tokenizer.h"

#include "base/file.h"
#include "text/pipeline.h"

namespace kefu::text {
namespace {

Result<std::unique_ptr<Tokenizer>> load_root(const JsonNode& root) {
  PipelineParts parts;
  KEFU_ASSIGN(parts.model, load_model(root, parts.vocabulary));
  if (const auto node = root.find("normalizer")) KEFU_CHECK(load_normalizer(*node, parts.normalizers));
  if (const auto node = root.find("pre_tokenizer"))
    KEFU_CHECK(load_pre_tokenizer(*node, parts.pre_tokenizers));
  if (const auto node = root.find("post_processor"))
    KEFU_CHECK(parts.post_processor.load(*node, parts.vocabulary));
  return std::make_unique<Pipeline>(std::move(parts));
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> load_tokenizer_from_json(std::string_view json, std::string_view name) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (const auto error = parser.parse(json.data(), json.size()).get(root)) {
    return fail(Code::kInvalidArgument, "{} is not valid JSON ({}): copy it again", name,
                simdjson::error_message(error));
  }
  return load_root(JsonNode(root, std::string(name)));
}

Result<std::unique_ptr<Tokenizer>> load_tokenizer(const std::filesystem::path& file) {
  if (file.extension() == ".txt") return load_vocab_txt(file);
  KEFU_ASSIGN(const std::string json, read_file(file));
  return load_tokenizer_from_json(json, file.string());
}

}  // namespace kefu::text
