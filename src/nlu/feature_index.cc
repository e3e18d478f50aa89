#include "nlu/feature_index.h"

#include <bit>

namespace kefu::nlu {

FeatureIndex::FeatureIndex(std::vector<std::uint32_t> features) : features_(std::move(features)) {
  const auto free = static_cast<std::uint32_t>(features_.size());
  slots_.assign(std::bit_ceil(2 * features_.size() + 1), {0, free});
  for (std::uint32_t number = 0; number < features_.size(); ++number) {
    std::size_t at = home(features_[number]);
    while (slots_[at].number != free) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {features_[number], number};
  }
}

std::size_t FeatureIndex::find(std::uint32_t feature) const {
  if (features_.empty()) return 0;
  std::size_t at = home(feature);
  while (slots_[at].feature != feature && slots_[at].number != features_.size())
    at = (at + 1) & (slots_.size() - 1);
  return slots_[at].number;
}

}  // namespace kefu::nlu
