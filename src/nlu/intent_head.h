#pragma once
// Intent classification: two multinomial logistic regressions, one on a frozen sentence vector, one on
// character n-grams, whose logits are added. Vectors know what words mean in any language; n-grams know the
// very words of the training texts, which small encoders blur.

#include <span>
#include <string>
#include <vector>

#include "base/tensor_file.h"
#include "nlu/byte_matrix.h"
#include "nlu/ngram_features.h"

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
class VectorHead {
 public:
  VectorHead() = default;
  /// `weights` [intents, dimensions] row-major.
  VectorHead(std::vector<float> weights, std::vector<float> bias);

  static Result<VectorHead> read(const TensorFile& file, std::size_t intents, std::size_t dimensions);
  void write(TensorFileWriter& file) const;

  /// Sets one logit an intent from a centred vector.
  void logits(std::span<const float> centred, std::span<float> out) const;

 private:
  std::vector<float> weights_;
  std::vector<float> bias_;
};

/// Immutable after loading; any number of threads.
class NgramHead {
 public:
  NgramHead() = default;
  /// `weights` [kNgramBuckets, intents] row-major.
  NgramHead(NgramWeights ngrams, std::span<const float> weights, std::vector<float> bias);

  static Result<NgramHead> read(const TensorFile& file, std::size_t intents);
  void write(TensorFileWriter& file) const;

  /// Adds the text's logits to `out`.
  void add_logits(std::u32string_view text, std::span<float> out) const;

 private:
  NgramWeights ngrams_;
  ByteMatrix weights_;  // [buckets, intents]: read row by row all over memory
  std::vector<float> bias_;
};

/// log(sum(exp(values))) without overflow.
float log_sum_exp(std::span<const float> values);

/// Softmax of logits / temperature, in place.
void softmax(std::span<float> logits, float temperature);

}  // namespace kefu::nlu
