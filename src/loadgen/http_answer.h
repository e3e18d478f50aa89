#pragma once
// Reads an HTTP response of which only the status is wanted: nothing of it is kept.

#include <boost/beast/http/basic_parser.hpp>

namespace kefu::loadgen {

class HttpAnswer final : public boost::beast::http::basic_parser<false> {
 public:
  HttpAnswer() { body_limit(boost::none); }

  int status() const { return status_; }

 private:
  using Text = boost::beast::string_view;
  using ErrorCode = boost::beast::error_code;

  void on_request_impl(boost::beast::http::verb, Text, Text, int, ErrorCode&) override {}
  void on_response_impl(int code, Text, int, ErrorCode&) override { status_ = code; }
  void on_field_impl(boost::beast::http::field, Text, Text, ErrorCode&) override {}
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(Text body, ErrorCode&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, Text, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text body, ErrorCode&) override { return body.size(); }
  void on_finish_impl(ErrorCode&) override {}

  int status_ = 0;
};

}  // namespace kefu::loadgen
