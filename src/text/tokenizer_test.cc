#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include "text/sample_tokenizers.h"
#include "text/unigram.h"

namespace kefu::text {
namespace {

std::unique_ptr<Tokenizer> load(std::string_view json) {
  auto tokenizer = load_tokenizer_from_json(json, "test.json");
  if (!tokenizer) ADD_FAILURE() << tokenizer.error().message;
  return std::move(*tokenizer);
}

// "piece@begin-end piece@begin-end"
std::string run(const Tokenizer& tokenizer, std::string_view text) {
  Encoding encoding;
  tokenizer.encode(text, encoding);
  std::string out;
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    out += fmt::format("{}{}@{}-{}", i ? " " : "", tokenizer.piece(encoding.ids[i]),
                       encoding.offsets[i].begin, encoding.offsets[i].end);
  }
  return out;
}

TEST(Tokenizer, Unigram) {
  const auto tokenizer = load(sample::kUnigram);
  EXPECT_EQ(run(*tokenizer, "ab"), "▁ab@0-2");
  EXPECT_EQ(run(*tokenizer, "  ab \t b "), "▁ab@2-4 ▁@6-7 b@7-8");
  EXPECT_EQ(run(*tokenizer, "e\u0301"), "▁@0-1 é@0-1");
  EXPECT_EQ(run(*tokenizer, "a\u200Bb"), "▁ab@0-3");
  EXPECT_EQ(run(*tokenizer, "axyb"), "▁@0-1 a@0-1 <unk>@1-3 b@3-4");
  EXPECT_EQ(run(*tokenizer, ""), "");
  EXPECT_EQ(run(*tokenizer, " "), "");
  EXPECT_EQ(tokenizer->template_prefix(), std::vector<TokenId>{0});
  EXPECT_EQ(tokenizer->template_suffix(), std::vector<TokenId>{1});
  EXPECT_EQ(tokenizer->vocabulary_size(), 10u);
  EXPECT_EQ(tokenizer->unknown_id(), 2);
  EXPECT_EQ(tokenizer->piece(9), "<mask>");
  EXPECT_EQ(tokenizer->piece(10), "");
  EXPECT_EQ(tokenizer->piece(-1), "");
}

// Rule: text never matches a special token, whatever the model (no token injection).
TEST(Tokenizer, TextNeverMatchesSpecialTokens) {
  const struct {
    std::string_view json;
    std::string_view text;
  } cases[] = {{sample::kUnigram, "a <s> </s> <mask> b"},
               {sample::kWordPiece, "[CLS] a [SEP]"},
               {sample::kByteLevel, "<s>ab</s>"}};
  for (const auto& c : cases) {
    const auto tokenizer = load(c.json);
    Encoding encoding;
    tokenizer->encode(c.text, encoding);
    for (const TokenId id : encoding.ids) {
      for (const auto* specials : {&tokenizer->template_prefix(), &tokenizer->template_suffix()}) {
        EXPECT_EQ(std::count(specials->begin(), specials->end(), id), 0) << c.text;
      }
      EXPECT_NE(tokenizer->piece(id), "<mask>");
    }
  }
  EXPECT_EQ(run(*load(sample::kWordPiece), "[SEP]"), "[@0-1 sep@1-4 ]@4-5");
}

TEST(Tokenizer, ByteFallback) {
  const auto tokenizer = load(sample::kByteFallback);
  EXPECT_EQ(run(*tokenizer, "aé"), "a@0-1 <0xC3>@1-2 <0xA9>@1-2");
  EXPECT_EQ(run(*tokenizer, "éè"), "<0xC3>@0-2 <0xA9>@0-2 <0xC3>@0-2 <0xA8>@0-2");
  EXPECT_EQ(run(*tokenizer, "aß"), "a@0-1 <unk>@1-2");
}

TEST(Tokenizer, WordPiece) {
  const auto tokenizer = load(sample::kWordPiece);
  EXPECT_EQ(run(*tokenizer, "Une uned"), "un@0-2 ##e@2-3 un@4-6 ##ed@6-8");
  EXPECT_EQ(run(*tokenizer, "É漢\u0301a"), "e@0-1 漢@1-2 a@3-4");
  EXPECT_EQ(run(*tokenizer, "unq"), "[UNK]@0-3");
  EXPECT_EQ(run(*tokenizer, "eeeee eeeeee"), "e@0-1 ##e@1-2 ##e@2-3 ##e@3-4 ##e@4-5 [UNK]@6-12");
  EXPECT_EQ(tokenizer->template_prefix(), std::vector<TokenId>{1});
  EXPECT_EQ(tokenizer->template_suffix(), std::vector<TokenId>{2});
}

TEST(Tokenizer, ByteLevelTrimsOffsets) {
  const auto tokenizer = load(sample::kByteLevel);
  EXPECT_EQ(run(*tokenizer, "ab ab"), "Ġab@0-2 Ġab@3-5");
  EXPECT_EQ(run(*tokenizer, "e\u0301abé"), "Ġ@0-0 Ã©@0-1 ab@2-4 Ã©@4-5");
}

TEST(Tokenizer, CharacterBpe) {
  const auto tokenizer = load(sample::kCharacters);
  EXPECT_EQ(run(*tokenizer, "ÁB"), "?@0-1 ab@0-2");
  EXPECT_EQ(run(*tokenizer, "abzyab"), "?@0-1 ab@0-2 ?@2-4 ab@4-6");
  EXPECT_EQ(run(*tokenizer, "aæ"), "?@0-1 a@0-1 <0xC3>@1-2 <0xA6>@1-2");
}

TEST(Tokenizer, LongAndShortBpeAgree) {
  const auto tokenizer = load(sample::kCharacters);
  for (int size = 1; size < 80; ++size) {
    std::string text, merged;
    for (int i = 0; i < size; ++i) text += i % 3 == 2 ? "b" : "a";
    Encoding encoding;
    tokenizer->encode(text, encoding);
    for (std::size_t i = 1; i < encoding.ids.size(); ++i) merged += tokenizer->piece(encoding.ids[i]);
    EXPECT_EQ(merged, text);
    for (std::size_t i = 1; i + 1 < encoding.ids.size(); ++i) {
      EXPECT_FALSE(encoding.ids[i] == 1 && encoding.ids[i + 1] == 2) << size;
    }
  }
}

TEST(Tokenizer, AppendsToTheEncoding) {
  const auto tokenizer = load(sample::kWordPiece);
  Encoding encoding;
  tokenizer->encode("un", encoding);
  tokenizer->encode("a", encoding);
  EXPECT_EQ(encoding.ids, (std::vector<TokenId>{3, 12}));
  EXPECT_EQ(encoding.offsets, (std::vector<Span>{{0, 2}, {0, 1}}));
}

TEST(Tokenizer, InvalidUtf8CountsAsReplacement) {
  EXPECT_EQ(run(*load(sample::kUnigram),
                "a\xFF\xE6\xBC"
                "b"),
            "▁@0-1 a@0-1 <unk>@1-3 b@3-4");
}

// Rule: scores are read as Hugging Face reads them, one rounding more than the nearest double.
TEST(Tokenizer, ScoresAreRoundedLikeHuggingFace) {
  EXPECT_EQ(round_like_hugging_face(-7.2527995109558105), -72527995109558105.0 / 1e16);
  EXPECT_NE(round_like_hugging_face(-7.2527995109558105), -7.2527995109558105);
  for (const double exact : {0.0, -10.0, -3.625642776489258, 1e-7, 123456.0, -0.25, 1e300}) {
    EXPECT_DOUBLE_EQ(round_like_hugging_face(exact), exact);
  }
}

}  // namespace
}  // namespace kefu::text
