#include "nlu/feature_index.h"

namespace kefu::nlu {
namespace {

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

}  // namespace kefu::nlu
