#pragma once
// Inference requests and replies as gRPC messages.

#include "oip/infer_json.h"
#include "oip/message.h"

namespace inference {
class ModelInferRequest;
class ModelInferResponse;
}  // namespace inference

namespace kefu::oip {

/// Takes the tensors out of `message`. Data is raw for all inputs or typed `contents` for all; a mix is
/// refused. kInvalidArgument names the tensor at fault.
Result<InferRequest> read_infer_proto(inference::ModelInferRequest& message, const InferLimits& limits);

/// Outputs travel raw.
void write_infer_proto(InferReply reply, inference::ModelInferResponse& message);

}  // namespace kefu::oip
