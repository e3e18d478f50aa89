#include "loadgen/requests.h"

#include <algorithm>

#include "base/json_write.h"
#include "inference.pb.h"

namespace kefu::loadgen {
namespace {

Result<void> check_model(std::string_view model) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_';
  };
  if (!model.empty() && std::ranges::all_of(model, is_plain)) return {};
  return fail(Code::kInvalidArgument, "--model \"{}\" may have letters, digits, '.', '-' and '_' only",
              model);
}

}  // namespace

std::string parse_body(std::string_view text) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  write_member(json, "text", text);
  json.EndObject();
  return written.str();
}

std::string infer_body(std::string_view text) {
  JsonText written;
  JsonWriter& json = written.json();
  write_string(json, text);
  return fmt::format(R"({{"inputs":[{{"name":"text","datatype":"BYTES","shape":[1,1],"data":[{}]}}]}})",
                     written.view());
}

std::string infer_message(std::string_view model, std::string_view text) {
  inference::ModelInferRequest message;
  message.set_model_name(std::string(model));
  auto& input = *message.add_inputs();
  input.set_name("text");
  input.set_datatype("BYTES");
  input.add_shape(1);
  input.add_shape(1);
  std::string& raw =
      *message.add_raw_input_contents();  // the size in four bytes, little-endian, then the bytes
  for (unsigned shift = 0; shift < 32; shift += 8) raw += static_cast<char>(text.size() >> shift & 0xFFU);
  raw += text;
  return message.SerializeAsString();
}

Result<std::string> parse_path(std::string_view model) {
  KEFU_CHECK(check_model(model));
  if (model == "default") return std::string("/model/parse");
  return fmt::format("/model/parse?model={}", model);
}

Result<std::string> infer_path(std::string_view model) {
  KEFU_CHECK(check_model(model));
  return fmt::format("/v2/models/{}/infer", model);
}

Result<std::string> http_request(const net::Url& url, std::string_view path, std::string_view body) {
  const bool is_plain = std::ranges::all_of(path, [](char c) { return c > ' ' && c < 0x7F; });
  if (!path.starts_with('/') || !is_plain) {
    return fail(Code::kInvalidArgument,
                "--path \"{}\" must begin with '/' and have neither spaces nor other than ASCII characters",
                path);
  }
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: kefu-bench\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\n\r\n{}",
      path, url.authority(), body.size(), body);
}

}  // namespace kefu::loadgen
