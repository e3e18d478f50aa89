#include "serve/response_head.h"

#include <gmock/gmock.h>

namespace kefu::serve {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string head_of(const HttpResponse& response, unsigned minor, bool keep_alive) {
  std::string head = "of the response before";
  write_head(response, minor, keep_alive, head);
  return head;
}

TEST(ResponseHead, HoldsStatusFieldsAndLength) {
  HttpResponse response{429, "application/json", "{}", {{"Retry-After", "1"}}};
  const std::string head = head_of(response, 1, true);
  EXPECT_TRUE(head.starts_with("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n")) << head;
  EXPECT_THAT(head, HasSubstr("\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\nDate: "));
  EXPECT_THAT(head, HasSubstr(" GMT\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Connection")));
}

TEST(ResponseHead, SaysWhatBecomesOfTheConnection) {
  EXPECT_THAT(head_of({}, 1, false), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(head_of({}, 0, true), HasSubstr("\r\nConnection: keep-alive\r\n"));
  EXPECT_TRUE(head_of({}, 0, false).starts_with("HTTP/1.0 200 OK\r\n"));
}

TEST(ResponseHead, OfNotModifiedSaysNothingOfABody) {
  EXPECT_THAT(head_of({304, "text/html", "", {{"ETag", "\"1\""}}}, 1, true), Not(HasSubstr("\nContent-")));
}

}  // namespace
}  // namespace kefu::serve
