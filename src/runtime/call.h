#pragma once
// How a request wants to be treated, whatever it asks.

#include <memory>
#include <optional>
#include <string>

#include "runtime/cancellation.h"
#include "runtime/moments.h"

namespace kefu::runtime {

struct Call {
  Time received = std::chrono::steady_clock::now();  // its last byte
  std::size_t level = 0;                             // of priority, 1 the highest; 0: the default
  std::optional<Time> deadline = std::nullopt;       // after which the answer is of no use
  Duration timeout{0};                               // longest wait in the queue; 0: the level's
  std::shared_ptr<Cancellation> cancellation{};      // none: it cannot be cancelled
  bool is_judged = false;                            // whether a release's guards count what comes of it
  std::string tenant{};                              // whose request it is; empty: nobody's in particular
  std::shared_ptr<Moments> moments{};                // where they are left before the answer; none: nowhere
};

}  // namespace kefu::runtime
