#pragma once
// Which of the trained lexical features a hash stands for.

#include <cstdint>
#include <vector>

namespace kefu::nlu {

/// A hash table with open addressing: a look-up touches one cache line. Immutable; any thread.
class FeatureIndex {
 public:
  FeatureIndex() = default;
  /// `features`: hashes, each once.
  explicit FeatureIndex(std::vector<std::uint32_t> features);

  /// The number of a feature, or size() if it is not known.
  std::size_t find(std::uint32_t feature) const;
  /// Brings what find() will read into the cache.
  void prefetch(std::uint32_t feature) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[home(feature)]);
  }
  std::size_t size() const { return features_.size(); }
  const std::vector<std::uint32_t>& features() const { return features_; }

 private:
  struct Slot {
    std::uint32_t feature;
    std::uint32_t number;  // size(): free
  };

  std::size_t home(std::uint32_t feature) const { return feature & (slots_.size() - 1); }

  std::vector<std::uint32_t> features_;
  std::vector<Slot> slots_;  // a power of two, at most half of them taken
};

}  // namespace kefu::nlu
