#include "loadgen/report_charts.h"

#include <algorithm>
#include <cmath>

#include "loadgen/line_chart.h"

namespace kefu::loadgen {
namespace {

constexpr int kPointsOfNine = 20;  // of a line, from 90 to 99 % for example

/// Nines of the highest percentile that so many values can tell apart: 3 of a thousand.
double nines_of(std::uint64_t count) {
  return std::max(1.0, std::log10(static_cast<double>(count)));
}

Line percentile_line(std::string css_class, const Histogram& histogram, double nines) {
  Line line{std::move(css_class), {}};
  if (histogram.count() == 0) return line;
  const auto points = static_cast<int>(std::ceil(nines * kPointsOfNine));
  for (int i = 0; i <= points; ++i) {
    const double at = std::min(nines, static_cast<double>(i) / kPointsOfNine);
    const double share = 1 - std::pow(10, -at);
    line.points.emplace_back(at, 1e-3 * static_cast<double>(histogram.quantile(share)));
  }
  line.points.back().second = 1e-3 * static_cast<double>(histogram.max());
  return line;
}

Axis percentile_axis(double nines) {
  static constexpr const char* kLabels[] = {"0",     "90",     "99",      "99.9",
                                            "99.99", "99.999", "99.9999", "99.99999"};
  Axis axis{.title = "percentile", .end = nines};
  for (std::size_t i = 0; i < std::size(kLabels) && static_cast<double>(i) <= nines; ++i)
    axis.ticks.push_back({static_cast<double>(i), kLabels[i]});
  return axis;
}

Axis time_axis(double end) {
  Axis axis = round_axis("seconds", end);
  axis.end = end;
  std::erase_if(axis.ticks, [&](const Tick& tick) { return tick.at > end; });
  return axis;
}

/// One value a second, drawn as steps, since it holds for all of its second.
template <typename Value>
Line steps(std::string css_class, const std::vector<Second>& seconds, Value value) {
  Line line{std::move(css_class), {}};
  double at = 0;
  for (const Second& second : seconds) {
    line.points.emplace_back(at, value(second));
    at += second.length_s;
    line.points.emplace_back(at, value(second));
  }
  return line;
}

double highest(const Line& line) {
  double most = 0;
  for (const auto& [at, value] : line.points) most = std::max(most, value);
  return most;
}

}  // namespace

void add_percentile_chart(const Measurement& measurement, train::HtmlWriter& page) {
  const double nines = nines_of(measurement.latency.count());
  const Line lines[] = {percentile_line("service", measurement.service, nines),
                        percentile_line("latency", measurement.latency, nines)};
  const auto most = static_cast<double>(std::max(measurement.latency.max(), measurement.service.max()));
  page.raw(
      "<section><h2>Latency by percentile</h2><p><span class=\"key latency\">latency</span>, from when a "
      "request was "
      "meant to be sent, and <span class=\"key service\">service time</span>, from when it was.</p>");
  add_line_chart("Latency by percentile", percentile_axis(nines), round_axis("ms", 1e-3 * most), lines, page);
  page.raw("</section>");
}

void add_time_charts(const std::vector<Second>& seconds, train::HtmlWriter& page) {
  double end = 0;
  for (const Second& second : seconds) end += second.length_s;
  const Axis time = time_axis(end);
  const Line rate = steps("latency", seconds, [](const Second& second) {
    return static_cast<double>(second.answers) / second.length_s;
  });
  const Line p99 = steps("latency", seconds,
                         [](const Second& second) { return 1e-3 * static_cast<double>(second.p99_us); });
  page.raw(
      "<section><h2>Over time</h2><p>Answers that were successes, and the p99 of the latency of what ended "
      "in "
      "each second.</p>");
  add_line_chart("Answers a second over time", time, round_axis("answers/s", highest(rate)), {&rate, 1},
                 page);
  add_line_chart("p99 of each second over time", time, round_axis("p99, ms", highest(p99)), {&p99, 1}, page);
  page.raw("</section>");
}

}  // namespace kefu::loadgen
