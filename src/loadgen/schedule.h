#pragma once
// When requests are meant to be sent. A value: no clock of its own.

#include <chrono>
#include <cstdint>

#include "loadgen/random.h"

namespace kefu::loadgen {

using Duration = std::chrono::steady_clock::duration;

constexpr double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

enum class Arrivals {
  kConstant,  // equally far apart
  kPoisson,   // independent of each other: gaps are exponentially distributed
};

/// The offsets from the start at which requests arrive, one after another, without end.
class Schedule {
 public:
  /// `rate`: requests a second, above 0.
  Schedule(double rate, Arrivals arrivals, std::uint64_t seed);

  /// The offset of the next request, which is not before that of the last.
  Duration next();

 private:
  double rate_;
  Arrivals arrivals_;
  Random random_;
  std::uint64_t count_ = 0;
  double seconds_ = 0;  // of the last Poisson arrival
};

}  // namespace kefu::loadgen
