#include "serve/request_head.h"

#include <gtest/gtest.h>

namespace kefu::serve {
namespace {

namespace http = boost::beast::http;
using Message = http::request_header<RequestFields>;

Message message_to(const char* target) {
  Message message;
  message.method(http::verb::post);
  message.target(target);
  return message;
}

TEST(RequestHead, HasMethodPathAndQuery) {
  const HttpRequest request = read_head(message_to("/model/parse?model=a&b=?"));
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/model/parse");
  EXPECT_EQ(request.query, "model=a&b=?");
  EXPECT_EQ(read_head(message_to("/v2")).query, "");
}

TEST(RequestHead, HasTheFieldsThatEndpointsRead) {
  Message message = message_to("/");
  message.insert("x-request-ID", "7");
  message.insert("Content-Type", "application/json");
  message.insert("KEFU-TIMEOUT-MS", "50");
  message.insert("X-Other", "none");
  const HttpRequest request = read_head(message);
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.timeout_ms, "50");
}

TEST(RequestHead, OfAFieldThatComesTwiceTheFirstCountsOrBothDo) {
  Message message = message_to("/");
  for (const char* value : {"a", "b"}) {
    message.insert("Kefu-Label", value);
    message.insert("tracestate", value);
  }
  EXPECT_EQ(read_head(message).label, "a");
  EXPECT_EQ(read_head(message).tracestate, "a,b");
}

TEST(RequestHead, KnowsPagesOfOtherOrigins) {
  Message message = message_to("/");
  message.set(http::field::host, "shop.example:8080");
  EXPECT_FALSE(read_head(message).is_cross_origin);
  for (const char* own : {"http://shop.example:8080", "https://shop.example:8080"}) {
    message.set(http::field::origin, own);
    EXPECT_FALSE(read_head(message).is_cross_origin) << own;
  }
  message.set(http::field::origin, "http://evil.example");
  EXPECT_TRUE(read_head(message).is_cross_origin);
}

}  // namespace
}  // namespace kefu::serve
