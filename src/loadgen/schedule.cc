#include "loadgen/schedule.h"

#include <cmath>

namespace kefu::loadgen {

Schedule::Schedule(double rate, Arrivals arrivals, std::uint64_t seed)
    : rate_(rate), arrivals_(arrivals), random_(seed) {}

Duration Schedule::next() {
  // Constant arrivals are counted, not added up: rounding errors would add up too.
  if (arrivals_ == Arrivals::kConstant) {
    seconds_ = static_cast<double>(count_++) / rate_;
  } else {
    seconds_ -= std::log1p(-uniform(random_)) / rate_;
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds_));
}

}  // namespace kefu::loadgen
