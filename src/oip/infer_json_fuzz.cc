// libFuzzer: any bytes are either a request whose tensors hold what they say, or an error with a message. The
// first two bytes choose how much of the rest is JSON.

#include <cstdint>
#include <cstdlib>

#include "oip/infer_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t chosen = data[0] + 256U * data[1];
  std::optional<std::size_t> json_bytes;
  if (chosen != 0) json_bytes = chosen - 1;
  const kefu::oip::InferLimits limits{.max_elements = 1000, .max_tensors = 4};
  const auto request = kefu::oip::read_infer_json(body, json_bytes, limits);
  if (!request.has_value()) {
    if (request.error().message.empty()) std::abort();
    return 0;
  }
  kefu::oip::InferReply reply;
  for (const kefu::oip::Tensor& input : request->inputs) {
    const auto elements = kefu::oip::element_count(input.name, input.shape, limits.max_elements);
    if (!elements.has_value() || !kefu::oip::check_data(input, *elements).has_value()) std::abort();
    reply.outputs.push_back(input);
  }
  (void)kefu::oip::write_infer_json(reply, *request);
  return 0;
}
