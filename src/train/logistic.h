#pragma once
// Multinomial logistic regression on dense vectors, by L-BFGS.

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace kefu::train {

/// Vectors [n, dimensions] row-major with a class each; borrowed.
struct LabelledVectors {
  std::span<const float> vectors;
  std::span<const std::uint32_t> labels;
  std::size_t dimensions = 0;
  std::size_t classes = 0;

  std::size_t size() const { return labels.size(); }
};

/// Weights [classes, dimensions] and biases.
struct LogisticModel {
  std::vector<float> weights;
  std::vector<float> bias;
};

/// Minimises C * sum of cross-entropies + |weights|^2 / 2, starting at `start` if it is not empty.
/// Deterministic.
LogisticModel fit_logistic(const LabelledVectors& data, double c, const LogisticModel& start = {});

/// Logits [n, classes].
std::vector<float> predict_logits(const LogisticModel& model, std::span<const float> vectors,
                                  std::size_t dimensions);

/// A fold for each example, stratified by class and shuffled by `seed`.
std::vector<std::uint32_t> make_folds(std::span<const std::uint32_t> labels, std::size_t classes,
                                      std::uint32_t folds, std::uint64_t seed);

/// Cross-validation over `grid`: the strength with the least held-out loss and its held-out logits.
struct CrossValidation {
  double c = 1;
  double accuracy = 0;
  std::vector<float> logits;  // [n, classes], each row by a model that has not seen it
};
CrossValidation cross_validate(const LabelledVectors& data, std::span<const std::uint32_t> folds,
                               std::span<const double> grid);

/// The temperature that minimises the cross-entropy of logits / temperature.
double fit_temperature(std::span<const float> logits, std::span<const std::uint32_t> labels,
                       std::size_t classes);

}  // namespace kefu::train
