#include "serve/response_head.h"

#include <ctime>
#include <iterator>

#include <fmt/chrono.h>

#include "serve/error_reply.h"

namespace kefu::serve {
namespace {

/// The Date field (RFC 9110 §6.6.1), formatted once a second and thread.
const std::string& http_date() {
  thread_local std::time_t shown = 0;
  thread_local std::string date;
  if (const std::time_t now = std::time(nullptr); now != shown) {
    shown = now;
    date = fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(now));
  }
  return date;
}

void add(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

void write_head(const HttpResponse& response, unsigned minor, bool keep_alive, std::string& head) {
  head.clear();
  fmt::format_to(std::back_inserter(head), "HTTP/1.{} {} {}\r\n", minor, response.status,
                 reason_phrase(response.status));
  for (const auto& [name, value] : response.headers) add(head, name, value);
  add(head, "X-Content-Type-Options", "nosniff");
  add(head, "Date", http_date());
  if (keep_alive && minor == 0) add(head, "Connection", "keep-alive");
  if (!keep_alive) add(head, "Connection", "close");
  if (response.status != 304) {
    add(head, "Content-Type", response.content_type);
    fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", response.body.size());
  }
  head.append("\r\n");
}

}  // namespace kefu::serve
