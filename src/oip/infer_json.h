#pragma once
// Inference requests and replies as HTTP bodies: JSON, or JSON followed by binary tensors (Triton's binary
// tensor extension).

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "oip/message.h"

namespace kefu::oip {

struct InferLimits {
  std::size_t max_elements = std::size_t{1} << 24;  // of a tensor
  std::size_t max_tensors = 256;
};

/// Reads a body whose first `json_bytes` bytes are JSON and whose rest are tensors; none: all of it is JSON.
/// Model and version are left empty, as they come with the path. kInvalidArgument names the tensor or member
/// at fault.
Result<InferRequest> read_infer_json(std::string_view body, std::optional<std::size_t> json_bytes,
                                     const InferLimits& limits);

/// A reply's body; json_bytes: length of its JSON if binary tensors follow.
struct InferBody {
  std::string bytes;
  std::optional<std::size_t> json_bytes;
};

/// Writes outputs in binary or as JSON, as the request's parameters binary_data_output and binary_data say.
/// kInvalidArgument: an output to go into JSON is FP16 or BF16, not finite, or BYTES that are not UTF-8.
Result<InferBody> write_infer_json(const InferReply& reply, const InferRequest& request);

}  // namespace kefu::oip
