#include "train/scope_trainer.h"

#include <algorithm>
#include <cmath>

#include "train/logistic.h"
#include "train/metrics.h"

namespace kefu::train {
namespace {

using Weights = std::array<float, 4>;  // energy, inside, outside, confidence

struct Candidate {
  const char* name;
  Weights weight;
};

constexpr std::array kCandidates{
    Candidate{"energy + neighbours", {1, 1, 0, 0}},
    Candidate{"max softmax", {0, 0, 0, 1}},
    Candidate{"energy", {1, 0, 0, 0}},
    Candidate{"neighbours", {0, 1, 0, 0}},
    Candidate{"energy + neighbours - known outside", {1, 1, -1, 0}},
};
constexpr std::size_t kLeastOutside = 20;  // fewer texts cannot choose between candidates

void standardize(const std::vector<nlu::ScopeSignals>& signals, nlu::ScopeRule& rule) {
  for (std::size_t s = 0; s < rule.mean.size(); ++s) {
    double sum = 0;
    double squares = 0;
    for (const auto& signal : signals) {
      const double value = static_cast<double>(signal.values()[s]);
      sum += value;
      squares += value * value;
    }
    const double n = static_cast<double>(std::max<std::size_t>(signals.size(), 1));
    const double variance = squares / n - sum / n * (sum / n);
    rule.mean[s] = static_cast<float>(sum / n);
    rule.deviation[s] = variance > 1e-12 ? static_cast<float>(std::sqrt(variance)) : 1.0F;
  }
}

std::vector<double> sums(const nlu::ScopeRule& rule, const std::vector<nlu::ScopeSignals>& signals) {
  std::vector<double> out;
  for (const auto& signal : signals) {
    const auto values = signal.values();
    float sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      sum += rule.weight[i] * (values[i] - rule.mean[i]) / rule.deviation[i];
    out.push_back(sum);
  }
  return out;
}

/// Weights by logistic regression, in scope against out, both sides counting the same.
Weights fit_weights(const nlu::ScopeRule& rule, const std::vector<nlu::ScopeSignals>& inside,
                    const std::vector<nlu::ScopeSignals>& outside) {
  const std::size_t repeats = std::max<std::size_t>(1, inside.size() / outside.size());
  DenseRows rows(static_cast<Eigen::Index>(inside.size() + repeats * outside.size()), 4);
  std::vector<std::uint32_t> labels;
  const auto add = [&](const nlu::ScopeSignals& signal, std::uint32_t label) {
    const auto values = signal.values();
    for (std::size_t i = 0; i < values.size(); ++i)
      rows(std::ssize(labels), static_cast<Eigen::Index>(i)) = (values[i] - rule.mean[i]) / rule.deviation[i];
    labels.push_back(label);
  };
  for (const auto& signal : inside) add(signal, 1);
  for (const auto& signal : outside) {
    for (std::size_t i = 0; i < repeats; ++i) add(signal, 0);
  }
  const LogisticModel model = fit_logistic<DenseRows>({rows, labels, 2}, 1.0);
  Weights weight{};
  for (Eigen::Index i = 0; i < 4; ++i)
    weight[static_cast<std::size_t>(i)] = model.weights(i, 1) - model.weights(i, 0);
  return weight;
}

}  // namespace

ScopeFit fit_scope(const std::vector<nlu::ScopeSignals>& inside,
                   const std::vector<nlu::ScopeSignals>& outside, double kept) {
  ScopeFit fit;
  standardize(inside, fit.rule);
  fit.rule.weight = kCandidates[0].weight;
  fit.method = kCandidates[0].name;
  const auto consider = [&](const char* name, const Weights& weight) {
    nlu::ScopeRule rule = fit.rule;
    rule.weight = weight;
    const double area = auroc(sums(rule, inside), sums(rule, outside)).value_or(0);
    if (area <= fit.auroc) return;
    fit = {rule, name, area};
  };
  if (outside.size() >= kLeastOutside) {
    for (const Candidate& candidate : kCandidates) consider(candidate.name, candidate.weight);
    consider("fitted", fit_weights(fit.rule, inside, outside));
  }
  std::vector<double> scores = sums(fit.rule, inside);
  std::ranges::sort(scores);
  const auto cut = static_cast<std::size_t>((1 - kept) * static_cast<double>(scores.size()));
  fit.rule.offset = scores.empty() ? 0 : -static_cast<float>(scores[std::min(cut, scores.size() - 1)]);
  fit.rule.threshold = 0.5F;
  return fit;
}

}  // namespace kefu::train
