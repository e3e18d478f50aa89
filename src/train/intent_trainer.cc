#include "train/intent_trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "train/judgement_trainer.h"
#include "train/logistic.h"
#include "train/neighbor_trainer.h"

namespace kefu::train {
namespace {

constexpr std::array kVectorStrengths{0.003, 0.01, 0.03, 0.1, 0.3, 1.0};
constexpr std::array kNgramStrengths{0.1};  // the held-out loss of 0.02 and 0.3 hardly differs
constexpr float kNgramLength = 20;  // of the vectors while training: unit vectors would end the solver early
constexpr std::array kNgramShares{0.25F, 0.5F, 0.75F, 1.0F};
constexpr double kLeastLanguageShare = 0.02;  // of the texts, for a language to count as trained

/// Examples in scope and out of it, with the class of each in-scope one.
struct Split {
  std::vector<std::size_t> inside;
  std::vector<std::size_t> outside;
  std::vector<std::uint32_t> labels;  // parallel to inside
};

std::vector<nlu::IntentLabel> intents_of(const Dataset& data) {
  std::map<std::string, std::string> domains;
  for (const Example& example : data.examples) {
    if (example.intent != kOutOfScope) domains.try_emplace(example.intent, example.domain);
  }
  std::vector<nlu::IntentLabel> intents;
  for (const auto& [intent, domain] : domains) intents.push_back({intent, domain});
  return intents;
}

Split split_by_scope(const Dataset& data, const std::vector<nlu::IntentLabel>& intents) {
  Split split;
  for (std::size_t i = 0; i < data.examples.size(); ++i) {
    const std::string& intent = data.examples[i].intent;
    if (intent == kOutOfScope) {
      split.outside.push_back(i);
      continue;
    }
    const auto found = std::ranges::lower_bound(intents, intent, {}, &nlu::IntentLabel::name);
    split.inside.push_back(i);
    split.labels.push_back(static_cast<std::uint32_t>(found - intents.begin()));
  }
  return split;
}

std::set<std::string> languages_of(const Dataset& data) {
  std::map<std::string, std::size_t> counts;
  for (const Example& example : data.examples) {
    if (!example.language.empty()) ++counts[example.language];
  }
  std::set<std::string> languages;
  for (const auto& [language, count] : counts) {
    if (static_cast<double>(count) >= kLeastLanguageShare * static_cast<double>(data.examples.size()))
      languages.insert(language);
  }
  return languages;
}

DenseRows vectors_of(const Embedded& embedded, const std::vector<std::size_t>& rows) {
  const auto hidden = static_cast<Eigen::Index>(embedded.hidden);
  DenseRows out(static_cast<Eigen::Index>(rows.size()), hidden);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXf>(embedded.vectors.data() + rows[i] * embedded.hidden, hidden);
  }
  return out;
}

nlu::Centering fit_centering(const DenseRows& rows) {
  const Eigen::RowVectorXf mean = rows.colwise().mean();
  const float deviation = std::sqrt((rows.rowwise() - mean).squaredNorm() / static_cast<float>(rows.size()));
  return {{mean.data(), mean.data() + mean.size()}, deviation > 0 ? deviation : 1.0F};
}

void center(const nlu::Centering& centering, DenseRows& rows) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const std::span row(rows.data() + i * rows.cols(), static_cast<std::size_t>(rows.cols()));
    centering.apply(row, row);
  }
}

std::vector<std::vector<std::uint32_t>> buckets_of(const Dataset& data,
                                                   const std::vector<std::size_t>& rows) {
  std::vector<std::vector<std::uint32_t>> out;
  for (const std::size_t row : rows)
    out.push_back(nlu::ngram_buckets(text::decode_utf8(data.examples[row].text)));
  return out;
}

SparseRows ngrams_of(const nlu::NgramWeights& weights, const std::vector<std::vector<std::uint32_t>>& texts) {
  std::vector<Eigen::Triplet<float>> entries;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const nlu::SparseVector vector = weights.apply(texts[i]);
    for (std::size_t j = 0; j < vector.index.size(); ++j)
      entries.emplace_back(static_cast<int>(i), static_cast<int>(vector.index[j]),
                           kNgramLength * vector.value[j]);
  }
  SparseRows rows(static_cast<Eigen::Index>(texts.size()), static_cast<Eigen::Index>(nlu::kNgramBuckets));
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

/// The share of the n-gram logits with the least held-out loss.
float best_share(const DenseRows& vectors, const DenseRows& ngrams,
                 const std::vector<std::uint32_t>& labels) {
  float best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const float share : kNgramShares) {
    const DenseRows sum = vectors + share * ngrams;
    const double loss = cross_entropy(sum, labels, fit_temperature(sum, labels));
    if (loss >= least) continue;
    least = loss;
    best = share;
  }
  return best;
}

nlu::VectorHead vector_head(const LogisticModel& model) {
  const DenseRows by_intent = model.weights.transpose();
  return nlu::VectorHead({by_intent.data(), by_intent.data() + by_intent.size()},
                         {model.bias.data(), model.bias.data() + model.bias.size()});
}

nlu::NgramHead ngram_head(const nlu::NgramWeights& ngrams, LogisticModel model, float share) {
  model.weights *= share * kNgramLength;
  model.bias *= share;
  return nlu::NgramHead(ngrams, {model.weights.data(), static_cast<std::size_t>(model.weights.size())},
                        {model.bias.data(), model.bias.data() + model.bias.size()});
}

/// One of the two regressions: held-out logits by cross-validation, the final model and its logits of the
/// known out-of-scope texts.
struct Regression {
  double c = 0;
  Logits logits;
  LogisticModel model;
};

template <typename Rows>
Regression regress(const Rows& inside, const Rows& outside, const Split& split, std::size_t classes,
                   const std::vector<std::uint32_t>& folds, std::span<const double> grid) {
  const Labelled<Rows> data{inside, split.labels, classes};
  CrossValidation held = cross_validate(data, folds, grid);
  LogisticModel model = fit_logistic(data, held.c);
  DenseRows outside_logits = model.logits(outside);
  return {held.c, {std::move(held.logits), std::move(outside_logits)}, std::move(model)};
}

}  // namespace

Result<Json> train_intents(const Dataset& data, const Embedded& embedded,
                           const IntentTrainerSettings& settings, nlu::Heads& heads) {
  heads.intents = intents_of(data);
  if (heads.intents.size() < 2) {
    return fail(Code::kInvalidArgument, "the data has {} intents; at least 2 are needed",
                heads.intents.size());
  }
  heads.languages = languages_of(data);
  const Split split = split_by_scope(data, heads.intents);
  const auto folds = make_folds(split.labels, heads.intents.size(), settings.folds, settings.seed);

  DenseRows inside = vectors_of(embedded, split.inside);
  DenseRows outside = vectors_of(embedded, split.outside);
  heads.centering = fit_centering(inside);
  center(heads.centering, inside);
  center(heads.centering, outside);
  const Regression vectors = regress(inside, outside, split, heads.intents.size(), folds, kVectorStrengths);
  heads.vectors = vector_head(vectors.model);
  heads.inside = index_neighbors(inside, settings.seed);
  heads.outside = index_neighbors(outside, settings.seed);

  const auto buckets = buckets_of(data, split.inside);
  const nlu::NgramWeights weights = nlu::NgramWeights::fit(buckets);
  const Regression ngrams =
      regress(ngrams_of(weights, buckets), ngrams_of(weights, buckets_of(data, split.outside)), split,
              heads.intents.size(), folds, kNgramStrengths);
  const float share = best_share(vectors.logits.inside, ngrams.logits.inside, split.labels);
  heads.ngrams = ngram_head(weights, ngrams.model, share);

  const Neighbors neighbors = measure_neighbors(inside, outside, folds);
  Json with_ngrams;
  Json without_ngrams;
  heads.with_ngrams = fit_judgement({vectors.logits.inside + share * ngrams.logits.inside,
                                     vectors.logits.outside + share * ngrams.logits.outside},
                                    split.labels, neighbors, settings.kept, with_ngrams);
  heads.without_ngrams =
      fit_judgement(vectors.logits, split.labels, neighbors, settings.kept, without_ngrams);
  return Json{{"strength", vectors.c},
              {"ngram_share", share},
              {"held_out_accuracy", with_ngrams["held_out_accuracy"]},
              {"with_ngrams", with_ngrams},
              {"without_ngrams", without_ngrams},
              {"intents", heads.intents.size()},
              {"in_scope_texts", split.inside.size()},
              {"out_of_scope_texts", split.outside.size()}};
}

}  // namespace kefu::train
