#include "nlu/intent_head.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

namespace kefu::nlu {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

void Centering::apply(std::span<const float> vector, std::span<float> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (vector[i] - mean[i]) / scale;
}

IntentHead::IntentHead(std::vector<float> weights, std::vector<float> bias, float temperature)
    : weights_(std::move(weights)), bias_(std::move(bias)), temperature_(temperature) {}

Result<IntentHead> IntentHead::read(const TensorFile& file, std::size_t intents, std::size_t dimensions) {
  KEFU_ASSIGN(const auto weights, file.get<float>("intent.weights", {intents, dimensions}));
  KEFU_ASSIGN(const auto bias, file.get<float>("intent.bias", {intents}));
  KEFU_ASSIGN(const auto temperature, file.get<float>("intent.temperature", {1}));
  return IntentHead({weights.begin(), weights.end()}, {bias.begin(), bias.end()}, temperature[0]);
}

void IntentHead::write(TensorFileWriter& file) const {
  file.add("intent.weights", {bias_.size(), weights_.size() / bias_.size()}, weights_);
  file.add("intent.bias", {bias_.size()}, bias_);
  file.add("intent.temperature", {1}, std::vector<float>{temperature_});
}

void IntentHead::logits(std::span<const float> centred, std::span<float> out) const {
  const auto rows = static_cast<Eigen::Index>(bias_.size());
  const auto columns = static_cast<Eigen::Index>(centred.size());
  Eigen::Map<Eigen::VectorXf> result(out.data(), rows);
  result = Eigen::Map<const Eigen::VectorXf>(bias_.data(), rows);
  result.noalias() += Eigen::Map<const RowMatrix>(weights_.data(), rows, columns) *
                      Eigen::Map<const Eigen::VectorXf>(centred.data(), columns);
}

void IntentHead::calibrate(std::span<float> logits) const {
  for (float& value : logits) value /= temperature_;
  const float total = log_sum_exp(logits);
  for (float& value : logits) value = std::exp(value - total);
}

float log_sum_exp(std::span<const float> values) {
  const float most = *std::ranges::max_element(values);
  float sum = 0;
  for (const float value : values) sum += std::exp(value - most);
  return most + std::log(sum);
}

}  // namespace kefu::nlu
