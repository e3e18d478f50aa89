#pragma once
// Trains the heads of an NLU package on a frozen encoder.

#include <functional>
#include <string>

#include "nlu/nlu_model.h"
#include "train/dataset.h"
#include "train/intent_trainer.h"

namespace kefu::train {

/// Raise it with every change that makes other heads of the same data: `--if-changed` then trains again.
inline constexpr int kRevision = 3;

struct TrainSettings {
  IntentTrainerSettings intents;
};

struct Trained {
  nlu::Heads heads;
  Json details;  // for the manifest: counts, strength, held-out accuracy, out-of-scope method
};

/// Deterministic for data, settings and encoder. `progress(phase, done, all)`. kInvalidArgument if there
/// are fewer than two intents.
Result<Trained> train_heads(const nlu::TextEncoder& encoder, const Dataset& data,
                            const TrainSettings& settings,
                            const std::function<void(std::string_view, std::size_t, std::size_t)>& progress);

/// The slot types of a data set, sorted, and the tag of each unit of an example. kInvalidArgument naming the
/// example if a span does not begin and end at units.
std::vector<nlu::SlotType> slot_types(const Dataset& data);
Result<std::vector<std::size_t>> tag_units(const Example& example, const std::vector<text::Unit>& units,
                                           const std::vector<nlu::SlotType>& types);

}  // namespace kefu::train
