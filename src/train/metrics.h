#pragma once
// Figures of a model on labelled texts. Pure functions; a ratio without a denominator is nullopt, never 0.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nlu/reply.h"
#include "train/dataset.h"

namespace kefu::train {

/// A labelled text and what the model said of it. The example is not owned and must outlive this.
struct Judged {
  const Example* example = nullptr;  // never null
  nlu::ParseReply reply;
  std::string in_scope_best;      // best intent of the ranking but nlu_fallback; empty: none
  float in_scope_confidence = 0;  // of in_scope_best
};

/// Fills the last two fields from the reply's ranking.
Judged judge(const Example& example, nlu::ParseReply reply);

/// True if the text belongs to a domain, i.e. its right intent is not kOutOfScope.
inline bool is_in_scope(const Judged& judged) {
  return judged.example->intent != kOutOfScope;
}

/// Counts of one class or kind of slot.
struct Tally {
  std::size_t true_positives = 0;
  std::size_t false_positives = 0;
  std::size_t false_negatives = 0;

  std::size_t support() const { return true_positives + false_negatives; }
  std::optional<double> precision() const;
  std::optional<double> recall() const;
  std::optional<double> f1() const;  // 2 tp / (2 tp + fp + fn)

  Tally& operator+=(const Tally& other);
  bool operator==(const Tally&) const = default;
};

/// How often a wrong intent was given in place of the right one.
struct Confusion {
  std::string expected;
  std::string got;  // empty: the ranking was empty
  std::size_t count = 0;

  bool operator==(const Confusion&) const = default;
};

/// Best in-scope intent against the label, over in-scope texts; rejection is ignored.
struct IntentFigures {
  std::optional<double> accuracy;
  /// Mean F1 over the intents that are a label or an answer here, as scikit-learn's f1_score has it; an
  /// intent that is neither is absent, one that is only an answer counts 0.
  std::optional<double> macro_f1;
  std::map<std::string, Tally> intents;
  std::vector<Confusion> confusions;  // wrong pairs only, most frequent first, then by name
};

IntentFigures intent_figures(std::span<const Judged> judged);

/// Slots of in-scope texts (out-of-scope texts carry no slot labels). As seqeval counts: a slot is right if
/// entity and both ends are (https://github.com/chakki-works/seqeval); equal slots of a text count once.
struct SlotFigures {
  Tally overall;                          // micro average
  Tally with_role;                        // the role must be right too
  std::map<std::string, Tally> entities;  // parts of `overall`, by entity
};

SlotFigures slot_figures(std::span<const Judged> judged);

/// A slot that was not found, or that was found and is not there. A wrong role makes one of each.
struct SlotError {
  bool missed = false;  // false: spurious
  std::string entity;
  std::string role;
  text::Span span;  // code points of Example::text
};

/// Slot errors of one text, roles included, in order of their spans.
std::vector<SlotError> slot_errors(const Judged& judged);

/// Probability that a positive outranks a negative, a tie counting one half (Mann-Whitney U / (m n)).
std::optional<double> auroc(std::span<const double> positives, std::span<const double> negatives);

/// Rejection of out-of-scope texts and what it costs in-scope texts.
struct Rejection {
  std::optional<double> out_of_scope_recall;  // share of out-of-scope texts rejected
  std::optional<double> in_scope_kept;        // share of in-scope texts not rejected
};

/// By the package's decision.
Rejection rejection_by_decision(std::span<const Judged> judged);

/// A text is rejected if its score is above the threshold.
Rejection rejection_at(std::span<const Judged> judged, double threshold);

/// The least score that keeps at least `share` (0..1) of the in-scope texts; nullopt if there are none.
std::optional<double> threshold_keeping(std::span<const Judged> validation, double share);

/// One confidence and whether the answer was right.
struct Forecast {
  double confidence = 0;
  bool right = false;
};

struct ReliabilityBin {
  std::size_t count = 0;
  double least = 0;  // confidences of the bin
  double most = 0;
  double confidence = 0;  // mean
  double accuracy = 0;
};

/// Splits the forecasts by confidence into at most `bins` (>= 1) bins of equal mass. Equal confidences share
/// a bin, so that the order of the forecasts has no effect; hence bins may differ in size.
std::vector<ReliabilityBin> reliability_bins(std::vector<Forecast> forecasts, std::size_t bins);

/// Expected calibration error: mean |accuracy - confidence| of the bins, weighted by their counts.
std::optional<double> calibration_error(std::span<const ReliabilityBin> bins);

/// The forecasts of the in-scope texts.
std::vector<Forecast> in_scope_forecasts(std::span<const Judged> judged);

}  // namespace kefu::train
