#include "nlu/slot_head.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>

namespace kefu::nlu {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
constexpr float kNever = -1e9F;

float step(const SlotWeights& w, std::size_t from, std::size_t to) {
  return may_follow(from, to) ? w.transition[from * w.tags + to] : kNever;
}

float first(const SlotWeights& w, std::size_t tag) {
  return is_inside(tag) ? kNever : w.start[tag];
}

std::vector<std::uint32_t> to_unsigned(std::span<const std::int32_t> values) {
  return {values.begin(), values.end()};
}

constexpr int kPrefixShift = 16;

}  // namespace

FeatureIndex::FeatureIndex(std::vector<std::uint32_t> features) : features_(std::move(features)) {
  constexpr std::uint32_t kPrefixes = 1U << (32 - kPrefixShift);
  std::uint32_t at = 0;
  for (std::uint32_t prefix = 0; prefix < kPrefixes; ++prefix) {
    while (at < features_.size() && features_[at] >> kPrefixShift < prefix) ++at;
    starts_.push_back(at);
  }
  starts_.push_back(static_cast<std::uint32_t>(features_.size()));
}

std::size_t FeatureIndex::find(std::uint32_t feature) const {
  if (features_.empty()) return 0;
  const std::uint32_t prefix = feature >> kPrefixShift;
  for (std::uint32_t i = starts_[prefix]; i < starts_[prefix + 1]; ++i) {
    if (features_[i] == feature) return i;
  }
  return features_.size();
}

StepTable::StepTable(const SlotWeights& w) : score(w.tags * w.tags), weight(w.tags * w.tags) {
  for (std::size_t a = 0; a < w.tags; ++a) {
    for (std::size_t b = 0; b < w.tags; ++b) score[a * w.tags + b] = step(w, a, b);
  }
  std::ranges::transform(score, weight.begin(), [](float value) { return std::exp(value); });
}

SlotHead::SlotHead(SlotWeights weights)
    : weights_(std::move(weights)), features_(weights_.features), steps_(weights_) {}

Result<SlotHead> SlotHead::read(const TensorFile& file, std::size_t slot_types, std::size_t hidden) {
  SlotWeights w;
  w.tags = tag_count(slot_types);
  w.hidden = hidden;
  const auto shape = file.shape("slots.features");
  const std::size_t features = shape.empty() ? 0 : shape[0];
  KEFU_ASSIGN(const auto scale, file.get<float>("slots.scale", {1}));
  KEFU_ASSIGN(const auto dense, file.get<float>("slots.dense", {hidden, 3 * w.tags}));
  KEFU_ASSIGN(const auto hashes, file.get<std::int32_t>("slots.features", {features}));
  KEFU_ASSIGN(const auto lexical, file.get<float>("slots.lexical", {features, w.tags}));
  KEFU_ASSIGN(const auto bias, file.get<float>("slots.bias", {w.tags}));
  KEFU_ASSIGN(const auto transition, file.get<float>("slots.transition", {w.tags, w.tags}));
  KEFU_ASSIGN(const auto start, file.get<float>("slots.start", {w.tags}));
  w.scale = scale[0];
  w.dense.assign(dense.begin(), dense.end());
  w.features = to_unsigned(hashes);
  w.lexical.assign(lexical.begin(), lexical.end());
  w.bias.assign(bias.begin(), bias.end());
  w.transition.assign(transition.begin(), transition.end());
  w.start.assign(start.begin(), start.end());
  return SlotHead(std::move(w));
}

void SlotHead::write(TensorFileWriter& file) const {
  const SlotWeights& w = weights_;
  file.add("slots.scale", {1}, std::vector<float>{w.scale});
  file.add("slots.dense", {w.hidden, 3 * w.tags}, w.dense);
  file.add("slots.features", {w.features.size()},
           std::vector<std::int32_t>(w.features.begin(), w.features.end()));
  file.add("slots.lexical", {w.features.size(), w.tags}, w.lexical);
  file.add("slots.bias", {w.tags}, w.bias);
  file.add("slots.transition", {w.tags, w.tags}, w.transition);
  file.add("slots.start", {w.tags}, w.start);
}

std::vector<float> emissions(const SlotWeights& w, const FeatureIndex& index, const SlotInput& input) {
  const std::size_t units = input.units.size();
  const auto rows = static_cast<Eigen::Index>(units);
  const auto tags = static_cast<Eigen::Index>(w.tags);
  const auto hidden = static_cast<Eigen::Index>(w.hidden);
  std::vector<float> out(units * w.tags);
  Eigen::Map<RowMatrix> scores(out.data(), rows, tags);
  const RowMatrix projected = Eigen::Map<const RowMatrix>(input.dense.data(), rows, hidden) *
                              Eigen::Map<const RowMatrix>(w.dense.data(), hidden, 3 * tags) / w.scale;
  scores = projected.middleCols(tags, tags);
  scores.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(w.bias.data(), tags);
  if (rows > 1) {
    scores.bottomRows(rows - 1) += projected.topLeftCorner(rows - 1, tags);
    scores.topRows(rows - 1) += projected.bottomRightCorner(rows - 1, tags);
  }
  for (std::size_t u = 0; u < units; ++u) {
    for (const std::uint32_t feature : input.lexical[u]) {
      const std::size_t row = index.find(feature);
      if (row == index.size()) continue;
      scores.row(static_cast<Eigen::Index>(u)) +=
          Eigen::Map<const Eigen::RowVectorXf>(w.lexical.data() + row * w.tags, tags);
    }
  }
  return out;
}

std::vector<std::size_t> viterbi(const SlotWeights& w, const StepTable& steps,
                                 std::span<const float> emissions) {
  const std::size_t tags = w.tags;
  const std::size_t units = emissions.size() / tags;
  if (units == 0) return {};
  std::vector<float> best(tags);
  std::vector<float> next(tags);
  std::vector<std::size_t> from(units * tags, 0);
  for (std::size_t t = 0; t < tags; ++t) best[t] = first(w, t) + emissions[t];
  for (std::size_t u = 1; u < units; ++u) {
    std::ranges::fill(next, -std::numeric_limits<float>::infinity());
    for (std::size_t a = 0; a < tags; ++a) {
      for (std::size_t b = 0; b < tags; ++b) {
        const float score = best[a] + steps.score[a * tags + b];
        if (score > next[b]) {
          next[b] = score;
          from[u * tags + b] = a;
        }
      }
    }
    for (std::size_t t = 0; t < tags; ++t) best[t] = next[t] + emissions[u * tags + t];
  }
  std::vector<std::size_t> path(units);
  path[units - 1] = static_cast<std::size_t>(std::ranges::max_element(best) - best.begin());
  for (std::size_t u = units - 1; u > 0; --u) path[u - 1] = from[u * tags + path[u]];
  return path;
}

double marginals(const SlotWeights& w, const StepTable& steps, std::span<const float> emissions,
                 std::vector<float>& out, float* pairs) {
  const std::size_t tags = w.tags;
  const std::size_t units = emissions.size() / tags;
  out.assign(units * tags, 0.0F);
  if (units == 0) return 0;
  // Probabilities scaled to sum 1 at every unit (Rabiner 1989, V.A); `shift` keeps exp() in range.
  std::vector<float> alpha(units * tags);
  std::vector<float> beta(units * tags, 1.0F);
  std::vector<float> observed(units * tags);
  std::vector<float> scale(units);
  double total = 0;
  for (std::size_t u = 0; u < units; ++u) {
    const auto row = emissions.subspan(u * tags, tags);
    const float shift = *std::ranges::max_element(row);
    float sum = 0;
    for (std::size_t t = 0; t < tags; ++t) {
      observed[u * tags + t] = std::exp(row[t] - shift);
      if (u == 0) alpha[t] = std::exp(first(w, t));
    }
    for (std::size_t a = 0; u > 0 && a < tags; ++a) {
      const float from = alpha[(u - 1) * tags + a];
      for (std::size_t t = 0; t < tags; ++t) alpha[u * tags + t] += from * steps.weight[a * tags + t];
    }
    for (std::size_t t = 0; t < tags; ++t) {
      alpha[u * tags + t] *= observed[u * tags + t];
      sum += alpha[u * tags + t];
    }
    scale[u] = std::max(sum, std::numeric_limits<float>::min());
    for (std::size_t t = 0; t < tags; ++t) alpha[u * tags + t] /= scale[u];
    total += std::log(static_cast<double>(scale[u])) + shift;
  }
  std::vector<float> ahead(tags);
  for (std::size_t u = units - 1; u > 0; --u) {
    for (std::size_t b = 0; b < tags; ++b) ahead[b] = observed[u * tags + b] * beta[u * tags + b] / scale[u];
    for (std::size_t a = 0; a < tags; ++a) {
      float sum = 0;
      for (std::size_t b = 0; b < tags; ++b) {
        const float edge = steps.weight[a * tags + b] * ahead[b];
        sum += edge;
        if (pairs != nullptr) pairs[a * tags + b] += alpha[(u - 1) * tags + a] * edge;
      }
      beta[(u - 1) * tags + a] = sum;
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = alpha[i] * beta[i];
  return total;
}

std::vector<TaggedSlot> SlotHead::tag(const SlotInput& input) const {
  if (input.units.empty() || weights_.tags <= 1) return {};
  const std::vector<float> scores = emissions(weights_, features_, input);
  const std::vector<std::size_t> path = viterbi(weights_, steps_, scores);
  std::vector<TaggedSlot> slots;
  if (std::ranges::all_of(path, [](std::size_t tag) { return tag == 0; })) return slots;
  std::vector<float> probability;
  marginals(weights_, steps_, scores, probability, nullptr);
  for (std::size_t u = 0; u < path.size(); ++u) {
    if (path[u] == 0) continue;
    const float p = std::clamp(probability[u * weights_.tags + path[u]], 0.0F, 1.0F);
    if (is_inside(path[u])) {
      slots.back().end = u + 1;
      slots.back().confidence = std::min(slots.back().confidence, p);
    } else {
      slots.push_back({(path[u] - 1) / 2, u, u + 1, p});
    }
  }
  return slots;
}

}  // namespace kefu::nlu
