#include "serve/embeddings_request.h"

#include <gtest/gtest.h>

namespace kefu::serve {
namespace {

constexpr std::size_t kMaxCodePoints = 8;

TEST(EmbeddingsRequest, ATextOrAListOfThem) {
  const auto one = read_embeddings_request(R"({"input":"你好","model":"shop","user":"u1"})", kMaxCodePoints);
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->texts, std::vector<std::string>{"你好"});
  EXPECT_EQ(one->model, "shop");
  EXPECT_FALSE(one->as_base64);
  const auto two = read_embeddings_request(
      R"({"encoding_format":"base64","input":["a","b"],"dimensions":null})", kMaxCodePoints);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->texts, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(two->as_base64);
}

TEST(EmbeddingsRequest, WhatIsWrongIsSaid) {
  struct Row {
    const char* body;
    Code code;
    const char* complaint;
  };
  for (const Row& row : {
           Row{"[]", Code::kInvalidArgument, "JSON object"},
           Row{"{}", Code::kInvalidArgument, "no \"input\""},
           Row{R"({"input":""})", Code::kInvalidArgument, "is empty"},
           Row{R"({"input":[]})", Code::kInvalidArgument, "empty list"},
           Row{R"({"input":["a",""]})", Code::kInvalidArgument, "\"input\"[1] is empty"},
           Row{R"({"input":[1,2]})", Code::kInvalidArgument, "token ids"},
           Row{R"({"input":null})", Code::kInvalidArgument, "must be text"},
           Row{R"({"input":"123456789"})", Code::kOutOfRange, "8"},
           Row{R"({"input":"a","model":5})", Code::kInvalidArgument, "\"model\""},
           Row{R"({"input":"a","encoding_format":"int8"})", Code::kInvalidArgument, "encoding_format"},
           Row{R"({"input":"a","dimensions":64})", Code::kInvalidArgument, "dimensions"},
       }) {
    const auto request = read_embeddings_request(row.body, kMaxCodePoints);
    ASSERT_FALSE(request) << row.body;
    EXPECT_EQ(request.error().code, row.code) << row.body;
    EXPECT_NE(request.error().message.find(row.complaint), std::string::npos) << request.error().message;
  }
}

TEST(EmbeddingsRequest, AtMost2048Texts) {
  std::string texts = "\"a\"";
  for (int i = 1; i < 2048; ++i) texts += ",\"a\"";
  EXPECT_TRUE(read_embeddings_request("{\"input\":[" + texts + "]}", kMaxCodePoints));
  const auto more = read_embeddings_request("{\"input\":[" + texts + ",\"a\"]}", kMaxCodePoints);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::kOutOfRange);
}

}  // namespace
}  // namespace kefu::serve
