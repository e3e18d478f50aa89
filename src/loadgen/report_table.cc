#include "loadgen/report_table.h"

#include <iterator>

#include <fmt/format.h>

namespace kefu::loadgen {
namespace {

constexpr int kCell = 10;

/// Mean, percentiles and maximum; dashes if nothing was recorded.
void add_figures(std::string_view name, const Histogram& histogram, double unit, int decimals,
                 std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "{:<8}", name);
  const auto add = [&](double value) {
    if (histogram.count() == 0) {
      fmt::format_to(end, "{:>{}}", "-", kCell);
    } else {
      fmt::format_to(end, "{:>{}.{}f}", unit * value, kCell, decimals);
    }
  };
  add(histogram.mean());
  for (const Percentile& percentile : kPercentiles)
    add(static_cast<double>(histogram.quantile(percentile.share)));
  add(static_cast<double>(histogram.max()));
  out += '\n';
}

void add_heads(std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "{:<8}{:>{}}", "ms", "mean", kCell);
  for (const Percentile& percentile : kPercentiles) fmt::format_to(end, "{:>{}}", percentile.name, kCell);
  fmt::format_to(end, "{:>{}}\n", "max", kCell);
}

}  // namespace

std::string report_table(const Report& report) {
  const Measurement& measured = report.measurement;
  std::string out = fmt::format("{} {}\n{}\n\n", report.url, report.request, describe(report.plan));
  auto end = std::back_inserter(out);
  add_heads(out);
  add_figures("latency", measured.latency, 1e-3, 3, out);
  add_figures("service", measured.service, 1e-3, 3, out);
  if (report.plan.is_open()) add_figures("late", measured.lateness, 1e-3, 3, out);
  if (report.text_bytes) add_figures("bytes", *report.text_bytes, 1, 0, out);
  out += '\n';
  if (report.plan.is_open()) fmt::format_to(end, "intended {:.1f} requests/s, ", measured.intended_rate());
  fmt::format_to(end, "achieved {:.1f} requests/s; {:.3g} % failed; generator busy {:.0f} %\n",
                 measured.achieved_rate(), 100 * measured.error_share(), 100 * measured.busy_share);
  fmt::format_to(end, "outcomes {}; {:.2f} MB sent, {:.2f} MB received\n", describe(measured.outcomes),
                 1e-6 * static_cast<double>(measured.sent_bytes),
                 1e-6 * static_cast<double>(measured.received_bytes));
  if (report.max) {
    fmt::format_to(end, "highest rate with p99 <= {} ms: {:.1f} requests/s, after {} probes\n",
                   report.max->goal.p99_ms, report.max->rate, report.max->probes.size());
  }
  for (const std::string& warning : warnings(report)) fmt::format_to(end, "warning: {}\n", warning);
  return out;
}

}  // namespace kefu::loadgen
