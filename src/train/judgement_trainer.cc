#include "train/judgement_trainer.h"

#include <algorithm>
#include <future>

#include "train/closeness.h"
#include "train/scope_trainer.h"

namespace kefu::train {
namespace {

std::vector<nlu::ScopeSignals> signals(DenseRows logits, double temperature, const std::vector<float>& inside,
                                       const std::vector<float>& outside) {
  std::vector<nlu::ScopeSignals> out;
  for (Eigen::Index i = 0; i < logits.rows(); ++i) {
    const std::span row(logits.data() + i * logits.cols(), static_cast<std::size_t>(logits.cols()));
    nlu::ScopeSignals signal;
    signal.energy = nlu::log_sum_exp(row);
    nlu::softmax(row, static_cast<float>(temperature));
    signal.confidence = *std::ranges::max_element(row);
    signal.inside = inside[static_cast<std::size_t>(i)];
    signal.outside = outside[static_cast<std::size_t>(i)];
    out.push_back(signal);
  }
  return out;
}

}  // namespace

Neighbors measure_neighbors(const DenseRows& inside, const DenseRows& outside,
                            const std::vector<std::uint32_t>& folds) {
  const auto other_fold = [&](Eigen::Index i, Eigen::Index j) {
    return folds[static_cast<std::size_t>(i)] != folds[static_cast<std::size_t>(j)];
  };
  const auto other_text = [](Eigen::Index i, Eigen::Index j) { return i != j; };
  const auto all = [](Eigen::Index, Eigen::Index) { return true; };
  auto largest = std::async(std::launch::async, [&] { return closeness(inside, inside, other_fold); });
  Neighbors out;
  out.inside_to_outside = closeness(inside, outside, all);
  out.outside_to_inside = closeness(outside, inside, all);
  out.outside_to_outside = closeness(outside, outside, other_text);
  out.inside_to_inside = largest.get();
  return out;
}

nlu::Judgement fit_judgement(const Logits& logits, const std::vector<std::uint32_t>& labels,
                             const Neighbors& neighbors, double kept, Json& details) {
  const double temperature = fit_temperature(logits.inside, labels);
  const ScopeFit scope = fit_scope(
      signals(logits.inside, temperature, neighbors.inside_to_inside, neighbors.inside_to_outside),
      signals(logits.outside, temperature, neighbors.outside_to_inside, neighbors.outside_to_outside), kept);
  details = {{"held_out_accuracy", accuracy(logits.inside, labels)},
             {"temperature", temperature},
             {"scope_method", scope.method},
             {"scope_auroc", scope.auroc}};
  return {static_cast<float>(temperature), scope.rule};
}

}  // namespace kefu::train
