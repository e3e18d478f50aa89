#include "serve/request_head.h"

#include <algorithm>

namespace kefu::serve {
namespace {

namespace http = boost::beast::http;

std::string copy(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

/// Where the fields go that endpoints read.
struct FieldRow {
  std::string_view name;
  std::string HttpRequest::* member;
  bool is_list = false;  // of several fields the values are joined (RFC 9110 §5.3); else the first counts
};
constexpr FieldRow kFields[] = {
    {"x-request-id", &HttpRequest::id},
    {"content-type", &HttpRequest::content_type},
    {"content-encoding", &HttpRequest::content_encoding},
    {"accept", &HttpRequest::accept},
    {"accept-encoding", &HttpRequest::accept_encoding},
    {"if-none-match", &HttpRequest::if_none_match},
    {"inference-header-content-length", &HttpRequest::inference_header_length},
    {"kefu-timeout-ms", &HttpRequest::timeout_ms},
    {"authorization", &HttpRequest::authorization},
    {"kefu-label", &HttpRequest::label},
    {"kefu-sticky-key", &HttpRequest::sticky_key},
    {"traceparent", &HttpRequest::traceparent, true},  // of two none counts: with a comma it is not valid
    {"tracestate", &HttpRequest::tracestate, true},
};

void read_field(boost::beast::string_view name, boost::beast::string_view value, HttpRequest& request) {
  for (const FieldRow& row : kFields) {
    if (row.name.size() != name.size() || !boost::beast::iequals(name, {row.name.data(), row.name.size()}))
      continue;
    std::string& member = request.*row.member;
    if (member.empty()) {
      member.assign(value.data(), value.size());
    } else if (row.is_list) {
      member.append(",").append(value.data(), value.size());
    }
    return;
  }
}

}  // namespace

HttpRequest read_head(const http::request_header<RequestFields>& message) {
  HttpRequest request;
  const std::string_view target(message.target().data(), message.target().size());
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.method = copy(message.method_string());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  for (const auto& field : message) read_field(field.name_string(), field.value(), request);
  const auto origin = message[http::field::origin];
  request.is_cross_origin = !origin.empty() && origin != "http://" + copy(message[http::field::host]) &&
                            origin != "https://" + copy(message[http::field::host]);
  return request;
}

}  // namespace kefu::serve
