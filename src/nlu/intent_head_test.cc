#include "nlu/intent_head.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/file.h"
#include "text/unicode.h"

namespace kefu::nlu {
namespace {

NgramHead head_knowing(std::u32string_view text) {
  NgramWeights ngrams(std::vector<float>(kNgramBuckets, 1.0F));
  std::vector<float> weights(kNgramBuckets * 2, 0.0F);
  for (const std::uint32_t bucket : ngram_buckets(text)) weights[bucket * 2 + 1] = 1;
  return NgramHead(std::move(ngrams), std::move(weights), {0.5F, 0.0F});
}

TEST(IntentHead, VectorLogitsAreTheProduct) {
  const VectorHead head({1, 2, 3, 4, 5, 6}, {10, 20});
  std::vector<float> logits(2, -1);
  head.logits(std::vector<float>{1, 0, -1}, logits);
  EXPECT_EQ(logits, (std::vector<float>{8, 18}));
}

TEST(IntentHead, NgramLogitsAreAdded) {
  const NgramHead head = head_knowing(U"refund");
  std::vector<float> known{1, 1};
  head.add_logits(U"Refund", known);
  EXPECT_FLOAT_EQ(known[0], 1.5F);
  EXPECT_NEAR(known[1], 1 + std::sqrt(static_cast<float>(ngram_buckets(U"refund").size())), 1e-4);
  std::vector<float> other{1, 1};
  head.add_logits(U"où", other);
  EXPECT_LT(other[1], 2.0F);
}

TEST(IntentHead, SoftmaxWithTemperature) {
  std::vector<float> logits{2, 0, -200};
  softmax(logits, 2);
  EXPECT_NEAR(logits[0], 0.731059F, 1e-6);
  EXPECT_NEAR(logits[0] + logits[1] + logits[2], 1, 1e-6);
  EXPECT_NEAR(log_sum_exp(std::vector<float>{1000, 1000}), 1000.693F, 1e-3);
}

TEST(IntentHead, WhatIsWrittenIsRead) {
  TensorFileWriter writer;
  VectorHead({1, 2, 3, 4}, {5, 6}).write(writer);
  head_knowing(U"refund").write(writer);
  const auto path = std::filesystem::temp_directory_path() / "kefu_intent_head_test.safetensors";
  ASSERT_TRUE(write_file(path, writer.finish()));
  const auto file = TensorFile::open(path);
  ASSERT_TRUE(file);
  const auto vectors = VectorHead::read(*file, 2, 2);
  const auto ngrams = NgramHead::read(*file, 2);
  ASSERT_TRUE(vectors && ngrams);
  std::vector<float> logits(2);
  vectors->logits(std::vector<float>{1, 1}, logits);
  EXPECT_EQ(logits, (std::vector<float>{8, 13}));
  ngrams->add_logits(U"refund", logits);
  EXPECT_GT(logits[1], 14);
  EXPECT_FALSE(VectorHead::read(*file, 3, 2));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kefu::nlu
