#include "loadgen/options.h"

#include <cmath>

#include <gtest/gtest.h>

namespace kefu::loadgen {
namespace {

const std::string kHttp = "http://a:1";
const std::string kGrpc = "grpc://a:1";

template <typename T>
std::string complaint_of(const Result<T>& result) {
  return result ? "" : result.error().message;
}

TEST(Options, Subjects) {
  const auto is_infer = [](const Options& options) { return check_subject(options).value().is_infer; };
  EXPECT_FALSE(is_infer({.url = kHttp, .texts = "f"}));
  EXPECT_FALSE(is_infer({.url = kHttp, .texts = "f", .route = "parse"}));
  EXPECT_TRUE(is_infer({.url = kHttp, .texts = "f", .route = "infer"}));
  EXPECT_TRUE(is_infer({.url = kGrpc, .texts = "f"}));
  EXPECT_TRUE(is_infer({.url = kGrpc, .texts = "f", .route = "infer"}));
  EXPECT_FALSE(is_infer({.url = kHttp, .body = "f", .path = "/p"}));
}

TEST(Options, SubjectsThatContradict) {
  struct Row {
    Options options;
    const char* complaint;
  };
  const Row rows[] = {
      {{.url = "a:1", .texts = "f"}, "http://HOST:PORT"},
      {{.url = kHttp}, "either --texts"},
      {{.url = kHttp, .texts = "f", .body = "f", .path = "/p"}, "either --texts"},
      {{.url = kHttp, .body = "f"}, "--body and --path"},
      {{.url = kHttp, .texts = "f", .path = "/p"}, "--body and --path"},
      {{.url = kGrpc, .body = "f", .path = "/p"}, "over HTTP only"},
      {{.url = kHttp, .body = "f", .path = "/p", .route = "infer"}, "--route says"},
      {{.url = kHttp, .texts = "f", .route = "guess"}, "\"guess\"; it must be parse or infer"},
      {{.url = kGrpc, .texts = "f", .route = "parse"}, "over HTTP only"},
  };
  for (const Row& row : rows) {
    const std::string complaint = complaint_of(check_subject(row.options));
    EXPECT_NE(complaint.find(row.complaint), std::string::npos) << row.complaint << ": " << complaint;
  }
}

TEST(Options, Plans) {
  EXPECT_EQ(check_plan({.url = "", .rate = 7.5}).value().rate, 7.5);
  EXPECT_EQ(check_plan({.url = "", .rate = 7.5}).value().connections, 64U);
  EXPECT_EQ(check_plan({.url = "", .rate = 1, .arrivals = "poisson"}).value().arrivals, Arrivals::kPoisson);
  EXPECT_FALSE(check_plan({.url = "", .connections = 3}).value().is_open());
  EXPECT_EQ(check_plan({.url = "", .find_max = true, .p99_ms = 1}).value().rate, 100);
  EXPECT_EQ(check_plan({.url = "", .rate = 5, .connections = 2, .find_max = true}).value().rate, 5);
  EXPECT_EQ(check_plan({.url = "", .rate = 1, .duration_s = 0.25}).value().duration,
            std::chrono::milliseconds(250));
}

TEST(Options, PlansThatContradict) {
  struct Row {
    Options options;
    const char* complaint;
  };
  const Row rows[] = {
      {{.url = ""}, "how much load?"},
      {{.url = "", .rate = 0}, "--rate is 0; it must be 0.001 to 1000000"},
      {{.url = "", .rate = -1}, "--rate is -1"},
      {{.url = "", .rate = std::nan("")}, "--rate is nan"},
      {{.url = "", .rate = 2e6}, "--rate is 2000000"},
      {{.url = "", .connections = 0}, "--connections is 0"},
      {{.url = "", .connections = 3, .find_max = true, .p99_ms = 1}, "is a closed loop"},
      {{.url = "", .arrivals = "poisson", .connections = 3}, "--arrivals needs --rate"},
      {{.url = "", .rate = 1, .arrivals = "bursts"}, "constant or poisson"},
      {{.url = "", .rate = 1, .duration_s = 0}, "--duration is 0"},
      {{.url = "", .rate = 1, .warmup_s = -1}, "--warmup is -1"},
      {{.url = "", .rate = 1, .timeout_ms = 0}, "--timeout-ms is 0"},
  };
  for (const Row& row : rows) {
    const std::string complaint = complaint_of(check_plan(row.options));
    EXPECT_NE(complaint.find(row.complaint), std::string::npos) << row.complaint << ": " << complaint;
  }
}

TEST(Options, Goals) {
  EXPECT_FALSE(check_goal({.url = ""}).value());
  EXPECT_EQ(check_goal({.url = "", .find_max = true, .p99_ms = 18}).value().value_or(Goal{}).p99_ms, 18);
  EXPECT_FALSE(check_goal({.url = "", .find_max = true}));
  EXPECT_FALSE(check_goal({.url = "", .p99_ms = 18}));
  EXPECT_FALSE(check_goal({.url = "", .find_max = true, .p99_ms = 0}));
}

}  // namespace
}  // namespace kefu::loadgen
