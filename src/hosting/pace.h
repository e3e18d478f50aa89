#pragma once
// Lets one of many through, now and then.

#include <atomic>

#include "runtime/moments.h"

namespace kefu::hosting {

/// Thread-safe; takes no lock.
class Pace {
 public:
  explicit Pace(runtime::Duration pause) : pause_(pause) {}

  /// Whether it is somebody's turn: at most once in each pause.
  bool is_due(runtime::Time now) {
    runtime::Time next = next_.load(std::memory_order_relaxed);
    return now >= next && next_.compare_exchange_strong(next, now + pause_, std::memory_order_relaxed);
  }

 private:
  const runtime::Duration pause_;
  std::atomic<runtime::Time> next_ = runtime::Time();
};

}  // namespace kefu::hosting
