#include "loadgen/report_html.h"

#include "loadgen/report_charts.h"
#include "train/html.h"

namespace kefu::loadgen {
namespace {

using train::escape_html;
using train::HtmlWriter;

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#5d6878;--line:#e1e5ea;
--blue:#2563c9;--red:#c2413a}
@media(prefers-color-scheme:dark){:root{--page:#11151b;--card:#191f28;--ink:#e4e8ee;--soft:#98a3b3;
--line:#2b333f;--blue:#6ea3f5;--red:#ee7d74}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif}
main{max-width:920px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:24px;line-height:1.25;margin:0;overflow-wrap:anywhere}h2{font-size:18px;margin:0 0 4px}
p{margin:0 0 14px;color:var(--soft)}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:22px 24px;margin:20px 0}
.warning{border-left:4px solid var(--red)}.warning p{color:var(--ink);margin:0 0 4px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left}thead th{color:var(--soft)}th{font-weight:500}
svg{width:100%;height:auto}svg text{fill:var(--soft);font-size:11px}svg .axis{font-size:12px}
.grid{stroke:var(--line)}polyline{fill:none;stroke-width:2;stroke-linejoin:round}
polyline.latency{stroke:var(--blue)}polyline.service{stroke:var(--soft);stroke-dasharray:5 4}
.key{border-bottom:2px solid var(--blue)}.key.service{border-bottom:2px dashed var(--soft)}
@media print{section{break-inside:avoid-page}}
)css";

void add_warnings(const Report& report, HtmlWriter& page) {
  const std::vector<std::string> sentences = warnings(report);
  if (sentences.empty()) return;
  page.raw("<section class=\"warning\">");
  for (const std::string& sentence : sentences) page.add("<p>{}</p>", escape_html(sentence));
  page.raw("</section>");
}

void add_row(std::string_view name, const Histogram& histogram, HtmlWriter& page) {
  page.add("<tr><th scope=\"row\">{}</th>", name);
  const auto add = [&](double us) {
    if (histogram.count() == 0) return page.raw("<td>–</td>");
    page.add("<td>{:.3f}</td>", 1e-3 * us);
  };
  add(histogram.mean());
  for (const Percentile& percentile : kPercentiles)
    add(static_cast<double>(histogram.quantile(percentile.share)));
  add(static_cast<double>(histogram.max()));
  page.raw("</tr>");
}

void add_latencies(const Report& report, HtmlWriter& page) {
  page.raw("<section><h2>Times</h2><div class=\"scroll\"><table><thead><tr><th>ms</th><th>mean</th>");
  for (const Percentile& percentile : kPercentiles) page.add("<th>{}</th>", percentile.name);
  page.raw("<th>max</th></tr></thead>");
  add_row("latency", report.measurement.latency, page);
  add_row("service time", report.measurement.service, page);
  if (report.plan.is_open()) add_row("generator late by", report.measurement.lateness, page);
  page.raw("</table></div></section>");
}

void add_fact(std::string_view name, const std::string& value, HtmlWriter& page) {
  page.add("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", name, escape_html(value));
}

void add_facts(const Report& report, HtmlWriter& page) {
  const Measurement& measured = report.measurement;
  page.raw("<section><h2>Load</h2><div class=\"scroll\"><table>");
  if (report.plan.is_open())
    add_fact("intended", fmt::format("{:.1f} requests/s", measured.intended_rate()), page);
  add_fact("achieved", fmt::format("{:.1f} requests/s", measured.achieved_rate()), page);
  add_fact("failed", fmt::format("{:.3g} %", 100 * measured.error_share()), page);
  add_fact("outcomes", describe(measured.outcomes), page);
  add_fact("sent", fmt::format("{:.2f} MB", 1e-6 * static_cast<double>(measured.sent_bytes)), page);
  add_fact("received", fmt::format("{:.2f} MB", 1e-6 * static_cast<double>(measured.received_bytes)), page);
  if (report.text_bytes) {
    const Histogram& bytes = *report.text_bytes;
    add_fact("texts",
             fmt::format("{} of {:.1f} bytes on average; p50 {}, p90 {}, p99 {}, longest {}", bytes.count(),
                         bytes.mean(), bytes.quantile(0.5), bytes.quantile(0.9), bytes.quantile(0.99),
                         bytes.max()),
             page);
  }
  add_fact("generator busy", fmt::format("{:.0f} %", 100 * measured.busy_share), page);
  page.raw("</table></div></section>");
}

void add_probes(const MaxRate& max, HtmlWriter& page) {
  page.add(
      "<section><h2>Highest rate: {:.1f} requests/s</h2><p>With p99 within {} ms, at most {} % failures and "
      "{} % of "
      "the rate achieved; the probes in their order. The figures of this page are those of the last one.</p>"
      "<div class=\"scroll\"><table><thead><tr><th>requests/s</th><th>achieved</th><th>p99, "
      "ms</th><th>failed, %</th>"
      "<th>within</th></tr></thead>",
      max.rate, max.goal.p99_ms, 100 * max.goal.error_share, 100 * max.goal.achieved_share);
  for (const Probe& probe : max.probes) {
    page.add("<tr><td>{:.1f}</td><td>{:.1f}</td><td>{:.3f}</td><td>{:.3g}</td><td>{}</td></tr>", probe.rate,
             probe.achieved_rate, probe.p99_ms, 100 * probe.error_share, probe.passed ? "yes" : "no");
  }
  page.raw("</table></div></section>");
}

}  // namespace

std::string report_html(const Report& report) {
  HtmlWriter page;
  page.add(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Load test of {0}</title>"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>{1}</style></head>"
      "<body><main><header><h1>Load test of {0}</h1><p>{2}: {3}</p></header>",
      escape_html(report.url), kStyle, escape_html(report.request), escape_html(describe(report.plan)));
  add_warnings(report, page);
  if (report.max) add_probes(*report.max, page);
  add_latencies(report, page);
  add_percentile_chart(report.measurement, page);
  add_time_charts(report.measurement.seconds, page);
  add_facts(report, page);
  page.raw("</main></body></html>\n");
  return std::move(page).finish();
}

}  // namespace kefu::loadgen
