#include "tracing/otlp_json.h"

#include <set>

#include <gtest/gtest.h>

#include "base/json.h"

namespace kefu::tracing {
namespace {

using std::chrono::nanoseconds;

runtime::Time at(std::int64_t ns) {
  return runtime::Time(nanoseconds(ns));
}

Json spans_of(const std::vector<Span>& spans) {
  const std::string text = write_otlp(spans, "shop", nanoseconds(1'000'000));
  EXPECT_EQ(text, write_otlp(spans, "shop", nanoseconds(1'000'000)));  // when it is sent again
  const Json request = Json::parse(text);
  EXPECT_EQ(request["resourceSpans"][0]["resource"]["attributes"][0],
            (Json{{"key", "service.name"}, {"value", {{"stringValue", "shop"}}}}));
  return request["resourceSpans"][0]["scopeSpans"][0]["spans"];
}

/// The value of an attribute, as text; empty: it is not there.
std::string attribute(const Json& span, std::string_view key) {
  for (const Json& one : span["attributes"]) {
    if (one["key"] == key) return one["value"].items().begin().value();
  }
  return {};
}

TEST(OtlpJson, ARequestIsASpanWithItsStagesBelow) {
  const Span span{.context = {0x0af7, 0x319c, 0xb7ad, true},
                  .parent = 0x1,
                  .state = "congo=t61rcWkgMzE",
                  .api = "v2",
                  .interface = "http",
                  .model = "shop",
                  .version = "3",
                  .failure = {},
                  .moments = {.received = at(10),
                              .queued = at(20),
                              .taken = at(30),
                              .copied_in = at(40),
                              .computed = at(50),
                              .copied_out = at(60)},
                  .ended = at(70)};
  const Json spans = spans_of({span});
  ASSERT_EQ(spans.size(), 7U);
  EXPECT_EQ(spans[0]["traceId"], "0000000000000af7000000000000319c");
  EXPECT_EQ(spans[0]["spanId"], "000000000000b7ad");
  EXPECT_EQ(spans[0]["parentSpanId"], "0000000000000001");
  EXPECT_EQ(spans[0]["name"], "POST /v2/models/{model}/infer");
  EXPECT_EQ(spans[0]["traceState"], "congo=t61rcWkgMzE");
  EXPECT_EQ(spans[0]["kind"], 2);
  EXPECT_EQ(spans[0]["startTimeUnixNano"], "1000010");
  EXPECT_EQ(spans[0]["endTimeUnixNano"], "1000070");
  EXPECT_EQ(spans[0]["status"]["code"], 0);
  EXPECT_EQ(attribute(spans[0], "kefu.version"), "3");
  EXPECT_EQ(attribute(spans[0], "http.route"), "/v2/models/{model}/infer");
  EXPECT_EQ(attribute(spans[0], "http.response.status_code"), "200");
  std::set<std::string> ids;
  for (const Json& one : spans) ids.insert(one["spanId"]);
  EXPECT_EQ(ids.size(), spans.size());
  const char* names[] = {"tokenize",      "queue",          "compute_input",
                         "compute_infer", "compute_output", "postprocess"};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(spans[i + 1]["name"], names[i]);
    EXPECT_EQ(spans[i + 1]["parentSpanId"], "000000000000b7ad");
    EXPECT_EQ(spans[i + 1]["startTimeUnixNano"], std::to_string(1'000'010 + 10 * i));
    EXPECT_EQ(spans[i + 1]["endTimeUnixNano"], std::to_string(1'000'020 + 10 * i));
  }
}

TEST(OtlpJson, AStageThatWasNotReachedIsNotThere) {
  Span span{.context = {1, 2, 3, true},
            .api = "native",
            .interface = "http",
            .failure = Code::kUnavailable,
            .ended = at(70)};
  span.moments.received = at(10);
  span.moments.queued = at(20);
  const Json spans = spans_of({span});
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_FALSE(spans[0].contains("parentSpanId"));
  EXPECT_EQ(spans[0]["status"]["code"], 2);
  EXPECT_EQ(spans[0]["attributes"].back(),
            (Json{{"key", "error.type"}, {"value", {{"stringValue", "UNAVAILABLE"}}}}));
  EXPECT_EQ(attribute(spans[0], "http.route"), "/model/parse");
  EXPECT_EQ(attribute(spans[0], "http.response.status_code"), "503");
  EXPECT_EQ(spans[1]["name"], "tokenize");
  EXPECT_EQ(spans[2]["name"], "queue");  // to its end
  EXPECT_EQ(spans[2]["endTimeUnixNano"], spans[0]["endTimeUnixNano"]);
}

TEST(OtlpJson, WhatWasRefusedBeforeItWaitedHasNoStage) {
  const Span span{.context = {1, 2, 3, true},
                  .api = "openai",
                  .interface = "http",
                  .failure = Code::kNotFound,
                  .moments = {.received = at(1)},
                  .ended = at(2)};
  const Json spans = spans_of({span});
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(attribute(spans[0], "kefu.model"), "");
  EXPECT_EQ(attribute(spans[0], "http.route"), "/v1/embeddings");
  EXPECT_EQ(attribute(spans[0], "http.response.status_code"), "404");
}

TEST(OtlpJson, WhatCallersDidWrongIsNoErrorOfTheServer) {
  const Span span{.context = {1, 2, 3, true},
                  .api = "v2",
                  .interface = "grpc",
                  .failure = Code::kInvalidArgument,
                  .moments = {.received = at(1)},
                  .ended = at(2)};
  const Json spans = spans_of({span});
  EXPECT_EQ(spans[0]["status"]["code"], 0);
  EXPECT_EQ(spans[0]["name"], "inference.GRPCInferenceService/ModelInfer");
  EXPECT_EQ(attribute(spans[0], "rpc.grpc.status_code"), "3");
}

TEST(OtlpJson, GrpcStatusesAreThoseOfTheFrontEnd) {
  for (const auto& [failure, status] : {std::pair{std::optional<Code>(), "0"},
                                        {Code::kCancelled, "1"},
                                        {Code::kOutOfRange, "3"},
                                        {Code::kResourceExhausted, "8"},
                                        {Code::kUnauthenticated, "16"}}) {
    const Span span{.context = {1, 2, 3, true}, .api = "v2", .interface = "grpc", .failure = failure};
    EXPECT_EQ(attribute(spans_of({span})[0], "rpc.grpc.status_code"), status);
  }
}

}  // namespace
}  // namespace kefu::tracing
