#pragma once
// One POST over HTTP.

#include <chrono>
#include <string>

#include "net/tls_settings.h"
#include "net/url.h"

namespace kefu::net {

/// Where a POST goes: "http://HOST:PORT/PATH", or "https:".
struct PostTarget {
  Url url{};
  std::string path = "/";
  TrustSettings trust{};
};

/// kInvalidArgument says what is wrong with it.
Result<PostTarget> parse_post_target(std::string_view text);

/// Sends JSON over a connection of its own and waits for the answer; its status. kUnavailable: nobody
/// answers; kDeadlineExceeded: not within `limit`, whatever takes so long; kInvalidArgument: a file of
/// `trust`.
Result<int> post_json(const PostTarget& target, std::string body, std::chrono::milliseconds limit);

}  // namespace kefu::net
