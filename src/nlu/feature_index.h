#pragma once
// Which of the trained lexical features a hash stands for.

#include <cstdint>
#include <vector>

namespace kefu::nlu {

/// Immutable; any thread.
class FeatureIndex {
 public:
  FeatureIndex() = default;
  /// `features`: hashes, ascending.
  explicit FeatureIndex(std::vector<std::uint32_t> features);

  /// The number of a feature, or size() if it is not known.
  std::size_t find(std::uint32_t feature) const;
  std::size_t size() const { return features_.size(); }
  const std::vector<std::uint32_t>& features() const { return features_; }

 private:
  std::vector<std::uint32_t> features_;
  std::vector<std::uint32_t> starts_;  // first feature of each prefix of 16 bits, and the end
};

}  // namespace kefu::nlu
