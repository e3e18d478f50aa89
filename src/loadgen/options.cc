#include "loadgen/options.h"

namespace kefu::loadgen {
namespace {

/// Tried first if the user names no rate. Ten doublings lead to what a core can send.
constexpr double kFirstRate = 100;
constexpr double kLeastRate = 0.001;  // a request in 17 minutes
constexpr double kMostRate = 1e6;
constexpr std::size_t kMostConnections = 16'384;
constexpr double kDay = 24 * 3600;

/// False for what is no number, too.
bool is_within(double value, double least, double most) {
  return value >= least && value <= most;
}

Result<Duration> duration_of(std::string_view option, double value, double unit_s, double least,
                             double most) {
  if (!is_within(value, least, most))
    return fail(Code::kInvalidArgument, "{} is {}; it must be {} to {}", option, value, least, most);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value * unit_s));
}

Result<void> check_load(const Options& options) {
  if (options.rate && !is_within(*options.rate, kLeastRate, kMostRate)) {
    return fail(
        Code::kInvalidArgument,
        "--rate is {}; it must be {} to {}; for a closed loop leave it out and give --connections alone",
        *options.rate, kLeastRate, kMostRate);
  }
  if (options.connections && (*options.connections < 1 || *options.connections > kMostConnections)) {
    return fail(Code::kInvalidArgument, "--connections is {}; it must be 1 to {}", *options.connections,
                kMostConnections);
  }
  if (options.find_max && options.connections && !options.rate) {
    return fail(Code::kInvalidArgument,
                "--find-max looks for a rate, but --connections without --rate is a closed loop; leave "
                "--connections out, or add --rate with the rate to try first");
  }
  if (!options.find_max && !options.rate && !options.connections) {
    return fail(Code::kInvalidArgument,
                "how much load? give --rate R, --connections N alone for a closed loop, or --find-max");
  }
  if (!options.find_max && !options.rate && options.arrivals) {
    return fail(Code::kInvalidArgument,
                "--arrivals needs --rate: in a closed loop requests follow the answers");
  }
  return {};
}

}  // namespace

Result<Subject> check_subject(const Options& options) {
  KEFU_ASSIGN(const net::Url url, net::parse_url(options.url));
  if (options.texts.empty() == options.body.empty()) {
    return fail(
        Code::kInvalidArgument,
        "what is to be sent? give either --texts with a file of messages, or --body with a file of JSON "
        "and --path");
  }
  if (options.body.empty() != options.path.empty()) {
    return fail(Code::kInvalidArgument, "--body and --path belong together; give both, or --texts");
  }
  if (!options.body.empty() && url.is_grpc) {
    return fail(Code::kInvalidArgument, "--body is sent over HTTP only; write http://, or give --texts");
  }
  if (!options.body.empty() && options.route) {
    return fail(Code::kInvalidArgument, "--route says how texts are sent; leave it out, or give --texts");
  }
  const std::string route = options.route.value_or(url.is_grpc ? "infer" : "parse");
  if (route != "parse" && route != "infer")
    return fail(Code::kInvalidArgument, "--route is \"{}\"; it must be parse or infer", route);
  if (url.is_grpc && route == "parse")
    return fail(Code::kInvalidArgument,
                "--route parse is there over HTTP only; write http://, or --route infer");
  return Subject{url, route == "infer"};
}

Result<Plan> check_plan(const Options& options) {
  KEFU_CHECK(check_load(options));
  Plan plan;
  plan.rate = options.rate.value_or(options.find_max ? kFirstRate : 0);
  plan.connections = options.connections.value_or(plan.connections);
  const std::string arrivals = options.arrivals.value_or("constant");
  if (arrivals != "constant" && arrivals != "poisson")
    return fail(Code::kInvalidArgument, "--arrivals is \"{}\"; it must be constant or poisson", arrivals);
  plan.arrivals = arrivals == "poisson" ? Arrivals::kPoisson : Arrivals::kConstant;
  KEFU_ASSIGN(plan.duration, duration_of("--duration", options.duration_s, 1, 0.1, kDay));
  KEFU_ASSIGN(plan.warmup, duration_of("--warmup", options.warmup_s, 1, 0, kDay));
  KEFU_ASSIGN(plan.timeout, duration_of("--timeout-ms", options.timeout_ms, 1e-3, 1, 3600e3));
  plan.seed = options.seed;
  return plan;
}

Result<std::optional<Goal>> check_goal(const Options& options) {
  if (options.find_max != options.p99_ms.has_value()) {
    return fail(Code::kInvalidArgument,
                "--find-max and --p99-ms belong together: the highest rate whose p99 is within that many "
                "milliseconds");
  }
  if (!options.p99_ms) return std::optional<Goal>();
  if (!(*options.p99_ms > 0))
    return fail(Code::kInvalidArgument, "--p99-ms is {}; it must be above 0", *options.p99_ms);
  return std::optional<Goal>({.p99_ms = *options.p99_ms});
}

}  // namespace kefu::loadgen
