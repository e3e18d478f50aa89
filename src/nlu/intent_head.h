#pragma once
// Intent classification on a frozen sentence vector: multinomial logistic regression with a temperature.

#include <span>
#include <string>
#include <vector>

#include "base/tensor_file.h"

namespace kefu::nlu {

/// The name of an intent and the domain that serves it.
struct IntentLabel {
  std::string name;
  std::string domain;
};

/// Centres sentence vectors by the training mean and divides by one deviation: raw cosines of this encoder
/// family all lie close together, and only what differs from the mean tells texts apart.
struct Centering {
  std::vector<float> mean;
  float scale = 1;

  void apply(std::span<const float> vector, std::span<float> out) const;
};

/// Immutable after loading; any number of threads.
class IntentHead {
 public:
  IntentHead() = default;
  /// `weights` [intents, dimensions] row-major.
  IntentHead(std::vector<float> weights, std::vector<float> bias, float temperature);

  static Result<IntentHead> read(const TensorFile& file, std::size_t intents, std::size_t dimensions);
  void write(TensorFileWriter& file) const;

  std::size_t intents() const { return bias_.size(); }

  /// Uncalibrated scores, one an intent, of a centred vector.
  void logits(std::span<const float> centred, std::span<float> out) const;

  /// Softmax of logits / temperature, in place.
  void calibrate(std::span<float> logits) const;

 private:
  std::vector<float> weights_;
  std::vector<float> bias_;
  float temperature_ = 1;
};

/// log(sum(exp(values))) without overflow.
float log_sum_exp(std::span<const float> values);

}  // namespace kefu::nlu
