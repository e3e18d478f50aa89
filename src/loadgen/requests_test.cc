#include "loadgen/requests.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "inference.pb.h"
#include "loadgen/texts.h"

namespace kefu::loadgen {
namespace {

constexpr std::string_view kOdd = "say \"hi\"\t\\ 你好";

TEST(Requests, BodiesHoldTheText) {
  EXPECT_EQ(Json::parse(parse_body(kOdd)), (Json{{"text", kOdd}}));
  const Json infer = Json::parse(infer_body(kOdd));
  EXPECT_EQ(infer["inputs"].size(), 1U);
  EXPECT_EQ(infer["inputs"][0],
            (Json{{"name", "text"}, {"datatype", "BYTES"}, {"shape", {1, 1}}, {"data", {kOdd}}}));
}

TEST(Requests, MessageHoldsTheTextAsRawContents) {
  inference::ModelInferRequest message;
  ASSERT_TRUE(message.ParseFromString(infer_message("shop", std::string(300, 'x'))));
  EXPECT_EQ(message.model_name(), "shop");
  EXPECT_EQ(message.inputs(0).name(), "text");
  EXPECT_EQ(message.inputs(0).datatype(), "BYTES");
  EXPECT_EQ(message.raw_input_contents(0), std::string("\x2C\x01\0\0", 4) + std::string(300, 'x'));
}

TEST(Requests, WholeRequest) {
  const net::Url url{.is_grpc = false, .host = "::1", .port = 80};
  EXPECT_EQ(
      http_request(url, "/a?b", "{}").value(),
      "POST /a?b HTTP/1.1\r\nHost: [::1]:80\r\nUser-Agent: kefu-bench\r\nContent-Type: application/json\r\n"
      "Content-Length: 2\r\n\r\n{}");
  for (const char* path : {"", "a", "/a b", "/a\r\nX: y", "/你"})
    EXPECT_FALSE(http_request(url, path, "")) << path;
}

TEST(Requests, PathsOfModels) {
  EXPECT_EQ(parse_path("default").value(), "/model/parse");
  EXPECT_EQ(parse_path("shop-2").value(), "/model/parse?model=shop-2");
  EXPECT_EQ(infer_path("default").value(), "/v2/models/default/infer");
  for (const char* model : {"", "a/b", "a b", "a&b", "a\r\nb"}) {
    EXPECT_FALSE(parse_path(model)) << model;
    EXPECT_FALSE(infer_path(model)) << model;
  }
}

TEST(Texts, OneALine) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(split_texts("a\n\nb c\r\n\r\n 你", "f").value(), (Texts{"a", "b c", " 你"}));
  EXPECT_EQ(split_texts("a\n", "f").value(), (Texts{"a"}));
  for (const char* nothing : {"", "\n", "\r\n\n"}) {
    const auto texts = split_texts(nothing, "f.txt");
    ASSERT_FALSE(texts);
    EXPECT_EQ(texts.error().message, "f.txt has no texts; write one message a line");
  }
  const auto texts = split_texts("a\n\xFF\n", "f.txt");
  ASSERT_FALSE(texts);
  EXPECT_EQ(texts.error().message, "f.txt:2: the line is not UTF-8; convert the file");
}

TEST(Texts, LengthsAreInBytes) {
  const Histogram lengths = text_lengths({"a", "你好", "abc"});
  EXPECT_EQ(lengths.count(), 3U);
  EXPECT_EQ(lengths.quantile(0.5), 3U);
  EXPECT_EQ(lengths.max(), 6U);
}

}  // namespace
}  // namespace kefu::loadgen
