#pragma once
// What every transport does with an inference request.

#include "hosting/served_model.h"

namespace kefu::hosting {

/// Lets the model answer the request as its reserved parameters say: `priority` (0: the default, 1: the
/// highest), `timeout` (microseconds in the queue), `classification` of outputs. kUnimplemented: sequences.
void infer(const ModelRef& model, oip::InferRequest request, runtime::Call call, const InferDone& done);

}  // namespace kefu::hosting
