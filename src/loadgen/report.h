#pragma once
// Everything that a report of a load test shows.

#include <optional>
#include <string>
#include <vector>

#include "loadgen/find_max.h"
#include "loadgen/measurement.h"

namespace kefu::loadgen {

struct Report {
  std::string url;
  std::string request;  // "POST /model/parse"
  Plan plan;            // of the search: that of the probe which confirmed the rate
  Measurement measurement;
  std::optional<Histogram> text_bytes;  // lengths of the texts, if texts were sent
  std::optional<MaxRate> max;
};

/// A percentile that reports show.
struct Percentile {
  const char* name;
  double share;
};

constexpr Percentile kPercentiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}};

/// Reasons not to trust the figures, or not to take them for the server's; each a sentence.
std::vector<std::string> warnings(const Report& report);

/// "open loop, 500 requests/s (poisson), 64 connections, 10 s after 1 s of warm-up".
std::string describe(const Plan& plan);

/// "200: 4998, timeout: 2".
std::string describe(const std::map<Outcome, std::uint64_t>& outcomes);

}  // namespace kefu::loadgen
