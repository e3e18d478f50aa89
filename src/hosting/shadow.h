#pragma once
// Requests that a second version answers too, unheard, so that the answers can be compared.

#include "hosting/model_table.h"

namespace kefu::hosting {

/// If the selection has a shadow, `done` first and then, if the request was answered, the shadow with a copy
/// of it, at its lowest priority; whether they agree goes to the canary's record, whichever of the two that
/// is. Else `done`.
InferDone with_shadow(const Selection& chosen, const oip::InferRequest& request, InferDone done);

/// The same for texts, each of which agrees if its intents do.
nlu::ParseDone with_shadow(const Selection& chosen, const std::vector<nlu::ParseRequest>& texts,
                           nlu::ParseDone done);

struct Agreement {
  std::uint64_t agreed = 0;
  std::uint64_t differed = 0;

  bool operator==(const Agreement&) const = default;
};

/// Of an NLU model's answers, how many texts have the same intent; else whether the two say the same: for
/// a tensor of floats the same largest element, for others equal bytes.
Agreement compare(const oip::InferReply& a, const oip::InferReply& b);

}  // namespace kefu::hosting
