#include <iostream>

#include "base/file.h"
#include "cli/command.h"
#include "loadgen/prepare.h"
#include "loadgen/report_html.h"
#include "loadgen/report_json.h"
#include "loadgen/report_table.h"
#include "loadgen/run.h"

namespace kefu::cli {
namespace {

struct BenchOptions {
  loadgen::Options load;
  std::string json;
  std::string html;
};

/// A search takes minutes: what it has tried is told meanwhile.
void tell_probe(const loadgen::Probe& probe) {
  std::cerr << fmt::format("{:.1f} requests/s: p99 {:.3f} ms, {:.3g} % failed, {:.1f} achieved: {}\n",
                           probe.rate, probe.p99_ms, 100 * probe.error_share, probe.achieved_rate,
                           probe.passed ? "within the bound" : "too much");
}

Result<void> bench(const BenchOptions& options) {
  KEFU_ASSIGN(const loadgen::Plan plan, loadgen::check_plan(options.load));
  KEFU_ASSIGN(const std::optional<loadgen::Goal> goal, loadgen::check_goal(options.load));
  KEFU_ASSIGN(const loadgen::Prepared prepared, loadgen::prepare(options.load));
  loadgen::Report report{.url = options.load.url,
                         .request = prepared.request,
                         .plan = plan,
                         .measurement = {},
                         .text_bytes = prepared.text_bytes,
                         .max = {}};
  if (goal) {
    KEFU_ASSIGN(report.max, loadgen::find_max(plan, *goal, *prepared.target, tell_probe));
    report.plan.rate = report.max->rate;
    report.measurement = std::move(report.max->confirmed);
  } else {
    KEFU_ASSIGN(report.measurement, loadgen::run(plan, *prepared.target));
  }
  std::cout << loadgen::report_table(report);
  if (!options.json.empty()) KEFU_CHECK(write_file(options.json, loadgen::report_json_text(report)));
  if (!options.html.empty()) KEFU_CHECK(write_file(options.html, loadgen::report_html(report)));
  return {};
}

void add_requests(CLI::App& command, loadgen::Options& load) {
  command.add_option("url", load.url, "http://HOST:PORT or grpc://HOST:PORT, over TLS https: or grpcs:")
      ->required();
  command.add_option("--texts", load.texts, "file of messages in UTF-8, one a line, sent in random order");
  command.add_option(
      "--route", load.route,
      "how texts are sent: parse (POST /model/parse) or infer (Open Inference Protocol); over gRPC infer");
  command.add_option("--model", load.model, "model name")->capture_default_str();
  command.add_option("--body", load.body, "file with a JSON body, sent as it is to --path");
  command.add_option("--path", load.path, "path that --body is sent to");
}

void add_load(CLI::App& command, loadgen::Options& load) {
  command.add_option("--rate", load.rate,
                     "requests a second, sent whether or not answers come; with --find-max the first to try");
  command.add_option("--arrivals", load.arrivals, "of these requests: constant (default) or poisson");
  command.add_option(
      "--connections", load.connections,
      "requests under way at once, at most (64); without --rate a closed loop: always as many");
  command.add_option("--streams", load.streams, "of these, how many a gRPC connection carries")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--duration", load.duration_s, "measured seconds")->capture_default_str();
  command.add_option("--warmup", load.warmup_s, "seconds before, not measured")->capture_default_str();
  command.add_option("--timeout-ms", load.timeout_ms, "of a request")->capture_default_str();
  command.add_option("--seed", load.seed, "of the arrivals and of the order of the texts")
      ->capture_default_str();
  command.add_flag("--find-max", load.find_max, "find the highest rate whose p99 is within --p99-ms");
  command.add_option("--p99-ms", load.p99_ms, "bound for --find-max");
}

}  // namespace

void add_bench(CLI::App& app, Result<void>& outcome) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand("bench", "Put a server under load and measure how fast it answers");
  add_requests(*command, options->load);
  add_load(*command, options->load);
  add_trust_options(*command, options->load.trust);
  command->add_option("--json", options->json, "write the figures to this file");
  command->add_option("--html", options->html, "write a report to this file");
  command->callback([options, &outcome] { outcome = bench(*options); });
}

}  // namespace kefu::cli
