#include "loadgen/report_json.h"

namespace kefu::loadgen {
namespace {

double to_ms(std::uint64_t us) {
  return static_cast<double>(us) / 1000;
}

/// Count, mean, percentiles and maximum; a value of the histogram counts `divisor`-ths.
Json histogram_json(const Histogram& histogram, double divisor) {
  const auto figure = [&](double value) {
    return histogram.count() == 0 ? Json(nullptr) : Json(value / divisor);
  };
  Json figures = {{"count", histogram.count()},
                  {"mean", figure(histogram.mean())},
                  {"max", figure(static_cast<double>(histogram.max()))}};
  for (const Percentile& percentile : kPercentiles)
    figures[percentile.name] = figure(static_cast<double>(histogram.quantile(percentile.share)));
  return figures;
}

Json plan_json(const Plan& plan) {
  Json object = {{"loop", plan.is_open() ? "open" : "closed"},    {"connections", plan.connections},
                 {"duration_s", to_seconds(plan.duration)},       {"warmup_s", to_seconds(plan.warmup)},
                 {"timeout_ms", 1000 * to_seconds(plan.timeout)}, {"seed", plan.seed}};
  if (plan.is_open()) {
    object["rate"] = plan.rate;
    object["arrivals"] = plan.arrivals == Arrivals::kPoisson ? "poisson" : "constant";
  }
  return object;
}

Json outcomes_json(const std::map<Outcome, std::uint64_t>& outcomes) {
  Json object = Json::object();
  for (const auto& [outcome, count] : outcomes) object[outcome_name(outcome)] = count;
  return object;
}

Json seconds_json(const std::vector<Second>& seconds) {
  Json array = Json::array();
  for (const Second& second : seconds) {
    array.push_back(
        {{"length_s", second.length_s}, {"answers", second.answers}, {"p99_ms", to_ms(second.p99_us)}});
  }
  return array;
}

Json max_json(const MaxRate& max) {
  Json probes = Json::array();
  for (const Probe& probe : max.probes) {
    probes.push_back({{"rate", probe.rate},
                      {"achieved_rate", probe.achieved_rate},
                      {"p99_ms", probe.p99_ms},
                      {"error_share", probe.error_share},
                      {"passed", probe.passed}});
  }
  return {{"rate", max.rate}, {"p99_ms", max.goal.p99_ms}, {"probes", std::move(probes)}};
}

}  // namespace

Json report_json(const Report& report) {
  const Measurement& measured = report.measurement;
  Json object = {{"url", report.url},
                 {"request", report.request},
                 {"plan", plan_json(report.plan)},
                 {"requests", measured.requests},
                 {"outcomes", outcomes_json(measured.outcomes)},
                 {"error_share", measured.error_share()},
                 {"achieved_rate", measured.achieved_rate()},
                 {"latency_ms", histogram_json(measured.latency, 1000)},
                 {"service_ms", histogram_json(measured.service, 1000)},
                 {"bytes", {{"sent", measured.sent_bytes}, {"received", measured.received_bytes}}},
                 {"seconds", seconds_json(measured.seconds)},
                 {"generator", {{"busy_share", measured.busy_share}}},
                 {"warnings", warnings(report)}};
  if (report.plan.is_open()) {
    object["intended_rate"] = measured.intended_rate();
    object["waited"] = measured.waited;
    object["generator"]["lateness_ms"] = histogram_json(measured.lateness, 1000);
  }
  if (report.text_bytes) object["text_bytes"] = histogram_json(*report.text_bytes, 1);
  if (report.max) object["max"] = max_json(*report.max);
  return object;
}

std::string report_json_text(const Report& report) {
  return report_json(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kefu::loadgen
