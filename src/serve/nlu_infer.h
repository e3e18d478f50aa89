#pragma once
// An NLU model behind the Open Inference Protocol: texts in, intents, scores and slots out.

#include <functional>

#include "nlu/service.h"
#include "oip/message.h"
#include "oip/model_metadata.h"

namespace kefu::serve {

inline constexpr std::size_t kMaxInferRows = 8192;

/// Inputs: `text` BYTES [rows], optionally `language` BYTES [rows]; [rows, 1] is as good. Outputs: see the
/// source.
oip::ModelMetadata nlu_metadata(const nlu::ModelDescription& model);

/// Parses the rows of `text`, as NluService::parse() does. kInvalidArgument names the tensor at fault;
/// kOutOfRange: too many rows or too long a text.
void infer_nlu(nlu::NluService& service, const nlu::ModelDescription& model, const oip::InferRequest& request,
               std::size_t max_code_points, std::function<void(Result<oip::InferReply>)> done);

}  // namespace kefu::serve
