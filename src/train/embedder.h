#pragma once
// Runs the frozen encoder over a data set once: sentence vectors, and slot inputs where slots are learnt.

#include <functional>
#include <memory>
#include <vector>

#include "nlu/nlu_model.h"
#include "train/dataset.h"

namespace kefu::train {

struct Embedded {
  std::size_t hidden = 0;
  std::vector<float> vectors;         // [examples, hidden], of length 1
  std::vector<nlu::SlotInput> slots;  // per example; empty if not asked for
};

/// Texts longer than the encoder's window count by their first window. `progress(done, all)` is called
/// after each batch.
Result<Embedded> embed(const nlu::TextEncoder& encoder, const nlu::Gazetteer& gazetteer,
                       const std::vector<Example>& examples, bool with_slots,
                       const std::function<void(std::size_t, std::size_t)>& progress = {});

}  // namespace kefu::train
