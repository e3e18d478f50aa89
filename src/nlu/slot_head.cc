#include "nlu/slot_head.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

namespace kefu::nlu {
namespace {

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// SlotWeights::dense with a row for each of its columns, divided by the scale.
ByteMatrix dense_by_tag(const SlotWeights& w) {
  const RowMatrix by_tag =
      Eigen::Map<const RowMatrix>(w.dense.data(), static_cast<Eigen::Index>(w.hidden),
                                  static_cast<Eigen::Index>(w.dense.empty() ? 0 : 3 * w.tags))
          .transpose() /
      w.scale;
  return ByteMatrix({by_tag.data(), static_cast<std::size_t>(by_tag.size())}, w.hidden);
}

}  // namespace

std::vector<float> gather_neighbors(std::span<const float> products, std::size_t tags) {
  const auto columns = static_cast<Eigen::Index>(tags);
  const auto rows = static_cast<Eigen::Index>(products.size()) / (3 * columns);
  const Eigen::Map<const RowMatrix> all(products.data(), rows, 3 * columns);
  std::vector<float> out(products.size() / 3);
  Eigen::Map<RowMatrix> scores(out.data(), rows, columns);
  scores = all.middleCols(columns, columns);
  if (rows > 1) {
    scores.bottomRows(rows - 1) += all.topLeftCorner(rows - 1, columns);
    scores.topRows(rows - 1) += all.bottomRightCorner(rows - 1, columns);
  }
  return out;
}

SlotHead::SlotHead(const SlotWeights& weights)
    : dense_(dense_by_tag(weights)),
      lexical_(weights.lexical, weights.tags),
      features_(weights.features),
      bias_(weights.bias),
      transition_(weights.transition),
      start_(weights.start),
      chain_(start_, transition_) {}

Result<SlotHead> SlotHead::read(const TensorFile& file, std::size_t slot_types, std::size_t hidden) {
  SlotHead head;
  const std::size_t tags = tag_count(slot_types);
  KEFU_ASSIGN(head.dense_, ByteMatrix::read(file, "slots.dense", hidden));
  KEFU_ASSIGN(head.lexical_, ByteMatrix::read(file, "slots.lexical", tags));
  KEFU_ASSIGN(const auto hashes, file.get<std::int32_t>("slots.features", {head.lexical_.rows()}));
  KEFU_ASSIGN(const auto bias, file.get<float>("slots.bias", {tags}));
  KEFU_ASSIGN(const auto transition, file.get<float>("slots.transition", {tags, tags}));
  KEFU_ASSIGN(const auto start, file.get<float>("slots.start", {tags}));
  if (head.dense_.rows() != 3 * tags) {
    return fail(Code::kDataLoss, "slots.dense has {} rows, {} tags need {}; train the model again",
                head.dense_.rows(), tags, 3 * tags);
  }
  std::vector<std::uint32_t> features(hashes.begin(), hashes.end());
  if (!std::ranges::is_sorted(features))
    return fail(Code::kDataLoss, "slots.features is not ascending; train the model again");
  head.features_ = FeatureIndex(std::move(features));
  head.bias_ = {bias.begin(), bias.end()};
  head.transition_ = {transition.begin(), transition.end()};
  head.start_ = {start.begin(), start.end()};
  head.chain_ = TagChain(head.start_, head.transition_);
  return head;
}

void SlotHead::write(TensorFileWriter& file) const {
  const std::size_t tags = bias_.size();
  const auto& hashes = features_.features();
  dense_.write(file, "slots.dense");
  lexical_.write(file, "slots.lexical");
  file.add("slots.features", {hashes.size()}, std::vector<std::int32_t>(hashes.begin(), hashes.end()));
  file.add("slots.bias", {tags}, bias_);
  file.add("slots.transition", {tags, tags}, transition_);
  file.add("slots.start", {tags}, start_);
}

std::vector<float> SlotHead::emissions(const SlotInput& input) const {
  const std::size_t tags = bias_.size();
  // First the reads from all over memory: they arrive while the products are made.
  for (const auto& unit : input.lexical) {
    for (const std::uint32_t feature : unit) features_.prefetch(feature);
  }
  std::vector<std::uint32_t> known;
  std::vector<std::size_t> ends;
  for (const auto& unit : input.lexical) {
    for (const std::uint32_t feature : unit) {
      const std::size_t row = features_.find(feature);
      if (row == features_.size()) continue;
      lexical_.prefetch(row);
      known.push_back(static_cast<std::uint32_t>(row));
    }
    ends.push_back(known.size());
  }
  std::vector<float> products(input.units.size() * dense_.rows());
  dense_.multiply(ByteVectors(input.dense, dense_.columns()), 0, dense_.rows(), products);
  std::vector<float> scores = gather_neighbors(products, tags);
  const std::vector<float> ones(known.size(), 1.0F);
  for (std::size_t u = 0; u < ends.size(); ++u) {
    const std::span unit(scores.data() + u * tags, tags);
    for (std::size_t t = 0; t < tags; ++t) unit[t] += bias_[t];
    const std::size_t begin = u == 0 ? 0 : ends[u - 1];
    const std::size_t count = ends[u] - begin;
    lexical_.add_rows(std::span(known).subspan(begin, count), std::span(ones).subspan(begin, count), unit);
  }
  return scores;
}

std::vector<TaggedSlot> SlotHead::tag(const SlotInput& input) const {
  if (input.units.empty() || chain_.tags() <= 1) return {};
  const std::vector<float> scores = emissions(input);
  const std::vector<std::size_t> path = chain_.best_path(scores);
  std::vector<TaggedSlot> slots;
  if (std::ranges::all_of(path, [](std::size_t tag) { return tag == 0; })) return slots;
  std::vector<float> probability;
  chain_.marginals(scores, probability, nullptr);
  for (std::size_t u = 0; u < path.size(); ++u) {
    if (path[u] == 0) continue;
    float p = probability[u * chain_.tags() + path[u]];
    p = std::isfinite(p) ? std::clamp(p, 0.0F, 1.0F) : 0.0F;
    const bool continues = !slots.empty() && slots.back().end == u && slots.back().type == (path[u] - 1) / 2;
    if (is_inside(path[u]) && continues) {
      slots.back().end = u + 1;
      slots.back().confidence = std::min(slots.back().confidence, p);
    } else {
      slots.push_back({(path[u] - 1) / 2, u, u + 1, p});
    }
  }
  return slots;
}

}  // namespace kefu::nlu
