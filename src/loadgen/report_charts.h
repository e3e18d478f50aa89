#pragma once
// Charts of a load test's page.

#include "loadgen/measurement.h"
#include "train/html.h"

namespace kefu::loadgen {

/// Latency and service time over percentiles, those on a scale of 1 / (1 - p): as wide from 90 to 99 % as
/// from 99 to 99.9 %.
void add_percentile_chart(const Measurement& measurement, train::HtmlWriter& page);

/// Answers a second and their p99, over time.
void add_time_charts(const std::vector<Second>& seconds, train::HtmlWriter& page);

}  // namespace kefu::loadgen
