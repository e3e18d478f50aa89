#pragma once
// When a request reached each stage of its way.

#include <chrono>
#include <cstddef>

namespace kefu::runtime {

using Time = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// Phases are differences. The moments of a request of many rows are its first run's, but for the last two. A
/// stage that was not reached is Time().
struct Moments {
  Time received{};    // its last byte came
  Time queued{};      // it began to wait
  Time taken{};       // an instance took it
  Time copied_in{};   // the engine could begin
  Time computed{};    // the engine had run
  Time copied_out{};  // the results were in the task

  std::size_t tokens = 0;  // of its rows, without padding
};

}  // namespace kefu::runtime
