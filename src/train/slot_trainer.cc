#include "train/slot_trainer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <future>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <unordered_map>

#include <Eigen/Core>

#include "train/adam.h"

namespace kefu::train {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Sums over the texts of a part of a batch. Lexical weights are sparse: rows by feature.
struct Gradient {
  explicit Gradient(const nlu::SlotWeights& w)
      : dense(w.dense.size()), bias(w.tags), transition(w.tags * w.tags), start(w.tags) {}

  void clear() {
    for (auto* part : {&dense, &bias, &transition, &start}) std::ranges::fill(*part, 0.0F);
    lexical.clear();
  }

  void add(const Gradient& other) {
    const auto sum = [](std::vector<float>& to, const std::vector<float>& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    sum(dense, other.dense);
    sum(bias, other.bias);
    sum(transition, other.transition);
    sum(start, other.start);
    for (const auto& [row, values] : other.lexical) {
      std::vector<float>& mine = lexical[row];
      mine.resize(values.size(), 0.0F);
      sum(mine, values);
    }
  }

  std::vector<float> dense;
  std::vector<float> bias;
  std::vector<float> transition;
  std::vector<float> start;
  std::map<std::size_t, std::vector<float>> lexical;
  double loss = 0;
};

std::vector<std::uint32_t> common_features(const std::vector<TaggedText>& texts, std::uint32_t least) {
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  for (const TaggedText& text : texts) {
    for (const auto& unit : text.input.lexical) {
      for (const std::uint32_t feature : unit) ++counts[feature];
    }
  }
  std::vector<std::uint32_t> features;
  for (const auto& [feature, count] : counts) {
    if (count >= least) features.push_back(feature);
  }
  std::ranges::sort(features);
  return features;
}

float dense_deviation(const std::vector<TaggedText>& texts) {
  double sum = 0;
  std::size_t count = 0;
  for (const TaggedText& text : texts) {
    for (const float value : text.input.dense) sum += static_cast<double>(value) * value;
    count += text.input.dense.size();
  }
  return count == 0 || sum == 0 ? 1.0F : static_cast<float>(std::sqrt(sum / static_cast<double>(count)));
}

class SlotTrainer {
 public:
  SlotTrainer(const std::vector<TaggedText>& texts, const SlotTrainerSettings& settings)
      : texts_(texts),
        settings_(settings),
        weights_(initial(texts, settings)),
        features_(weights_.features),
        dense_(weights_.dense, settings.decay),
        lexical_(weights_.lexical, settings.decay),
        bias_(weights_.bias, 0),
        transition_(weights_.transition, 0),
        start_(weights_.start, 0),
        random_(settings.seed),
        parts_(kParts, Gradient(weights_)) {}

  /// One pass over the texts in random order; returns the mean loss of a text.
  double epoch(float rate) {
    std::vector<std::size_t> order(texts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    double loss = 0;
    for (std::size_t at = 0; at < order.size(); at += settings_.batch)
      loss += batch(std::span(order).subspan(at, std::min(settings_.batch, order.size() - at)), rate);
    return loss / static_cast<double>(std::max<std::size_t>(texts_.size(), 1));
  }

  nlu::SlotWeights take() { return std::move(weights_); }

 private:
  static constexpr std::size_t kParts = 2;  // of a batch, one thread each; fixed, so that sums never change

  /// One step on a batch; returns the sum of its losses.
  double batch(std::span<const std::size_t> order, float rate) {
    std::array<std::future<void>, kParts> runs;
    const std::uint64_t seed = random_();
    chain_ = nlu::TagChain(weights_.start, weights_.transition);
    for (std::size_t p = 0; p < kParts; ++p) {
      const std::size_t begin = order.size() * p / kParts;
      const std::size_t end = order.size() * (p + 1) / kParts;
      runs[p] = std::async(std::launch::async, [&, p, begin, end] {
        std::mt19937_64 random(seed + p);
        parts_[p].clear();
        parts_[p].loss = 0;
        for (const std::size_t i : order.subspan(begin, end - begin))
          accumulate(texts_[i], 1.0F / static_cast<float>(order.size()), random, parts_[p]);
      });
    }
    for (auto& run : runs) run.get();
    for (std::size_t p = 1; p < kParts; ++p) {
      parts_[0].add(parts_[p]);
      parts_[0].loss += parts_[p].loss;
    }
    step(parts_[0], rate);
    return parts_[0].loss;
  }

  /// Lexical rows move only when a text of the batch has their feature.
  void step(const Gradient& gradient, float rate) {
    ++steps_;
    dense_.step(gradient.dense, 0, rate, steps_);
    bias_.step(gradient.bias, 0, rate, steps_);
    transition_.step(gradient.transition, 0, rate, steps_);
    start_.step(gradient.start, 0, rate, steps_);
    for (const auto& [row, values] : gradient.lexical)
      lexical_.step(values, row * weights_.tags, settings_.lexical_rate * rate, steps_);
  }

  static nlu::SlotWeights initial(const std::vector<TaggedText>& texts, const SlotTrainerSettings& settings) {
    nlu::SlotWeights w;
    w.tags = nlu::tag_count(settings.slot_types);
    w.hidden = settings.hidden;
    w.scale = dense_deviation(texts);
    w.dense.assign(settings.hidden * 3 * w.tags, 0.0F);
    w.features = common_features(texts, settings.least_count);
    w.lexical.assign(w.features.size() * w.tags, 0.0F);
    w.bias.assign(w.tags, 0.0F);
    w.transition.assign(w.tags * w.tags, 0.0F);
    w.start.assign(w.tags, 0.0F);
    return w;
  }

  /// Dense inputs with some components dropped, the same for all units of a text (Gal & Ghahramani 2016), the
  /// rest scaled up.
  std::vector<float> drop(const std::vector<float>& dense, std::mt19937_64& random) const {
    const float keep = 1.0F / (1.0F - settings_.dropout);
    std::bernoulli_distribution dropped(static_cast<double>(settings_.dropout));
    std::vector<float> mask(weights_.hidden);
    for (float& value : mask) value = dropped(random) ? 0.0F : keep;
    std::vector<float> out(dense.size());
    for (std::size_t at = 0; at < dense.size(); at += mask.size()) {
      for (std::size_t i = 0; i < mask.size(); ++i) out[at + i] = dense[at + i] * mask[i];
    }
    return out;
  }

  /// Adds the gradient of one text's loss times `share`, and the loss.
  void accumulate(const TaggedText& text, float share, std::mt19937_64& random, Gradient& gradient) const {
    const std::size_t tags = weights_.tags;
    const std::size_t units = text.tags.size();
    if (units == 0) return;
    const nlu::SlotInput input{text.input.units, drop(text.input.dense, random), text.input.lexical};
    const std::vector<float> scores = emissions(input);
    std::vector<float> expected;
    std::vector<float> pairs(tags * tags, 0.0F);
    const double partition = chain_.marginals(scores, expected, pairs.data());
    double right = weights_.start[text.tags[0]];
    for (std::size_t u = 0; u < units; ++u) {
      right += scores[u * tags + text.tags[u]];
      if (u > 0) right += weights_.transition[text.tags[u - 1] * tags + text.tags[u]];
    }
    for (std::size_t u = 0; u < units; ++u) expected[u * tags + text.tags[u]] -= 1;
    for (std::size_t t = 0; t < tags; ++t) gradient.start[t] += expected[t] * share;
    for (std::size_t u = 1; u < units; ++u) pairs[text.tags[u - 1] * tags + text.tags[u]] -= 1;
    for (std::size_t i = 0; i < pairs.size(); ++i) gradient.transition[i] += pairs[i] * share;
    for (float& value : expected) value *= share;
    add_observation_gradient(input, expected, gradient);
    gradient.loss += partition - right;
  }

  std::vector<float> emissions(const nlu::SlotInput& input) const {
    const auto tags = static_cast<Eigen::Index>(weights_.tags);
    const auto rows = static_cast<Eigen::Index>(input.units.size());
    const auto hidden = static_cast<Eigen::Index>(weights_.hidden);
    const RowMatrix products = Eigen::Map<const RowMatrix>(input.dense.data(), rows, hidden) *
                               Eigen::Map<const RowMatrix>(weights_.dense.data(), hidden, 3 * tags) /
                               weights_.scale;
    std::vector<float> out =
        nlu::gather_neighbors({products.data(), static_cast<std::size_t>(products.size())}, weights_.tags);
    Eigen::Map<RowMatrix> scores(out.data(), rows, tags);
    scores.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(weights_.bias.data(), tags);
    for (Eigen::Index u = 0; u < rows; ++u) {
      for (const std::uint32_t feature : input.lexical[static_cast<std::size_t>(u)]) {
        const std::size_t row = features_.find(feature);
        if (row == features_.size()) continue;
        scores.row(u) +=
            Eigen::Map<const Eigen::RowVectorXf>(weights_.lexical.data() + row * weights_.tags, tags);
      }
    }
    return out;
  }

  void add_observation_gradient(const nlu::SlotInput& input, const std::vector<float>& delta,
                                Gradient& gradient) const {
    const auto tags = static_cast<Eigen::Index>(weights_.tags);
    const auto rows = static_cast<Eigen::Index>(input.units.size());
    const auto hidden = static_cast<Eigen::Index>(weights_.hidden);
    const Eigen::Map<const RowMatrix> d(delta.data(), rows, tags);
    RowMatrix projected = RowMatrix::Zero(rows, 3 * tags);
    projected.middleCols(tags, tags) = d;
    if (rows > 1) {
      projected.topLeftCorner(rows - 1, tags) = d.bottomRows(rows - 1);
      projected.bottomRightCorner(rows - 1, tags) = d.topRows(rows - 1);
    }
    Eigen::Map<RowMatrix>(gradient.dense.data(), hidden, 3 * tags).noalias() +=
        Eigen::Map<const RowMatrix>(input.dense.data(), rows, hidden).transpose() * projected /
        weights_.scale;
    for (Eigen::Index u = 0; u < rows; ++u) {
      // Row by row: colwise().sum() adds in another order where the gradient's memory is aligned.
      Eigen::Map<Eigen::RowVectorXf>(gradient.bias.data(), tags) += d.row(u);
      for (const std::uint32_t feature : input.lexical[static_cast<std::size_t>(u)]) {
        const std::size_t found = features_.find(feature);
        if (found == features_.size()) continue;
        auto& row = gradient.lexical[found];
        row.resize(weights_.tags, 0.0F);
        Eigen::Map<Eigen::RowVectorXf>(row.data(), tags) += d.row(u);
      }
    }
  }

  const std::vector<TaggedText>& texts_;
  const SlotTrainerSettings& settings_;
  nlu::SlotWeights weights_;
  nlu::FeatureIndex features_;
  nlu::TagChain chain_;  // of the weights at the start of a batch
  Adam dense_;
  Adam lexical_;
  Adam bias_;
  Adam transition_;
  Adam start_;
  std::mt19937_64 random_;
  std::vector<Gradient> parts_;
  std::size_t steps_ = 0;
};

}  // namespace

nlu::SlotWeights train_slots(const std::vector<TaggedText>& texts, const SlotTrainerSettings& settings,
                             const std::function<void(std::size_t, std::size_t, double)>& progress) {
  SlotTrainer trainer(texts, settings);
  if (texts.empty()) return trainer.take();
  const std::size_t steps = (texts.size() + settings.batch - 1) / settings.batch;
  const std::size_t epochs = std::max(settings.epochs, (settings.least_steps + steps - 1) / steps);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    // Linear decay to a tenth.
    const float rate =
        settings.learning_rate * (1 - 0.9F * static_cast<float>(epoch) / static_cast<float>(epochs));
    const double loss = trainer.epoch(rate);
    if (progress) progress(epoch + 1, epochs, loss);
  }
  return trainer.take();
}

}  // namespace kefu::train
