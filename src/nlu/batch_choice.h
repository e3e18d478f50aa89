#pragma once
// Which of the waiting requests one run of the encoder takes.

#include <cstddef>
#include <vector>

namespace kefu::nlu {

/// A waiting request.
struct BatchCandidate {
  std::size_t index = 0;    // its place in the queue
  std::size_t rows = 0;     // windows
  std::size_t longest = 0;  // tokens of its longest window
};

struct BatchLimits {
  std::size_t rows = 0;
  std::size_t padded_tokens = 0;
};

/// Indices of the first of `waiting`, whatever its size, and of those that gain by running beside it: nearest
/// in length first, the older of equals first. `waiting` is in order of arrival and not empty; the end of a
/// long one is not looked at.
std::vector<std::size_t> choose_batch(std::vector<BatchCandidate> waiting, const BatchLimits& limits);

}  // namespace kefu::nlu
