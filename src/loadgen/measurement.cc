#include "loadgen/measurement.h"

namespace kefu::loadgen {

std::uint64_t Measurement::successes() const {
  std::uint64_t sum = 0;
  for (const auto& [outcome, count] : outcomes) sum += is_success(outcome) ? count : 0;
  return sum;
}

double Measurement::error_share() const {
  return requests == 0 ? 0 : static_cast<double>(requests - successes()) / static_cast<double>(requests);
}

double Measurement::intended_rate() const {
  return static_cast<double>(requests) / duration_s;
}

double Measurement::achieved_rate() const {
  std::uint64_t answers = 0;
  for (const Second& second : seconds) answers += second.answers;
  return static_cast<double>(answers) / duration_s;
}

}  // namespace kefu::loadgen
