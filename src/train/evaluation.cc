#include "train/evaluation.h"

namespace kefu::train {
namespace {

std::optional<double> scope_auroc(std::span<const Judged> judged) {
  std::vector<double> inside;
  std::vector<double> outside;
  for (const Judged& one : judged)
    (is_in_scope(one) ? inside : outside).push_back(one.reply.out_of_scope.score);
  return auroc(outside, inside);
}

Figures figures_of(std::span<const Judged> judged, std::optional<double> threshold, std::size_t bins) {
  Figures figures;
  for (const Judged& one : judged) ++(is_in_scope(one) ? figures.in_scope : figures.out_of_scope);
  figures.intent = intent_figures(judged);
  figures.slots = slot_figures(judged);
  figures.scope_auroc = scope_auroc(judged);
  figures.decided = rejection_by_decision(judged);
  if (threshold) figures.at_threshold = rejection_at(judged, *threshold);
  figures.bins = reliability_bins(in_scope_forecasts(judged), bins);
  figures.calibration_error = calibration_error(figures.bins);
  return figures;
}

}  // namespace

std::string_view to_string(ThresholdSource source) {
  switch (source) {
    case ThresholdSource::kGiven:
      return "given";
    case ThresholdSource::kValidation:
      return "validation";
    case ThresholdSource::kTest:
      return "test";
  }
  return "unknown";
}

Evaluation evaluate(std::span<const Judged> judged, const EvaluationSettings& settings) {
  Evaluation result;
  result.share_kept = settings.share_kept;
  if (settings.threshold) {
    result.threshold = settings.threshold;
    result.threshold_source = ThresholdSource::kGiven;
  } else if (!settings.validation.empty()) {
    result.threshold = threshold_keeping(settings.validation, settings.share_kept);
    result.threshold_source = ThresholdSource::kValidation;
  } else {
    result.threshold = threshold_keeping(judged, settings.share_kept);
    result.threshold_source = ThresholdSource::kTest;
  }
  result.overall = figures_of(judged, result.threshold, settings.bins);
  std::map<std::string, std::vector<Judged>> by_language;
  for (const Judged& one : judged) {
    const std::string& language = one.example->language;
    by_language[language.empty() ? "und" : language].push_back(one);
  }
  for (const auto& [language, part] : by_language) {
    result.languages[language] = figures_of(part, result.threshold, settings.bins);
  }
  return result;
}

}  // namespace kefu::train
