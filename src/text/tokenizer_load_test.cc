#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "text/tokenizer.h"

namespace kefu::text {
namespace {

std::string error_of(std::string_view json) {
  const auto tokenizer = load_tokenizer_from_json(json, "test.json");
  return tokenizer ? "no error" : tokenizer.error().message;
}

// Rule: an error says file, key, and remedy; a step that is not known is never left out.
TEST(TokenizerLoad, ErrorsNameFileKeyAndRemedy) {
  const struct {
    std::string_view json;
    std::string_view part;
  } cases[] = {
      {"", "test.json is not valid JSON"},
      {"[1", "test.json is not valid JSON"},
      {"[]", "\"model\" is missing"},
      {"{}", "\"model\" is missing or not a value: save the tokeniser again"},
      {R"({"model":{"type":"WordLevel"}})", "test.json: model is a model \"WordLevel\""},
      {R"({"model":{"type":"Unigram","vocab":[["a"]]}})",
       "\"model.vocab\" is missing or not a list of [piece, score]"},
      {R"({"model":{"type":"Unigram","vocab":[["a",0]]}})", "\"model.unk_id\" is missing"},
      {R"({"model":{"type":"Unigram","vocab":[["a",0]],"unk_id":1}})", "\"model.unk_id\""},
      {R"({"model":{"type":"WordPiece","vocab":{"a":0}}})", "the piece \"[UNK]\" is not in the vocabulary"},
      {R"({"model":{"type":"WordPiece","vocab":{"a":-1}}})", "the id -1 of \"a\""},
      {R"({"model":{"type":"WordPiece","vocab":{"a":99999999999}}})", "the id 99999999999 of \"a\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}})", "model.merges[0]: the piece \"b\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":["a b c"]}})", "\"model.merges\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[],"end_of_word_suffix":"</w>"}})",
       "\"end_of_word_suffix\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[],"dropout":0.1}})", "\"dropout\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"added_tokens":[{"id":1,"content":"x","special":false}]})",
       "added_tokens[0] is the added token \"x\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"normalizer":{"type":"X"}})",
       "a normalizer \"X\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"pre_tokenizer":{"type":"X"}})",
       "a pre-tokenizer \"X\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"post_processor":{"type":"X"}})",
       "a post-processor \"X\""},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"post_processor":{"type":"TemplateProcessing","single":[]}})",
       "a template with the text 0 times"},
      {R"({"model":{"type":"BPE","vocab":{"a":0},"merges":[]},"post_processor":{"type":"BertProcessing","cls":["a",0],"sep":["b",7]}})",
       "the special token id 7"},
  };
  for (const auto& c : cases) EXPECT_NE(error_of(c.json).find(c.part), std::string::npos) << error_of(c.json);
}

class VocabTxt : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, std::string_view text) const { ASSERT_TRUE(write_file(folder_ / name, text)); }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("kefu_vocab_txt_{}", ::getpid());
};

TEST_F(VocabTxt, LoadsWithItsConfiguration) {
  write("vocab.txt", "[PAD]\r\n[UNK]\n[CLS]\n[SEP]\nÉa\nea\n");
  write("tokenizer_config.json", R"({"do_lower_case": false})");
  const auto cased = load_tokenizer(folder_ / "vocab.txt");
  ASSERT_TRUE(cased) << cased.error().message;
  Encoding encoding;
  (*cased)->encode("Éa ea EA", encoding);
  EXPECT_EQ(encoding.ids, (std::vector<TokenId>{4, 5, 1}));
  EXPECT_EQ((*cased)->template_prefix(), std::vector<TokenId>{2});
  EXPECT_EQ((*cased)->vocabulary_size(), 6u);
  write("tokenizer_config.json", R"({"do_lower_case": true})");
  encoding.clear();
  (*load_tokenizer(folder_ / "vocab.txt"))->encode("Éa", encoding);
  EXPECT_EQ(encoding.ids, std::vector<TokenId>{5});
}

// Rule: vocab.txt alone does not say whether text is lower-cased, and is not guessed.
TEST_F(VocabTxt, NeedsItsConfiguration) {
  write("vocab.txt", "[UNK]\n[CLS]\n[SEP]\n");
  EXPECT_EQ(load_tokenizer(folder_ / "vocab.txt").error().code, Code::kFailedPrecondition);
  write("tokenizer_config.json", "{}");
  EXPECT_NE(load_tokenizer(folder_ / "vocab.txt").error().message.find("do_lower_case"), std::string::npos);
  write("vocab.txt", "a\n");
  write("tokenizer_config.json", R"({"do_lower_case": true})");
  EXPECT_NE(load_tokenizer(folder_ / "vocab.txt").error().message.find("\"[UNK]\""), std::string::npos);
}

TEST_F(VocabTxt, MissingFile) {
  EXPECT_FALSE(load_tokenizer(folder_ / "tokenizer.json"));
}

}  // namespace
}  // namespace kefu::text
