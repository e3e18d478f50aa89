// Feeds bytes to one small tokeniser of each kind, and to the loader as a tokenizer.json.

#include <cstdio>
#include <cstdlib>

#include "text/sample_tokenizers.h"
#include "text/tokenizer.h"

namespace {

using kefu::text::Encoding;
using kefu::text::Tokenizer;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

void check(const Tokenizer& tokenizer, std::string_view text) {
  Encoding encoding;
  tokenizer.encode(text, encoding);
  const std::size_t size = kefu::text::decode_utf8(text).size();
  require(encoding.ids.size() == encoding.offsets.size(), "as many offsets as ids");
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    const auto id = encoding.ids[i];
    const auto offset = encoding.offsets[i];
    require(id >= 0 && static_cast<std::size_t>(id) < tokenizer.vocabulary_size(),
            "ids are in the vocabulary");
    require(offset.begin <= offset.end && offset.end <= size, "offsets are within the text");
    require(offset.begin >= begin, "offsets ascend");
    begin = offset.begin;
  }
}

std::vector<std::unique_ptr<Tokenizer>> load_samples() {
  std::vector<std::unique_ptr<Tokenizer>> tokenizers;
  for (const std::string_view json : kefu::text::sample::kAll) {
    auto tokenizer = kefu::text::load_tokenizer_from_json(json, "sample");
    require(tokenizer.has_value(), "samples load");
    tokenizers.push_back(std::move(*tokenizer));
  }
  return tokenizers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const auto tokenizers = load_samples();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& tokenizer : tokenizers) check(*tokenizer, text);
  if (const auto loaded = kefu::text::load_tokenizer_from_json(text, "input"))
    check(**loaded, "ab é \u3000 x<s>");
  return 0;
}
