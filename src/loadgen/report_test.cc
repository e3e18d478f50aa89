#include "loadgen/report.h"

#include <gtest/gtest.h>

#include "loadgen/line_chart.h"
#include "loadgen/report_html.h"
#include "loadgen/report_json.h"
#include "loadgen/report_table.h"

namespace kefu::loadgen {
namespace {

using std::chrono::milliseconds;

Histogram histogram_of(std::initializer_list<std::uint64_t> values) {
  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  return histogram;
}

Report sample_report() {
  Report report{.url = "http://a:1",
                .request = "POST /p?<x>",
                .plan = {.rate = 2, .warmup = milliseconds(500), .duration = milliseconds(2000)},
                .measurement = {},
                .text_bytes = histogram_of({10, 20}),
                .max = {}};
  Measurement& measured = report.measurement;
  measured.duration_s = 2;
  measured.requests = 4;
  measured.outcomes = {{{Outcome::Kind::kHttp, 200}, 3}, {{Outcome::Kind::kTimeout}, 1}};
  measured.latency = histogram_of({1000, 2000, 4000, 9000});
  measured.service = histogram_of({900, 1900, 3900, 8900});
  measured.lateness = histogram_of({10, 10, 20, 20});
  measured.seconds = {{.length_s = 1, .answers = 1, .p99_us = 2000},
                      {.length_s = 1, .answers = 2, .p99_us = 9000}};
  return report;
}

bool any_has(const std::vector<std::string>& sentences, std::string_view part) {
  return std::ranges::any_of(
      sentences, [&](const std::string& sentence) { return sentence.find(part) != std::string::npos; });
}

TEST(Report, WarnsOfWhatSpoilsTheFigures) {
  Report report = sample_report();
  EXPECT_TRUE(warnings(report).empty());
  report.measurement.lateness = histogram_of({10, 1001});
  report.measurement.busy_share = 0.95;
  report.measurement.waited = 1;
  EXPECT_EQ(warnings(report).size(), 3U);
  EXPECT_TRUE(any_has(warnings(report), "p99 1.001 ms"));
  EXPECT_TRUE(any_has(warnings(report), "busy for 95 %"));
  EXPECT_TRUE(any_has(warnings(report), "25.0 % of the requests waited for one of the 64 connections"));
  report.measurement = {};
  EXPECT_TRUE(any_has(warnings(report), "No request fell"));
  report.measurement.requests = 1;
  EXPECT_TRUE(any_has(warnings(report), "No request succeeded"));
}

TEST(Report, Table) {
  EXPECT_EQ(report_table(sample_report()),
            R"(http://a:1 POST /p?<x>
open loop, 2 requests/s (constant), 64 connections, 2 s after 0.5 s of warm-up

ms            mean       p50       p90       p95       p99     p99.9       max
latency      4.000     2.000     9.000     9.000     9.000     9.000     9.000
service      3.900     1.900     8.900     8.900     8.900     8.900     8.900
late         0.015     0.010     0.020     0.020     0.020     0.020     0.020
bytes           15        10        20        20        20        20        20

intended 2.0 requests/s, achieved 1.5 requests/s; 25 % failed; generator busy 0 %
outcomes 200: 3, timeout: 1; 0.00 MB sent, 0.00 MB received
)");
}

TEST(Report, JsonHasFiguresAndNullsForNothing) {
  Report report = sample_report();
  const Json json = report_json(report);
  EXPECT_EQ(json["latency_ms"]["p50"], 2.0);
  EXPECT_EQ(json["latency_ms"]["count"], 4);
  EXPECT_EQ(json["generator"]["lateness_ms"]["max"], 0.02);
  EXPECT_EQ(json["outcomes"], (Json{{"200", 3}, {"timeout", 1}}));
  EXPECT_EQ(json["seconds"].size(), 2U);
  EXPECT_EQ(json["plan"]["rate"], 2.0);
  EXPECT_EQ(json["text_bytes"]["mean"], 15.0);
  EXPECT_FALSE(json.contains("max"));
  report.measurement.latency.clear();
  report.plan.rate = 0;
  const Json closed = report_json(report);
  EXPECT_TRUE(closed["latency_ms"]["p99"].is_null());
  EXPECT_FALSE(closed.contains("intended_rate"));
  EXPECT_FALSE(closed["generator"].contains("lateness_ms"));
}

TEST(Report, HtmlEscapesAndLoadsNothing) {
  Report report = sample_report();
  report.measurement.waited = 4;
  report.max =
      MaxRate{.goal = {.p99_ms = 18}, .rate = 2, .probes = {{.rate = 2, .passed = true}}, .confirmed = {}};
  const std::string html = report_html(report);
  EXPECT_NE(html.find("POST /p?&lt;x&gt;"), std::string::npos);
  EXPECT_NE(html.find("class=\"warning\""), std::string::npos);
  EXPECT_NE(html.find("Highest rate: 2.0"), std::string::npos);
  for (const char* outside : {"<script", "src=", "href=", "url(", "@import", "nan", "inf "})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  report.measurement = {};  // a run in which nothing happened
  report.measurement.duration_s = 1;
  report.measurement.seconds.resize(1);
  EXPECT_EQ(report_html(report).find("nan"), std::string::npos);
}

TEST(LineChart, AxesEndAtRoundTicks) {
  struct Row {
    double most, end;
    std::size_t ticks;
  };
  for (const Row& row : {Row{9, 10, 6}, Row{10, 10, 6}, Row{0.011, 0.012, 7}, Row{399, 400, 9},
                         Row{401, 500, 6}, Row{1, 1, 6}, Row{0, 1, 6}}) {
    const Axis axis = round_axis("", row.most);
    EXPECT_NEAR(axis.end, row.end, 1e-9) << row.most;
    EXPECT_EQ(axis.ticks.size(), row.ticks) << row.most;
  }
  EXPECT_EQ(round_axis("", 9).ticks[1].label, "2");
}

}  // namespace
}  // namespace kefu::loadgen
