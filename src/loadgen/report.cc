#include "loadgen/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kefu::loadgen {
namespace {

constexpr std::uint64_t kLateUs = 1000;  // from here on the generator's delays show in a latency's digits
constexpr double kBusyShare = 0.9;       // from here on answers wait for the generator to read them
constexpr double kWaitedShare = 0.01;    // from here on p99 is that of requests that waited

}  // namespace

std::vector<std::string> warnings(const Report& report) {
  const Measurement& measured = report.measurement;
  std::vector<std::string> sentences;
  if (const std::uint64_t late = measured.lateness.quantile(0.99); late > kLateUs) {
    sentences.push_back(fmt::format(
        "The generator sent late although connections were free (p99 {:.3f} ms), so the figures measure the "
        "generator; give it a CPU of its own or lower the rate.",
        1e-3 * static_cast<double>(late)));
  }
  if (measured.busy_share > kBusyShare) {
    sentences.push_back(
        fmt::format("The generator's thread was busy for {:.0f} % of the time, so the figures measure the "
                    "generator; spread "
                    "the load over several.",
                    100 * measured.busy_share));
  }
  const auto waited = static_cast<double>(measured.waited);
  if (waited > kWaitedShare * static_cast<double>(measured.requests)) {
    sentences.push_back(fmt::format(
        "{:.1f} % of the requests waited for one of the {} connections; if clients would have more, raise "
        "--connections.",
        100 * waited / static_cast<double>(measured.requests), report.plan.connections));
  }
  if (measured.requests == 0) {
    sentences.emplace_back("No request fell into the measured time; raise --duration or the load.");
  } else if (measured.successes() == 0) {
    sentences.emplace_back("No request succeeded; the outcomes say why.");
  }
  return sentences;
}

std::string describe(const Plan& plan) {
  const std::string load = plan.is_open()
                               ? fmt::format("open loop, {:.6g} requests/s ({})", plan.rate,
                                             plan.arrivals == Arrivals::kPoisson ? "poisson" : "constant")
                               : std::string("closed loop");
  return fmt::format("{}, {} connections, {:.6g} s after {:.6g} s of warm-up", load, plan.connections,
                     to_seconds(plan.duration), to_seconds(plan.warmup));
}

std::string describe(const std::map<Outcome, std::uint64_t>& outcomes) {
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : outcomes)
    parts.push_back(fmt::format("{}: {}", outcome_name(outcome), count));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace kefu::loadgen
