#pragma once
// An NLU model behind the Open Inference Protocol.

#include "hosting/served_model.h"

namespace kefu::hosting {

/// Inputs: `text` BYTES [rows, 1], optionally `language` BYTES [rows, 1]; [rows] is as good. Outputs: see the
/// source.
oip::ModelMetadata nlu_metadata(const std::string& name, const std::string& version, std::size_t intents);

/// Parses the rows of `text`, as ServedModel::parse() does. kInvalidArgument names the tensor at fault;
/// kOutOfRange: too many rows or too long a text.
void infer_nlu(ServedModel& model, const oip::InferRequest& request, std::size_t max_code_points,
               const runtime::Call& call, InferDone done);

}  // namespace kefu::hosting
