#include "train/metrics.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace kefu::train {
namespace {

std::optional<double> ratio(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

// In order of spans, so that a set of them reads like the text.
using SlotKey = std::tuple<std::uint32_t, std::uint32_t, std::string, std::string>;

enum class Roles { kIgnore, kCompare };

template <typename Slot>
SlotKey slot_key(const Slot& slot, const std::string& name, Roles roles) {
  return {slot.span.begin, slot.span.end, name, roles == Roles::kCompare ? slot.role : std::string()};
}

std::set<SlotKey> expected_slots(const Judged& judged, Roles roles) {
  std::set<SlotKey> keys;
  for (const Entity& slot : judged.example->entities) keys.insert(slot_key(slot, slot.name, roles));
  return keys;
}

std::set<SlotKey> found_slots(const Judged& judged, Roles roles) {
  std::set<SlotKey> keys;
  for (const nlu::ParsedEntity& slot : judged.reply.entities) keys.insert(slot_key(slot, slot.entity, roles));
  return keys;
}

// Adds the slots of one text to the tallies by entity.
void count_slots(const Judged& judged, Roles roles, std::map<std::string, Tally>& tallies) {
  const std::set<SlotKey> expected = expected_slots(judged, roles);
  const std::set<SlotKey> found = found_slots(judged, roles);
  for (const SlotKey& key : expected) {
    Tally& tally = tallies[std::get<2>(key)];
    ++(found.contains(key) ? tally.true_positives : tally.false_negatives);
  }
  for (const SlotKey& key : found) {
    if (!expected.contains(key)) ++tallies[std::get<2>(key)].false_positives;
  }
}

Tally total(const std::map<std::string, Tally>& tallies) {
  Tally sum;
  for (const auto& [name, tally] : tallies) sum += tally;
  return sum;
}

template <typename Rejects>
Rejection rejection(std::span<const Judged> judged, const Rejects& rejects) {
  std::size_t in_scope = 0;
  std::size_t kept = 0;
  std::size_t rejected = 0;
  for (const Judged& one : judged) {
    const bool out = rejects(one.reply.out_of_scope);
    in_scope += is_in_scope(one);
    kept += is_in_scope(one) && !out;
    rejected += !is_in_scope(one) && out;
  }
  return {ratio(rejected, judged.size() - in_scope), ratio(kept, in_scope)};
}

ReliabilityBin summarise(std::span<const Forecast> forecasts) {
  ReliabilityBin bin{forecasts.size(), forecasts.front().confidence, forecasts.back().confidence, 0, 0};
  for (const Forecast& forecast : forecasts) {
    bin.confidence += forecast.confidence;
    bin.accuracy += forecast.right;
  }
  bin.confidence /= static_cast<double>(bin.count);
  bin.accuracy /= static_cast<double>(bin.count);
  return bin;
}

}  // namespace

Judged judge(const Example& example, nlu::ParseReply reply) {
  Judged judged{&example, std::move(reply), {}, 0};
  const nlu::RankedIntent* best = nullptr;
  for (const nlu::RankedIntent& intent : judged.reply.ranking) {
    if (intent.name == nlu::kFallbackIntent) continue;
    if (best == nullptr || intent.confidence > best->confidence) best = &intent;
  }
  if (best != nullptr) {
    judged.in_scope_best = best->name;
    judged.in_scope_confidence = best->confidence;
  }
  return judged;
}

std::optional<double> Tally::precision() const {
  return ratio(true_positives, true_positives + false_positives);
}

std::optional<double> Tally::recall() const {
  return ratio(true_positives, support());
}

std::optional<double> Tally::f1() const {
  return ratio(2 * true_positives, 2 * true_positives + false_positives + false_negatives);
}

Tally& Tally::operator+=(const Tally& other) {
  true_positives += other.true_positives;
  false_positives += other.false_positives;
  false_negatives += other.false_negatives;
  return *this;
}

IntentFigures intent_figures(std::span<const Judged> judged) {
  IntentFigures figures;
  std::map<std::pair<std::string, std::string>, std::size_t> wrong;
  for (const Judged& one : judged) {
    if (!is_in_scope(one)) continue;
    const std::string& expected = one.example->intent;
    if (one.in_scope_best == expected) {
      ++figures.intents[expected].true_positives;
      continue;
    }
    ++figures.intents[expected].false_negatives;
    if (!one.in_scope_best.empty()) ++figures.intents[one.in_scope_best].false_positives;
    ++wrong[{expected, one.in_scope_best}];
  }
  for (const auto& [pair, count] : wrong) figures.confusions.push_back({pair.first, pair.second, count});
  std::stable_sort(figures.confusions.begin(), figures.confusions.end(),
                   [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  const Tally sum = total(figures.intents);
  figures.accuracy = ratio(sum.true_positives, sum.support());
  if (figures.intents.empty()) return figures;
  double f1 = 0;
  for (const auto& [intent, tally] : figures.intents) f1 += tally.f1().value_or(0);
  figures.macro_f1 = f1 / static_cast<double>(figures.intents.size());
  return figures;
}

SlotFigures slot_figures(std::span<const Judged> judged) {
  SlotFigures figures;
  std::map<std::string, Tally> with_role;
  for (const Judged& one : judged) {
    if (!is_in_scope(one)) continue;
    count_slots(one, Roles::kIgnore, figures.entities);
    count_slots(one, Roles::kCompare, with_role);
  }
  figures.overall = total(figures.entities);
  figures.with_role = total(with_role);
  return figures;
}

std::vector<SlotError> slot_errors(const Judged& judged) {
  const std::set<SlotKey> expected = expected_slots(judged, Roles::kCompare);
  const std::set<SlotKey> found = found_slots(judged, Roles::kCompare);
  std::vector<SlotError> errors;
  const auto add = [&](const SlotKey& key, bool missed) {
    errors.push_back({missed, std::get<2>(key), std::get<3>(key), {std::get<0>(key), std::get<1>(key)}});
  };
  for (const SlotKey& key : expected) {
    if (!found.contains(key)) add(key, true);
  }
  for (const SlotKey& key : found) {
    if (!expected.contains(key)) add(key, false);
  }
  std::stable_sort(errors.begin(), errors.end(),
                   [](const SlotError& a, const SlotError& b) { return a.span.begin < b.span.begin; });
  return errors;
}

std::optional<double> auroc(std::span<const double> positives, std::span<const double> negatives) {
  if (positives.empty() || negatives.empty()) return std::nullopt;
  std::vector<double> sorted(negatives.begin(), negatives.end());
  std::sort(sorted.begin(), sorted.end());
  double wins = 0;
  for (const double score : positives) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), score);
    wins += static_cast<double>(first - sorted.begin()) + 0.5 * static_cast<double>(last - first);
  }
  return wins / (static_cast<double>(positives.size()) * static_cast<double>(negatives.size()));
}

Rejection rejection_by_decision(std::span<const Judged> judged) {
  return rejection(judged, [](const nlu::OutOfScope& scope) { return scope.decision; });
}

Rejection rejection_at(std::span<const Judged> judged, double threshold) {
  return rejection(judged, [=](const nlu::OutOfScope& scope) { return scope.score > threshold; });
}

std::optional<double> threshold_keeping(std::span<const Judged> validation, double share) {
  std::vector<double> scores;
  for (const Judged& one : validation) {
    if (is_in_scope(one)) scores.push_back(one.reply.out_of_scope.score);
  }
  if (scores.empty()) return std::nullopt;
  std::sort(scores.begin(), scores.end());
  // The small number keeps a product that is a whole number but for rounding from going one up.
  const double kept = std::ceil(share * static_cast<double>(scores.size()) - 1e-9);
  const double index = std::clamp(kept - 1, 0.0, static_cast<double>(scores.size() - 1));
  return scores[static_cast<std::size_t>(index)];
}

std::vector<ReliabilityBin> reliability_bins(std::vector<Forecast> forecasts, std::size_t bins) {
  std::sort(forecasts.begin(), forecasts.end(),
            [](const Forecast& a, const Forecast& b) { return a.confidence < b.confidence; });
  std::vector<ReliabilityBin> result;
  std::size_t begin = 0;
  for (std::size_t bin = 1; bin <= bins; ++bin) {
    std::size_t end = bin * forecasts.size() / bins;
    if (end <= begin) continue;
    while (end < forecasts.size() && forecasts[end].confidence == forecasts[end - 1].confidence) ++end;
    result.push_back(summarise(std::span(forecasts).subspan(begin, end - begin)));
    begin = end;
  }
  return result;
}

std::optional<double> calibration_error(std::span<const ReliabilityBin> bins) {
  double sum = 0;
  std::size_t count = 0;
  for (const ReliabilityBin& bin : bins) {
    sum += static_cast<double>(bin.count) * std::abs(bin.accuracy - bin.confidence);
    count += bin.count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::vector<Forecast> in_scope_forecasts(std::span<const Judged> judged) {
  std::vector<Forecast> forecasts;
  for (const Judged& one : judged) {
    if (!is_in_scope(one)) continue;
    forecasts.push_back({one.in_scope_confidence, one.in_scope_best == one.example->intent});
  }
  return forecasts;
}

}  // namespace kefu::train
