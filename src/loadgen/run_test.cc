// The driver over loopback sockets, against a server that answers, stalls, refuses or goes as it is told.

#include "loadgen/run.h"

#include <array>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "loadgen/http_target.h"

namespace kefu::loadgen {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::milliseconds;

/// How the server treats its requests, counted over all connections from 0.
struct Manners {
  int stall_at = -1;  // from this request on nobody is answered for stall_ms
  int stall_ms = 0;
  int refuse_every = 0;  // with 503
  int close_every = 0;   // without an answer
  bool keeps_alive = true;
  int idle_ms = 0;  // after which it closes a connection; 0: never
  bool is_mute = false;
};

/// Answers on a thread of its own until it is destroyed.
class StubServer {
 public:
  explicit StubServer(Manners manners) : manners_(manners) {
    asio::co_spawn(loop_, accept(), asio::detached);
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~StubServer() {
    loop_.stop();
    thread_.join();
  }
  StubServer(const StubServer&) = delete;

  net::Url url() const {
    return {.is_grpc = false, .host = "127.0.0.1", .port = acceptor_.local_endpoint().port()};
  }
  int accepted() const { return accepted_; }

 private:
  asio::awaitable<void> accept() {
    for (;;) {
      tcp::socket socket = co_await acceptor_.async_accept(asio::use_awaitable);
      ++accepted_;
      asio::co_spawn(loop_, serve(std::move(socket)), asio::detached);
    }
  }

  /// Requests without a body only, so that an empty line ends them.
  asio::awaitable<void> serve(tcp::socket socket) {
    std::string unread;
    for (bool again = true; again;) {
      unread.erase(0, co_await asio::async_read_until(socket, asio::dynamic_buffer(unread), "\r\n\r\n",
                                                      asio::use_awaitable));
      const int number = requests_++;
      if (manners_.is_mute) continue;
      if (manners_.close_every > 0 && number % manners_.close_every == 0) co_return;
      // A blocked thread answers nobody.
      if (number == manners_.stall_at) std::this_thread::sleep_for(milliseconds(manners_.stall_ms));
      const bool refuses = manners_.refuse_every > 0 && number % manners_.refuse_every == 0;
      again = manners_.keeps_alive;
      const std::string answer =
          fmt::format("HTTP/1.1 {}\r\nContent-Length: 2\r\n{}\r\nok", refuses ? "503 Busy" : "200 OK",
                      again ? "" : "Connection: close\r\n");
      co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
      if (manners_.idle_ms > 0) {
        asio::steady_timer idle(loop_, milliseconds(manners_.idle_ms));
        co_await idle.async_wait(asio::use_awaitable);
        co_return;
      }
    }
  }

  Manners manners_;
  asio::io_context loop_{1};
  tcp::acceptor acceptor_{loop_, {asio::ip::address_v4::loopback(), 0}};
  std::atomic<int> accepted_ = 0;
  int requests_ = 0;
  std::thread thread_;
};

const std::string kRequest = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

Measurement measure(const Plan& plan, const Manners& manners) {
  const StubServer server(manners);
  const auto target = make_http_target(server.url(), {kRequest, kRequest, kRequest});
  auto measured = run(plan, *target);
  EXPECT_TRUE(measured) << measured.error().message;
  return *std::move(measured);
}

std::uint64_t count(const Measurement& measured, Outcome outcome) {
  const auto found = measured.outcomes.find(outcome);
  return found == measured.outcomes.end() ? 0 : found->second;
}

/// Above which a request was held up by the stall, and not by a busy machine.
constexpr std::uint64_t kStallSeenUs = 100'000;

/// Recorded latencies above the bound.
double held_up(const Measurement& measured) {
  double share = 1;
  while (share > 0 && measured.latency.quantile(share) > kStallSeenUs) share -= 0.0025;
  return (1 - share) * static_cast<double>(measured.latency.count());
}

TEST(Run, AStallDelaysAllWhoWouldHaveComeMeanwhile) {
  // 500 requests/s over two connections for 2 s: a stall of 300 ms holds up 150, of which the 100 that came
  // in its first 200 ms wait for more than 100 ms. A generator that waited for answers would have sent two.
  const Plan plan{.rate = 500, .connections = 2, .warmup = {}, .duration = milliseconds(2000)};
  const Measurement measured = measure(plan, {.stall_at = 200, .stall_ms = 300});
  EXPECT_EQ(measured.requests, 1000U);
  EXPECT_EQ(measured.successes(), 1000U);
  EXPECT_GE(measured.latency.quantile(0.99), 250'000U);
  EXPECT_GE(held_up(measured), 95);
  EXPECT_GE(measured.waited, 140U);
  // Only two requests were in the server's hands.
  EXPECT_GE(measured.service.max(), 290'000U);
  EXPECT_LT(measured.service.quantile(0.99), measured.latency.quantile(0.99));
}

TEST(Run, AnOpenLoopSendsAtItsRate) {
  for (const Arrivals arrivals : {Arrivals::kConstant, Arrivals::kPoisson}) {
    const Plan plan{.rate = 1000,
                    .arrivals = arrivals,
                    .connections = 16,
                    .warmup = milliseconds(100),
                    .duration = milliseconds(500)};
    const Measurement measured = measure(plan, {});
    EXPECT_NEAR(static_cast<double>(measured.requests), 500, arrivals == Arrivals::kPoisson ? 90 : 0);
    EXPECT_EQ(measured.successes(), measured.requests);
    EXPECT_GT(measured.lateness.count(), 0U);
    EXPECT_EQ(measured.sent_bytes, measured.requests * kRequest.size());
  }
}

TEST(Run, AClosedLoopKeepsEveryConnectionBusy) {
  const Plan plan{.connections = 4, .warmup = {}, .duration = milliseconds(200)};
  const Measurement measured = measure(plan, {});
  EXPECT_GT(measured.requests, 100U);
  EXPECT_EQ(measured.successes(), measured.requests);
  EXPECT_EQ(measured.latency.count(), measured.service.count());
}

TEST(Run, OutcomesAreCountedByStatus) {
  const Plan plan{.rate = 400, .connections = 4, .warmup = {}, .duration = milliseconds(500)};
  const Measurement measured = measure(plan, {.refuse_every = 4});
  EXPECT_EQ(count(measured, {Outcome::Kind::kHttp, 200}), 150U);
  EXPECT_EQ(count(measured, {Outcome::Kind::kHttp, 503}), 50U);
  EXPECT_EQ(measured.latency.count(), 150U);
}

TEST(Run, LostConnectionsAreCountedAndMadeAnew) {
  const Plan plan{.rate = 400, .connections = 4, .warmup = {}, .duration = milliseconds(500)};
  const Measurement measured = measure(plan, {.close_every = 4});
  EXPECT_EQ(count(measured, {Outcome::Kind::kConnection}), 50U);
  EXPECT_EQ(measured.successes(), 150U);
}

TEST(Run, AServerThatClosesAfterEachAnswerFailsNobody) {
  const StubServer server({.keeps_alive = false});
  const auto target = make_http_target(server.url(), {kRequest});
  const Plan plan{.rate = 200, .connections = 2, .warmup = {}, .duration = milliseconds(250)};
  const auto measured = run(plan, *target);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->successes(), 50U);
  EXPECT_GE(server.accepted(), 50);
}

TEST(Run, AServerThatClosesIdleConnectionsFailsNobody) {
  const Plan plan{.rate = 10, .connections = 1, .warmup = {}, .duration = milliseconds(500)};
  EXPECT_EQ(measure(plan, {.idle_ms = 5}).successes(), 5U);
}

TEST(Run, WhatIsNotAnsweredTimesOutAndWhatCouldNotBeSentCounts) {
  const Plan plan{.rate = 100,
                  .connections = 2,
                  .warmup = {},
                  .duration = milliseconds(200),
                  .timeout = milliseconds(150)};
  const Measurement measured = measure(plan, {.is_mute = true});
  EXPECT_EQ(measured.requests, 20U);
  EXPECT_GE(count(measured, {Outcome::Kind::kTimeout}), 4U);
  EXPECT_GE(count(measured, {Outcome::Kind::kUnsent}), 10U);
  EXPECT_EQ(measured.successes(), 0U);
  EXPECT_EQ(measured.latency.count(), 20U);
  EXPECT_GE(measured.latency.quantile(0.5), 150'000U);
}

TEST(Run, ATargetRunsAgain) {
  const StubServer server({});
  const auto target = make_http_target(server.url(), {kRequest});
  const Plan plan{.rate = 100, .connections = 2, .warmup = {}, .duration = milliseconds(100)};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(plan, *target).value().successes(), 10U);
}

TEST(Run, NobodyListens) {
  std::optional<StubServer> server(std::in_place, Manners{});
  const net::Url url = server->url();
  server.reset();
  const auto target = make_http_target(url, {kRequest});
  const auto measured = run({.connections = 3}, *target);
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, Code::kUnavailable);
  EXPECT_NE(measured.error().message.find("3 of 3 connections"), std::string::npos);
  EXPECT_NE(measured.error().message.find("refused"), std::string::npos) << measured.error().message;
}

}  // namespace
}  // namespace kefu::loadgen
