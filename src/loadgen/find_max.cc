#include "loadgen/find_max.h"

#include "loadgen/rate_search.h"
#include "loadgen/run.h"

namespace kefu::loadgen {
namespace {

double p99_ms(const Measurement& measurement) {
  return 1e-3 * static_cast<double>(measurement.latency.quantile(0.99));
}

tl::unexpected<Error> nothing_found(const Goal& goal, const Probe& last) {
  return fail(
      Code::kFailedPrecondition,
      "no rate keeps p99 within {} ms: at {:.1f} requests/s it was {:.3f} ms, {:.2f} % failed, and {:.1f} "
      "requests/s were achieved; raise --p99-ms or --duration",
      goal.p99_ms, last.rate, last.p99_ms, 100 * last.error_share, last.achieved_rate);
}

}  // namespace

bool meets(const Measurement& measurement, const Goal& goal) {
  return measurement.successes() > 0 && p99_ms(measurement) <= goal.p99_ms &&
         measurement.error_share() <= goal.error_share &&
         measurement.achieved_rate() >= goal.achieved_share * measurement.intended_rate();
}

Result<MaxRate> find_max(Plan plan, const Goal& goal, Target& target,
                         const std::function<void(const Probe&)>& tell) {
  RateSearch search(plan.rate);
  MaxRate max;
  max.goal = goal;
  while (!search.is_done()) {
    plan.rate = search.rate();
    KEFU_ASSIGN(max.confirmed, run(plan, target));
    max.probes.push_back({.rate = plan.rate,
                          .achieved_rate = max.confirmed.achieved_rate(),
                          .p99_ms = p99_ms(max.confirmed),
                          .error_share = max.confirmed.error_share(),
                          .passed = meets(max.confirmed, goal)});
    tell(max.probes.back());
    search.tell(max.probes.back().passed);
  }
  const std::optional<double> found = search.found();
  if (!found) return nothing_found(goal, max.probes.back());
  max.rate = *found;
  return max;
}

}  // namespace kefu::loadgen
