#pragma once
// Trains the slot tagger: conditional log-likelihood by Adam over mini-batches.

#include <cstdint>
#include <functional>
#include <vector>

#include "nlu/slot_head.h"

namespace kefu::train {

/// A text with the right tag of each unit.
struct TaggedText {
  nlu::SlotInput input;
  std::vector<std::size_t> tags;
};

struct SlotTrainerSettings {
  std::size_t slot_types = 0;
  std::size_t hidden = 0;
  std::size_t epochs = 10;         // or more, until there are least_steps
  std::size_t least_steps = 2500;  // of the optimiser: a few texts are few steps an epoch
  std::size_t batch = 32;
  float learning_rate = 0.003F;
  float lexical_rate = 5;  // times learning_rate: one feature must keep up with hundreds of dense inputs
  float decay = 0.01F;     // decoupled weight decay (Loshchilov & Hutter 2019) of dense and lexical weights
  float dropout = 0.15F;   // of dense inputs
  std::uint32_t least_count = 2;  // lexical features seen less often are left out
  std::uint64_t seed = 1;
};

/// Deterministic for a seed. `progress(epochs done, all epochs, mean loss)` is called after each epoch.
nlu::SlotWeights train_slots(const std::vector<TaggedText>& texts, const SlotTrainerSettings& settings,
                             const std::function<void(std::size_t, std::size_t, double)>& progress = {});

}  // namespace kefu::train
