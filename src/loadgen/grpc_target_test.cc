// Calls to a server of the same process, which answers, refuses or keeps silent by the model's name.

#include "loadgen/grpc_target.h"

#include <mutex>
#include <set>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "inference.grpc.pb.h"
#include "loadgen/requests.h"
#include "loadgen/run.h"

namespace kefu::loadgen {
namespace {

using std::chrono::milliseconds;

class InferStub final : public inference::GRPCInferenceService::CallbackService {
 public:
  grpc::ServerUnaryReactor* ModelInfer(grpc::CallbackServerContext* context,
                                       const inference::ModelInferRequest* request,
                                       inference::ModelInferResponse* response) override {
    if (request->model_name() == "mute") return new Silence;
    {
      const std::lock_guard lock(mutex_);
      texts_.insert(request->raw_input_contents(0));
    }
    response->set_model_name(request->model_name());
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    const bool is_known = request->model_name() == "shop";
    reactor->Finish(is_known ? grpc::Status::OK : grpc::Status(grpc::StatusCode::NOT_FOUND, "no such model"));
    return reactor;
  }

  std::set<std::string> texts() {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  /// Ends when the caller gives up.
  class Silence final : public grpc::ServerUnaryReactor {
   public:
    void OnCancel() override { Finish(grpc::Status::CANCELLED); }
    void OnDone() override { delete this; }
  };

  std::mutex mutex_;
  std::set<std::string> texts_;
};

class GrpcTargetTest : public testing::Test {
 protected:
  GrpcTargetTest() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
  }
  ~GrpcTargetTest() override {
    if (server_) server_->Shutdown();
  }

  net::Url url() const {
    return {.is_grpc = true, .host = "127.0.0.1", .port = static_cast<std::uint16_t>(port_)};
  }

  Measurement measure_model(const std::string& model, const Plan& plan) {
    const auto target = make_grpc_target(url(), {infer_message(model, "a"), infer_message(model, "bc")});
    auto measured = run(plan, *target);
    EXPECT_TRUE(measured) << measured.error().message;
    return *std::move(measured);
  }

  InferStub service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

using Counts = std::map<Outcome, std::uint64_t>;

TEST_F(GrpcTargetTest, SendsTheMessagesAndCountsTheAnswers) {
  // More calls at once than one HTTP/2 connection carries.
  const Plan plan{.rate = 1000, .connections = 100, .warmup = {}, .duration = milliseconds(300)};
  const Measurement measured = measure_model("shop", plan);
  EXPECT_EQ(measured.outcomes, (Counts{{{Outcome::Kind::kGrpc, 0}, 300}}));
  EXPECT_EQ(measured.latency.count(), 300U);
  EXPECT_EQ(service_.texts(), (std::set<std::string>{{"\1\0\0\0a", 5}, {"\2\0\0\0bc", 6}}));
  EXPECT_GT(measured.received_bytes, 300U);
}

TEST_F(GrpcTargetTest, RefusalsAreCountedByCode) {
  const Measurement measured =
      measure_model("absent", {.rate = 500, .connections = 4, .warmup = {}, .duration = milliseconds(100)});
  EXPECT_EQ(measured.outcomes, (Counts{{{Outcome::Kind::kGrpc, grpc::StatusCode::NOT_FOUND}, 50}}));
  EXPECT_EQ(measured.latency.count(), 0U);
}

TEST_F(GrpcTargetTest, WhatIsNotAnsweredTimesOut) {
  const Plan plan{.rate = 100,
                  .connections = 8,
                  .warmup = {},
                  .duration = milliseconds(80),
                  .timeout = milliseconds(100)};
  EXPECT_EQ(measure_model("mute", plan).outcomes, (Counts{{{Outcome::Kind::kTimeout}, 8}}));
}

TEST_F(GrpcTargetTest, NobodyAnswers) {
  const net::Url gone = url();
  server_->Shutdown();
  server_.reset();
  const auto target = make_grpc_target(gone, {"x"});
  const auto measured = run({.connections = 3}, *target);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, Code::kUnavailable);
  EXPECT_NE(measured.error().message.find("no gRPC server answers"), std::string::npos);
}

}  // namespace
}  // namespace kefu::loadgen
