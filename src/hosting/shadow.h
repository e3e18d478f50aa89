#pragma once
// Requests that a canary answers too, unheard, so that its answers can be compared.

#include "hosting/model_table.h"

namespace kefu::hosting {

/// If the selection has a shadow, `done` first and then, if the request was answered, the shadow with a copy
/// of it, at its lowest priority; whether they agree goes to the shadow's record. Else `done`.
InferDone with_shadow(const Selection& chosen, const oip::InferRequest& request, InferDone done);

/// The same for texts; they agree if the intents do.
nlu::ParseDone with_shadow(const Selection& chosen, const std::vector<nlu::ParseRequest>& texts,
                           nlu::ParseDone done);

/// Whether two answers say the same: for a tensor of floats the same largest element, else equal bytes; of an
/// NLU model the intents alone.
bool agree(const oip::InferReply& a, const oip::InferReply& b);

}  // namespace kefu::hosting
