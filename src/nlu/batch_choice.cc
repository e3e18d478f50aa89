#include "nlu/batch_choice.h"

#include <algorithm>

namespace kefu::nlu {
namespace {

/// Reading the weights once costs about as much as this many tokens, so a run is worth saving only while the
/// padding that saves it is less.
constexpr std::size_t kRunTokens = 20;

/// How many of the oldest requests one run chooses from, in runs: with more, batches are more even, but a
/// rare length is overtaken longer.
constexpr std::size_t kChoice = 4;

std::size_t distance(std::size_t a, std::size_t b) {
  return std::max(a, b) - std::min(a, b);
}

}  // namespace

std::vector<std::size_t> choose_batch(std::vector<BatchCandidate> waiting, const BatchLimits& limits) {
  const BatchCandidate oldest = waiting.front();
  waiting.resize(std::min(waiting.size(), kChoice * limits.rows));
  std::stable_sort(waiting.begin() + 1, waiting.end(), [&](const BatchCandidate& a, const BatchCandidate& b) {
    return distance(a.longest, oldest.longest) < distance(b.longest, oldest.longest);
  });
  std::vector<std::size_t> chosen{oldest.index};
  std::size_t rows = oldest.rows;
  std::size_t longest = oldest.longest;
  for (auto at = waiting.begin() + 1; at != waiting.end() && rows < limits.rows; ++at) {
    const std::size_t total = rows + at->rows;
    const std::size_t length = std::max(longest, at->longest);
    const std::size_t padding = length * total - longest * rows - at->longest * at->rows;
    if (total > limits.rows || length * total > limits.padded_tokens || padding > kRunTokens) continue;
    chosen.push_back(at->index);
    rows = total;
    longest = length;
  }
  return chosen;
}

}  // namespace kefu::nlu
