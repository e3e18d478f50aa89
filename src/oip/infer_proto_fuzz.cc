// Any bytes as a ModelInferRequest: read or refused, never more; what is read fits its shape.

#include <inference.pb.h>

#include "oip/infer_proto.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  inference::ModelInferRequest message;
  if (!message.ParseFromArray(data, static_cast<int>(size))) return 0;
  const auto request = kefu::oip::read_infer_proto(message, {});
  if (!request) return 0;
  for (const kefu::oip::Tensor& tensor : request->inputs) {
    const auto elements = kefu::oip::element_count(tensor.name, tensor.shape, std::size_t{1} << 24);
    if (!elements || !kefu::oip::check_data(tensor, *elements)) __builtin_trap();
  }
  kefu::oip::InferReply reply{request->model, request->version, request->id, request->parameters,
                              request->inputs};
  inference::ModelInferResponse response;
  kefu::oip::write_infer_proto(std::move(reply), response);
  return 0;
}
