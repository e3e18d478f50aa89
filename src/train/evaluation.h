#pragma once
// All figures of a model on a test set: overall and by language.

#include "train/metrics.h"

namespace kefu::train {

/// Figures of a set of texts.
struct Figures {
  std::size_t in_scope = 0;      // texts
  std::size_t out_of_scope = 0;  // texts
  IntentFigures intent;
  SlotFigures slots;
  std::optional<double> scope_auroc;  // out-of-scope texts are the positives
  Rejection decided;                  // by the package's decision
  Rejection at_threshold;             // at Evaluation::threshold; empty if that is
  std::vector<ReliabilityBin> bins;   // of the best in-scope intent's confidence, in-scope texts
  std::optional<double> calibration_error;
};

/// Where the threshold for a fixed share of kept in-scope texts came from.
enum class ThresholdSource { kGiven, kValidation, kTest };

/// "given", "validation" or "test".
std::string_view to_string(ThresholdSource source);

struct EvaluationSettings {
  double share_kept = 0.95;                 // of in-scope texts, sets the threshold unless one is given
  std::optional<double> threshold = {};     // of the out-of-scope score
  std::span<const Judged> validation = {};  // whence the threshold; empty: from the test set itself
  std::size_t bins = 15;                    // of the calibration error
};

struct Evaluation {
  Figures overall;
  std::map<std::string, Figures> languages;  // by Example::language, "und" if unknown
  double share_kept = 0;
  std::optional<double> threshold;  // one for all languages, as in service; nullopt: no in-scope text
  ThresholdSource threshold_source = ThresholdSource::kTest;
};

/// A pure function; neither keeps references to its arguments nor changes them.
Evaluation evaluate(std::span<const Judged> judged, const EvaluationSettings& settings = {});

}  // namespace kefu::train
