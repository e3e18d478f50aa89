#include "train/trainer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <Eigen/Core>

#include "train/embedder.h"
#include "train/logistic.h"
#include "train/scope_trainer.h"
#include "train/slot_trainer.h"

namespace kefu::train {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr std::array kStrengths{0.01, 0.03, 0.1, 0.3, 1.0};
constexpr std::size_t kNeighbors = nlu::NeighborIndex::kNeighbors;

/// Examples in scope and out of it, with the class of each in-scope one.
struct Split {
  std::vector<std::size_t> inside;
  std::vector<std::size_t> outside;
  std::vector<std::uint32_t> labels;  // parallel to inside
  std::vector<nlu::IntentLabel> intents;
};

Split split_by_scope(const Dataset& data) {
  Split split;
  std::map<std::string, std::string> domains;
  for (const Example& example : data.examples) {
    if (example.intent != kOutOfScope) domains.try_emplace(example.intent, example.domain);
  }
  std::map<std::string, std::uint32_t> index;
  for (const auto& [intent, domain] : domains) {
    index[intent] = static_cast<std::uint32_t>(split.intents.size());
    split.intents.push_back({intent, domain});
  }
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    if (data.examples[i].intent == kOutOfScope) {
      split.outside.push_back(i);
    } else {
      split.inside.push_back(i);
      split.labels.push_back(index[data.examples[i].intent]);
    }
  }
  return split;
}

std::vector<float> gather(const std::vector<float>& vectors, std::size_t hidden,
                          const std::vector<std::size_t>& rows) {
  std::vector<float> out;
  out.reserve(rows.size() * hidden);
  for (const std::size_t row : rows) {
    const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(row * hidden);
    out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(hidden));
  }
  return out;
}

nlu::Centering fit_centering(const std::vector<float>& vectors, std::size_t hidden) {
  const auto n = static_cast<Eigen::Index>(vectors.size() / hidden);
  const Eigen::Map<const RowMatrix> rows(vectors.data(), n, static_cast<Eigen::Index>(hidden));
  const Eigen::RowVectorXf mean = rows.colwise().mean();
  const float deviation = std::sqrt((rows.rowwise() - mean).squaredNorm() / static_cast<float>(rows.size()));
  return {{mean.data(), mean.data() + mean.size()}, deviation > 0 ? deviation : 1.0F};
}

void center(const nlu::Centering& centering, std::vector<float>& vectors) {
  const std::size_t hidden = centering.mean.size();
  for (std::size_t at = 0; at < vectors.size(); at += hidden) {
    const auto row = std::span(vectors).subspan(at, hidden);
    centering.apply(row, row);
  }
}

/// Mean cosine of each query with its nearest rows among those `allowed(query, row)`.
template <typename Allowed>
std::vector<float> closeness(std::vector<float> queries, std::vector<float> rows, std::size_t hidden,
                             Allowed allowed) {
  const auto d = static_cast<Eigen::Index>(hidden);
  Eigen::Map<RowMatrix> q(queries.data(), static_cast<Eigen::Index>(queries.size() / hidden), d);
  Eigen::Map<RowMatrix> r(rows.data(), static_cast<Eigen::Index>(rows.size() / hidden), d);
  q.rowwise().normalize();
  r.rowwise().normalize();
  std::vector<float> out;
  constexpr Eigen::Index kBlock = 256;
  std::vector<float> cosines;
  for (Eigen::Index at = 0; at < q.rows(); at += kBlock) {
    const RowMatrix block = q.middleRows(at, std::min(kBlock, q.rows() - at)) * r.transpose();
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      cosines.clear();
      for (Eigen::Index j = 0; j < r.rows(); ++j) {
        if (allowed(static_cast<std::size_t>(at + i), static_cast<std::size_t>(j)))
          cosines.push_back(block(i, j));
      }
      const std::size_t count = std::min(kNeighbors, cosines.size());
      std::partial_sort(cosines.begin(), cosines.begin() + static_cast<std::ptrdiff_t>(count), cosines.end(),
                        std::greater<>());
      float sum = 0;
      for (std::size_t k = 0; k < count; ++k) sum += cosines[k];
      out.push_back(count == 0 ? -1.0F : sum / static_cast<float>(count));
    }
  }
  return out;
}

std::vector<nlu::ScopeSignals> signals(std::vector<float> logits, const nlu::IntentHead& head,
                                       const std::vector<float>& inside, const std::vector<float>& outside) {
  std::vector<nlu::ScopeSignals> out;
  const std::size_t classes = head.intents();
  for (std::size_t i = 0; i * classes < logits.size(); ++i) {
    const auto row = std::span(logits).subspan(i * classes, classes);
    nlu::ScopeSignals signal;
    signal.energy = nlu::log_sum_exp(row);
    head.calibrate(row);
    signal.confidence = *std::ranges::max_element(row);
    signal.inside = inside[i];
    signal.outside = outside[i];
    out.push_back(signal);
  }
  return out;
}

/// Intent head, neighbour indexes and scope rule.
Json train_intents(const Split& split, const Embedded& embedded, const TrainSettings& settings,
                   nlu::Heads& heads) {
  const std::size_t hidden = embedded.hidden;
  std::vector<float> inside = gather(embedded.vectors, hidden, split.inside);
  std::vector<float> outside = gather(embedded.vectors, hidden, split.outside);
  heads.centering = fit_centering(inside, hidden);
  center(heads.centering, inside);
  center(heads.centering, outside);
  const LabelledVectors data{inside, split.labels, hidden, split.intents.size()};
  const auto folds = make_folds(split.labels, split.intents.size(), settings.folds, settings.seed);
  const CrossValidation held = cross_validate(data, folds, kStrengths);
  const double temperature = fit_temperature(held.logits, split.labels, split.intents.size());
  LogisticModel model = fit_logistic(data, held.c);
  const std::vector<float> outside_logits = predict_logits(model, outside, hidden);
  heads.intent =
      nlu::IntentHead(std::move(model.weights), std::move(model.bias), static_cast<float>(temperature));
  heads.inside = nlu::NeighborIndex(inside, hidden);
  heads.outside = nlu::NeighborIndex(outside, hidden);

  const auto other_fold = [&](std::size_t i, std::size_t j) { return folds[i] != folds[j]; };
  const auto other_text = [](std::size_t i, std::size_t j) { return i != j; };
  const auto all = [](std::size_t, std::size_t) { return true; };
  const auto in = signals(held.logits, heads.intent, closeness(inside, inside, hidden, other_fold),
                          closeness(inside, outside, hidden, all));
  const auto out = signals(outside_logits, heads.intent, closeness(outside, inside, hidden, all),
                           closeness(outside, outside, hidden, other_text));
  const ScopeFit scope = fit_scope(in, out, settings.kept);
  heads.scope = scope.rule;
  return {{"strength", held.c},
          {"held_out_accuracy", held.accuracy},
          {"temperature", temperature},
          {"scope_method", scope.method},
          {"scope_auroc", scope.auroc},
          {"intents", split.intents.size()},
          {"in_scope_texts", split.inside.size()},
          {"out_of_scope_texts", split.outside.size()}};
}

}  // namespace

std::vector<nlu::SlotType> slot_types(const Dataset& data) {
  std::set<nlu::SlotType> types;
  for (const Example& example : data.examples) {
    for (const Entity& entity : example.entities) types.insert({entity.name, entity.role, entity.group});
  }
  return {types.begin(), types.end()};
}

Result<std::vector<std::size_t>> tag_units(const Example& example, const std::vector<text::Unit>& units,
                                           const std::vector<nlu::SlotType>& types) {
  std::vector<std::size_t> tags(units.size(), 0);
  for (const Entity& entity : example.entities) {
    const auto type = std::ranges::lower_bound(types, nlu::SlotType{entity.name, entity.role, entity.group}) -
                      types.begin();
    const auto first =
        std::ranges::find(units, entity.span.begin, [](const text::Unit& u) { return u.span.begin; });
    const auto last =
        std::ranges::find(units, entity.span.end, [](const text::Unit& u) { return u.span.end; });
    if (first == units.end() || last == units.end() || last < first) {
      return fail(Code::kInvalidArgument,
                  "{}:{}: the {} at {}..{} of \"{}\" begins or ends inside a word; annotate whole words",
                  example.origin.file, example.origin.line, entity.name, entity.span.begin, entity.span.end,
                  example.text);
    }
    for (auto unit = first; unit <= last; ++unit) {
      tags[static_cast<std::size_t>(unit - units.begin())] =
          static_cast<std::size_t>(type) * 2 + (unit == first ? 1 : 2);
    }
  }
  return tags;
}

Result<Trained> train_heads(const nlu::TextEncoder& encoder, const Dataset& data,
                            const TrainSettings& settings,
                            const std::function<void(std::string_view, std::size_t, std::size_t)>& progress) {
  const Split split = split_by_scope(data);
  if (split.intents.size() < 2)
    return fail(Code::kInvalidArgument, "the data has {} intents; at least 2 are needed",
                split.intents.size());
  Trained trained;
  trained.heads.intents = split.intents;
  trained.heads.slot_types = slot_types(data);
  trained.heads.synonyms = data.synonyms;
  const bool with_slots = !trained.heads.slot_types.empty();
  KEFU_ASSIGN(Embedded embedded, embed(encoder, data.examples, with_slots,
                                       [&](auto done, auto all) { progress("encode", done, all); }));
  progress("intents", 0, 1);
  trained.details = train_intents(split, embedded, settings, trained.heads);
  progress("intents", 1, 1);

  SlotTrainerSettings slots{
      .slot_types = trained.heads.slot_types.size(), .hidden = embedded.hidden, .seed = settings.seed};
  std::vector<TaggedText> texts;
  for (std::size_t i = 0; with_slots && i < data.examples.size(); ++i) {
    KEFU_ASSIGN(auto tags, tag_units(data.examples[i], embedded.slots[i].units, trained.heads.slot_types));
    texts.push_back({std::move(embedded.slots[i]), std::move(tags)});
  }
  trained.heads.slots = nlu::SlotHead(train_slots(
      texts, slots, [&](std::size_t epoch, double) { progress("slots", epoch + 1, slots.epochs); }));
  trained.details["slot_types"] = trained.heads.slot_types.size();
  return trained;
}

}  // namespace kefu::train
