#include "nlu/scope_head.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nlu/byte_dot.h"

namespace kefu::nlu {
namespace {

constexpr float kSteps = 127;

/// Quantises a vector scaled to length 1 to steps of -127..127; returns the value of a step.
float quantize(std::span<const float> vector, std::span<std::int8_t> out) {
  float norm = 0;
  float largest = 0;
  for (const float value : vector) {
    norm += value * value;
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0) {
    std::ranges::fill(out, std::int8_t{0});
    return 0;
  }
  for (std::size_t i = 0; i < vector.size(); ++i)
    out[i] = static_cast<std::int8_t>(std::lround(vector[i] / largest * kSteps));
  return largest / kSteps / std::sqrt(norm);
}

/// byte_dot() wants one side unsigned: the query is moved up by kOffset, which adds kOffset times the row's
/// sum.
constexpr std::int32_t kOffset = 128;

std::int32_t row_sum(std::span<const std::int8_t> row) {
  return std::accumulate(row.begin(), row.end(), std::int32_t{0});
}

}  // namespace

NeighborIndex::NeighborIndex(std::span<const float> vectors, std::size_t dimensions)
    : dimensions_(dimensions) {
  const std::size_t count = dimensions == 0 ? 0 : vectors.size() / dimensions;
  rows_.resize(count * dimensions);
  for (std::size_t i = 0; i < count; ++i) {
    scales_.push_back(quantize(vectors.subspan(i * dimensions, dimensions),
                               std::span(rows_).subspan(i * dimensions, dimensions)));
  }
  sum_rows();
}

Result<NeighborIndex> NeighborIndex::read(const TensorFile& file, const std::string& name,
                                          std::size_t dimensions) {
  NeighborIndex index;
  index.dimensions_ = dimensions;
  const std::size_t count = file.shape(name + ".scales").empty() ? 0 : file.shape(name + ".scales")[0];
  KEFU_ASSIGN(const auto scales, file.get<float>(name + ".scales", {count}));
  KEFU_ASSIGN(const auto rows, file.get<std::int8_t>(name + ".rows", {count, dimensions}));
  index.scales_.assign(scales.begin(), scales.end());
  index.rows_.assign(rows.begin(), rows.end());
  index.sum_rows();
  return index;
}

void NeighborIndex::sum_rows() {
  for (std::size_t i = 0; i < scales_.size(); ++i)
    offsets_.push_back(kOffset * row_sum(std::span(rows_).subspan(i * dimensions_, dimensions_)));
}

void NeighborIndex::write(TensorFileWriter& file, const std::string& name) const {
  file.add(name + ".scales", {scales_.size()}, scales_);
  file.add(name + ".rows", {scales_.size(), dimensions_}, rows_);
}

float NeighborIndex::closeness(std::span<const float> centred) const {
  if (scales_.empty()) return -1;
  std::vector<std::int8_t> steps(dimensions_);
  const float scale = quantize(centred, steps);
  std::vector<std::uint8_t> query(dimensions_);
  for (std::size_t i = 0; i < dimensions_; ++i) query[i] = static_cast<std::uint8_t>(steps[i] + kOffset);
  std::array<float, kNeighbors> nearest{};  // ascending
  nearest.fill(-2);
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const std::int32_t dot =
        byte_dot(query.data(), rows_.data() + i * dimensions_, dimensions_) - offsets_[i];
    const float cosine = static_cast<float>(dot) * scale * scales_[i];
    if (cosine <= nearest[0]) continue;
    std::size_t at = 1;
    for (; at < kNeighbors && nearest[at] < cosine; ++at) nearest[at - 1] = nearest[at];
    nearest[at - 1] = cosine;
  }
  const std::size_t found = std::min(kNeighbors, scales_.size());
  float sum = 0;
  for (std::size_t i = kNeighbors - found; i < kNeighbors; ++i) sum += nearest[i];
  return sum / static_cast<float>(found);
}

float ScopeRule::score(const ScopeSignals& signals) const {
  const auto values = signals.values();
  float sum = offset;
  for (std::size_t i = 0; i < values.size(); ++i) sum += weight[i] * (values[i] - mean[i]) / deviation[i];
  return 1 / (1 + std::exp(sum));
}

}  // namespace kefu::nlu
