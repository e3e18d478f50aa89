#pragma once
// What every transport does with an inference request.

#include "hosting/model_table.h"

namespace kefu::hosting {

/// A selector that the parameters kefu_label and kefu_sticky_key, if they are there, complete; its views are
/// into them. kInvalidArgument: one is no string.
Result<Selector> with_parameters(Selector selector, const oip::Parameters& parameters);

/// Lets the chosen version answer the request as its reserved parameters say: `priority` (0: the default, 1:
/// the highest), `timeout` (microseconds in the queue), `classification` of outputs. kUnimplemented:
/// sequences. While a release is under way the reply says which, and the version's label.
void infer(const Selection& chosen, oip::InferRequest request, runtime::Call call, InferDone done);

}  // namespace kefu::hosting
