#pragma once
// From logits to confidences and an out-of-scope decision.

#include <vector>

#include "nlu/nlu_model.h"
#include "train/logistic.h"

namespace kefu::train {

/// Logits of in-scope texts by models that had not seen them, and of the known out-of-scope texts.
struct Logits {
  DenseRows inside;
  DenseRows outside;
};

/// Closeness of the same texts to in-scope and to known out-of-scope training texts.
struct Neighbors {
  std::vector<float> inside_to_inside;
  std::vector<float> inside_to_outside;
  std::vector<float> outside_to_inside;
  std::vector<float> outside_to_outside;
};

/// `inside` and `outside` are centred vectors of the in-scope and the known out-of-scope texts; an in-scope
/// text is not compared with its own fold.
Neighbors measure_neighbors(const DenseRows& inside, const DenseRows& outside,
                            const std::vector<std::uint32_t>& folds);

/// Temperature and scope rule for logits, the threshold keeping the share `kept` of in-scope texts; what was
/// measured goes into `details`.
nlu::Judgement fit_judgement(const Logits& logits, const std::vector<std::uint32_t>& labels,
                             const Neighbors& neighbors, double kept, Json& details);

}  // namespace kefu::train
