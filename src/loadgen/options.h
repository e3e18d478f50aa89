#pragma once
// What a user may ask of the load generator, and what of it makes sense together.

#include <optional>
#include <string>

#include "base/result.h"
#include "loadgen/find_max.h"
#include "loadgen/plan.h"
#include "net/tls_settings.h"
#include "net/url.h"

namespace kefu::loadgen {

/// As given on the command line; files are not read yet.
struct Options {
  std::string url;
  std::string texts = {};                 // file, one message a line; "": none
  std::string body = {};                  // file with a JSON body; "": none
  std::string path = {};                  // of `body`
  std::optional<std::string> route = {};  // "parse" or "infer" of texts; over gRPC infer only
  std::string model = "default";
  std::optional<double> rate = {};
  std::optional<std::string> arrivals = {};  // "constant" or "poisson"
  std::optional<std::size_t> connections = {};
  std::size_t streams = kStreams;  // of a gRPC connection
  double duration_s = 10;
  double warmup_s = 1;
  double timeout_ms = 10'000;
  std::uint64_t seed = 1;
  bool find_max = false;
  std::optional<double> p99_ms = {};
  net::TrustSettings trust = {};
};

/// Where the requests go and what is in them.
struct Subject {
  net::Url url;
  bool is_infer = false;  // of the Open Inference Protocol; else Kefu's parse
};

/// kInvalidArgument names the options that contradict each other, and the remedy.
Result<Subject> check_subject(const Options& options);

/// Likewise. With find_max the rate is that to try first.
Result<Plan> check_plan(const Options& options);

/// Likewise; none without find_max.
Result<std::optional<Goal>> check_goal(const Options& options);

}  // namespace kefu::loadgen
