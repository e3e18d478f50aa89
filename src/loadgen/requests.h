#pragma once
// Requests as they go over the wire, made once before the load.

#include <string>
#include <string_view>

#include "net/url.h"

namespace kefu::loadgen {

/// {"text": …}, for POST /model/parse.
std::string parse_body(std::string_view text);

/// An inference request of the Open Inference Protocol with `text`, BYTES [1, 1], as JSON.
std::string infer_body(std::string_view text);

/// The same as a serialised inference.ModelInferRequest, the text in raw_input_contents.
std::string infer_message(std::string_view model, std::string_view text);

/// The path of a model's parse endpoint, of its infer endpoint. kInvalidArgument for a name that would have
/// to be escaped.
Result<std::string> parse_path(std::string_view model);
Result<std::string> infer_path(std::string_view model);

/// A POST of JSON, header and body. kInvalidArgument for a path that no request line can hold.
Result<std::string> http_request(const net::Url& url, std::string_view path, std::string_view body);

}  // namespace kefu::loadgen
