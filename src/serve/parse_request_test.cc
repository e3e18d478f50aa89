#include "serve/parse_request.h"

#include <gtest/gtest.h>

namespace kefu::serve {
namespace {

constexpr std::size_t kLimit = 32'000;

TEST(ParseRequest, Accepts) {
  struct Row {
    const char* body;
    const char* text;
    const char* language;
  };
  const Row rows[] = {
      {R"({"text":"hi"})", "hi", ""},
      {R"({"text":""})", "", ""},
      {R"({"text":"  \n"})", "  \n", ""},
      {R"({"text":"查询我的套餐剩余流量","language":"zh"})", "查询我的套餐剩余流量", "zh"},
      {R"({"text":"\u00bfPuedo?","language":"es-MX","message_id":7})", "¿Puedo?", "es"},
      {R"({"text":"\ud83d\ude00","language":null,"x":{"y":[1,2,{}]}})", "😀", ""},
      {R"( {"language":"PT_br","text":"a"} )", "a", "pt"},
      {R"({"text":"a","text":"b","language":""})", "b", ""},
  };
  for (const Row& row : rows) {
    const auto request = read_parse_request(row.body, kLimit);
    ASSERT_TRUE(request.has_value()) << row.body << ": " << request.error().message;
    EXPECT_EQ(request->text, row.text);
    EXPECT_EQ(request->language, row.language);
  }
}

TEST(ParseRequest, RefusesNamingTheFault) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> rows[] = {
      {"", "empty"},
      {"  ", "empty"},
      {"{", "not valid JSON"},
      {"hello", "not valid JSON"},
      {R"({"text":"a"} x)", "not valid JSON"},
      {R"({"text":"a","b":[1,,2]})", "not valid JSON"},
      {R"(["a"])", "must be a JSON object, not an array"},
      {R"("a")", "must be a JSON object, not a string"},
      {R"({})", "no \"text\""},
      {R"({"text":5})", "\"text\" must be a string, not a number"},
      {R"({"text":null})", "not null"},
      {R"({"text":["a"]})", "not an array"},
      {R"({"text":"a","language":1})", "\"language\" must be a string"},
      {R"({"text":"a","language":"Spanish"})", "ISO 639"},
      {R"({"text":"a","language":"-"})", "ISO 639"},
      {R"({"text":"a\u0000b"})", "U+0000"},
      {"{\"text\":\"a\0b\"}"s, "NUL byte at offset 10"},
      {"{\"text\":\"\xff\"}", "UTF-8"},
      {"{\"text\":\"\xed\xa0\x80\"}", "UTF-8"},
      {R"({"text":"\ud800"})", "escape"},
      {R"({"text":"a","x":)" + std::string(1000, '[') + std::string(1000, ']') + "}", "deeper than 64"},
      {std::string(100'000, '['), "not valid JSON"},
  };
  for (const auto& [body, part] : rows) {
    const auto request = read_parse_request(body, kLimit);
    ASSERT_FALSE(request.has_value()) << body;
    EXPECT_EQ(request.error().code, Code::kInvalidArgument) << body;
    EXPECT_NE(request.error().message.find(part), std::string::npos) << request.error().message;
  }
}

TEST(ParseRequest, DepthLimitOutlivesLargeBodies) {
  ASSERT_TRUE(read_parse_request(R"({"text":")" + std::string(31'000, 'a') + "\"}", kLimit).has_value());
  const std::string deep = R"({"text":"a","x":)" + std::string(40'000, '[') + std::string(40'000, ']') + "}";
  for (int i = 0; i < 2; ++i) {
    const auto request = read_parse_request(deep, kLimit);
    ASSERT_FALSE(request.has_value());
    EXPECT_NE(request.error().message.find("deeper"), std::string::npos) << request.error().message;
  }
}

TEST(ParseRequest, CountsCodePointsNotBytes) {
  const auto body = [](std::size_t count) {
    std::string text = R"({"text":")";
    for (std::size_t i = 0; i < count; ++i) text += "流";
    return text + "\"}";
  };
  EXPECT_TRUE(read_parse_request(body(kLimit), kLimit).has_value());
  const auto request = read_parse_request(body(kLimit + 1), kLimit);
  ASSERT_FALSE(request.has_value());
  EXPECT_EQ(request.error().code, Code::kOutOfRange);
  EXPECT_NE(request.error().message.find("32001"), std::string::npos);
  EXPECT_NE(request.error().message.find("32000"), std::string::npos);
}

}  // namespace
}  // namespace kefu::serve
