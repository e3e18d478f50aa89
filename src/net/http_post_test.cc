#include "net/http_post.h"

#include <gtest/gtest.h>

namespace kefu::net {
namespace {

TEST(PostTarget, HasAPath) {
  const auto target = parse_post_target("https://collector.example:4318/v1/traces");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->url.text(), "https://collector.example:4318");
  EXPECT_EQ(target->path, "/v1/traces");
  EXPECT_EQ(parse_post_target("http://[::1]:80")->path, "/");
}

TEST(PostTarget, ThatIsNoneIsRefused) {
  for (const char* text :
       {"", "/", "//", "localhost:4317", "grpc://localhost:4317", "http://localhost/v1/traces"})
    EXPECT_FALSE(parse_post_target(text)) << text;
}

TEST(PostJson, ToNobodyFails) {
  const auto status = post_json(*parse_post_target("http://127.0.0.1:1/"), "{}", std::chrono::seconds(5));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUnavailable);
}

}  // namespace
}  // namespace kefu::net
