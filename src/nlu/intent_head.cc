#include "nlu/intent_head.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

namespace kefu::nlu {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<float> copy(std::span<const float> values) {
  return {values.begin(), values.end()};
}

}  // namespace

void Centering::apply(std::span<const float> vector, std::span<float> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (vector[i] - mean[i]) / scale;
}

VectorHead::VectorHead(std::vector<float> weights, std::vector<float> bias)
    : weights_(std::move(weights)), bias_(std::move(bias)) {}

Result<VectorHead> VectorHead::read(const TensorFile& file, std::size_t intents, std::size_t dimensions) {
  KEFU_ASSIGN(const auto weights, file.get<float>("intent.weights", {intents, dimensions}));
  KEFU_ASSIGN(const auto bias, file.get<float>("intent.bias", {intents}));
  return VectorHead(copy(weights), copy(bias));
}

void VectorHead::write(TensorFileWriter& file) const {
  file.add("intent.weights", {bias_.size(), weights_.size() / bias_.size()}, weights_);
  file.add("intent.bias", {bias_.size()}, bias_);
}

void VectorHead::logits(std::span<const float> centred, std::span<float> out) const {
  const auto rows = static_cast<Eigen::Index>(bias_.size());
  const auto columns = static_cast<Eigen::Index>(centred.size());
  Eigen::Map<Eigen::VectorXf> result(out.data(), rows);
  result = Eigen::Map<const Eigen::VectorXf>(bias_.data(), rows);
  result.noalias() += Eigen::Map<const RowMatrix>(weights_.data(), rows, columns) *
                      Eigen::Map<const Eigen::VectorXf>(centred.data(), columns);
}

NgramHead::NgramHead(NgramWeights ngrams, std::span<const float> weights, std::vector<float> bias)
    : ngrams_(std::move(ngrams)), weights_(weights, bias.size()), bias_(std::move(bias)) {}

Result<NgramHead> NgramHead::read(const TensorFile& file, std::size_t intents) {
  NgramHead head;
  KEFU_ASSIGN(const auto idf, file.get<float>("ngrams.idf", {kNgramBuckets}));
  KEFU_ASSIGN(head.weights_, ByteMatrix::read(file, "ngrams.weights", intents));
  KEFU_ASSIGN(const auto bias, file.get<float>("ngrams.bias", {intents}));
  if (head.weights_.rows() != kNgramBuckets) {
    return fail(Code::kDataLoss, "ngrams.weights has {} rows, not {}; train the model again",
                head.weights_.rows(), kNgramBuckets);
  }
  head.ngrams_ = NgramWeights(copy(idf));
  head.bias_ = copy(bias);
  return head;
}

void NgramHead::write(TensorFileWriter& file) const {
  file.add("ngrams.idf", {kNgramBuckets}, ngrams_.idf());
  weights_.write(file, "ngrams.weights");
  file.add("ngrams.bias", {bias_.size()}, bias_);
}

void NgramHead::add_logits(std::u32string_view text, std::span<float> out) const {
  std::vector<std::uint32_t> buckets = ngram_buckets(text);
  for (const std::uint32_t bucket : buckets) weights_.prefetch(bucket);
  const SparseVector vector = ngrams_.apply(std::move(buckets));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += bias_[i];
  weights_.add_rows(vector.index, vector.value, out);
}

float log_sum_exp(std::span<const float> values) {
  const Eigen::Map<const Eigen::ArrayXf> array(values.data(), std::ssize(values));
  const float most = array.maxCoeff();
  return most + std::log((array - most).exp().sum());
}

void softmax(std::span<float> logits, float temperature) {
  Eigen::Map<Eigen::ArrayXf> array(logits.data(), std::ssize(logits));
  array /= temperature;
  array = (array - log_sum_exp(logits)).exp();
}

}  // namespace kefu::nlu
