// A backend for Triton's core (tritonbackend.h) whose models answer their first input as OUTPUT0.
#include <cstring>

#include "triton/core/tritonbackend.h"

namespace {

TRITONSERVER_Error* answer(TRITONBACKEND_Request* request, TRITONBACKEND_Response* response) {
  TRITONBACKEND_Input* input = nullptr;
  const char* name = nullptr;
  TRITONSERVER_DataType type = TRITONSERVER_TYPE_INVALID;
  const int64_t* shape = nullptr;
  uint32_t rank = 0, buffers = 0;
  uint64_t bytes = 0;
  if (auto* error = TRITONBACKEND_RequestInputByIndex(request, 0, &input)) return error;
  if (auto* error = TRITONBACKEND_InputProperties(input, &name, &type, &shape, &rank, &bytes, &buffers))
    return error;
  TRITONBACKEND_Output* output = nullptr;
  if (auto* error = TRITONBACKEND_ResponseOutput(response, &output, "OUTPUT0", type, shape, rank))
    return error;
  void* out = nullptr;
  TRITONSERVER_MemoryType memory = TRITONSERVER_MEMORY_CPU;
  int64_t id = 0;
  if (auto* error = TRITONBACKEND_OutputBuffer(output, &out, bytes, &memory, &id)) return error;
  for (uint32_t i = 0; i < buffers; ++i) {
    const void* in = nullptr;
    uint64_t part = 0;
    if (auto* error = TRITONBACKEND_InputBuffer(input, i, &in, &part, &memory, &id)) return error;
    std::memcpy(out, in, part);
    out = static_cast<char*>(out) + part;
  }
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) TRITONSERVER_Error* TRITONBACKEND_ModelInstanceExecute(
    TRITONBACKEND_ModelInstance* /*instance*/, TRITONBACKEND_Request** requests, const uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    TRITONBACKEND_Response* response = nullptr;
    if (auto* error = TRITONBACKEND_ResponseNew(&response, requests[i])) return error;
    TRITONSERVER_Error* outcome = answer(requests[i], response);
    TRITONBACKEND_ResponseSend(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL, outcome);
    TRITONBACKEND_RequestRelease(requests[i], TRITONSERVER_REQUEST_RELEASE_ALL);
  }
  return nullptr;
}
