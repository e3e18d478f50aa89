#pragma once
// Character n-grams of a text as a sparse vector, by the hashing trick (Weinberger et al. 2009).

#include <cstdint>
#include <string_view>
#include <vector>

namespace kefu::nlu {

/// Ascending indices with a value each.
struct SparseVector {
  std::vector<std::uint32_t> index;
  std::vector<float> value;
};

constexpr std::size_t kNgramBuckets = 16384;

/// Buckets of the text's n-grams of 1 to 4 characters, ascending, each once. The text is read in
/// compatibility form, case folded, every digit as 0, every run of white space as one blank, with a blank at
/// both ends, so that an n-gram knows where words begin. Any thread.
std::vector<std::uint32_t> ngram_buckets(std::u32string_view text);

/// Weighs buckets by inverse document frequency. Immutable after fit(); any thread.
class NgramWeights {
 public:
  NgramWeights() = default;
  explicit NgramWeights(std::vector<float> idf) : idf_(std::move(idf)) {}

  /// idf = log((1 + n) / (1 + texts that hold the bucket)).
  static NgramWeights fit(const std::vector<std::vector<std::uint32_t>>& texts);

  /// Vector of length 1, empty for an empty text.
  SparseVector apply(std::vector<std::uint32_t> buckets) const;

  const std::vector<float>& idf() const { return idf_; }

 private:
  std::vector<float> idf_;
};

}  // namespace kefu::nlu
