#include "serve/embeddings_reply.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace kefu::serve {
namespace {

TEST(EmbeddingsReply, HasOpenAisShape) {
  const nlu::Embeddings embeddings{{{0.5F, -1.0F}, {0.1F, 1e-9F}}, 7};
  const Json reply = Json::parse(write_embeddings_reply(embeddings, "shop", false));
  EXPECT_EQ(reply["object"], "list");
  EXPECT_EQ(reply["model"], "shop");
  EXPECT_EQ(reply["usage"], (Json{{"prompt_tokens", 7}, {"total_tokens", 7}}));
  ASSERT_EQ(reply["data"].size(), 2U);
  EXPECT_EQ(reply["data"][0], (Json{{"object", "embedding"}, {"index", 0}, {"embedding", {0.5, -1.0}}}));
  EXPECT_EQ(reply["data"][1]["index"], 1);
  EXPECT_EQ(reply["data"][1]["embedding"].get<std::vector<float>>(), embeddings.vectors[1]);
}

TEST(EmbeddingsReply, Base64IsLittleEndianFp32) {
  const Json reply = Json::parse(write_embeddings_reply({{{1.0F, -2.0F}}, 1}, "shop", true));
  EXPECT_EQ(reply["data"][0]["embedding"], "AACAPwAAAMA=");  // 00 00 80 3f 00 00 00 c0
}

}  // namespace
}  // namespace kefu::serve
