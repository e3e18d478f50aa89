#pragma once
// Trains what judges a text's intent: vector head, n-gram head, calibration, out-of-scope decision.

#include "nlu/nlu_model.h"
#include "train/dataset.h"
#include "train/embedder.h"

namespace kefu::train {

struct IntentTrainerSettings {
  std::uint64_t seed = 1;
  std::uint32_t folds = 5;
  double kept = 0.97;  // share of in-scope texts the out-of-scope threshold keeps
};

/// Fills everything of `heads` but the slots; returns what was chosen and measured, for the manifest.
/// Deterministic. kInvalidArgument if the data has fewer than two intents.
Result<Json> train_intents(const Dataset& data, const Embedded& embedded,
                           const IntentTrainerSettings& settings, nlu::Heads& heads);

}  // namespace kefu::train
