#include "tracing/exporter.h"

#include <future>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <gtest/gtest.h>

#include "base/json.h"

namespace kefu::tracing {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;

/// Answers one POST after another with the statuses given, then takes connections and says nothing.
class Collector {
 public:
  explicit Collector(std::vector<unsigned> statuses)
      : thread_([this, statuses = std::move(statuses)] { answer(statuses); }) {}
  ~Collector() { join(); }

  TracingSettings settings() const {
    return {.otlp_endpoint = fmt::format("http://127.0.0.1:{}/v1/traces", acceptor_.local_endpoint().port())};
  }

  /// Waits until all statuses have been given; requests that have been taken, by POST.
  std::vector<std::size_t> join() {
    if (thread_.joinable()) thread_.join();
    return taken_;
  }

 private:
  void answer(const std::vector<unsigned>& statuses) {
    for (const unsigned status : statuses) {
      tcp::socket socket = acceptor_.accept();
      boost::beast::flat_buffer buffer;
      http::request_parser<http::string_body> parser;
      parser.body_limit(std::uint64_t{64} << 20U);
      error_code error;
      http::read(socket, buffer, parser, error);
      if (status == 200) taken_.push_back(count(parser.get().body()));
      http::response<http::string_body> response(static_cast<http::status>(status), 11);
      response.prepare_payload();
      http::write(socket, response, error);
    }
  }

  static std::size_t count(const std::string& body) {
    const Json spans = Json::parse(body).at("resourceSpans").at(0).at("scopeSpans").at(0).at("spans");
    return static_cast<std::size_t>(
        std::ranges::count_if(spans, [](const Json& span) { return span.at("kind") == 2; }));
  }

  boost::asio::io_context loop_;
  tcp::acceptor acceptor_{loop_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
  std::vector<std::size_t> taken_;
  std::thread thread_;
};

Span some_span() {
  return {.context = new_trace(true),
          .api = "v2",
          .interface = "http",
          .moments = {.received = std::chrono::steady_clock::now()},
          .ended = std::chrono::steady_clock::now()};
}

std::unique_ptr<Exporter> start(const Collector& collector) {
  auto exporter = Exporter::start(collector.settings());
  EXPECT_TRUE(exporter);
  return *std::move(exporter);
}

TEST(Exporter, SendsWhatIsLeftAtTheEnd) {
  Collector collector({200});
  const auto exporter = start(collector);
  for (int i = 0; i < 3; ++i) exporter->add(some_span());
  exporter->finish();
  EXPECT_EQ(collector.join(), std::vector<std::size_t>{3});
  EXPECT_EQ(exporter->snapshot().exported, 3U);
  EXPECT_EQ(exporter->snapshot().dropped, 0U);
  exporter->add(some_span());  // too late
  EXPECT_EQ(exporter->snapshot().dropped, 1U);
}

TEST(Exporter, SendsAFullBatchAtOnceAndTriesAgain) {
  Collector collector({503, 200, 200});
  const auto exporter = start(collector);
  for (std::size_t i = 0; i < Exporter::kBatch + 1; ++i) exporter->add(some_span());
  EXPECT_EQ(collector.join(), (std::vector<std::size_t>{Exporter::kBatch, 1}));
  exporter->finish();
  EXPECT_EQ(exporter->snapshot().exported, Exporter::kBatch + 1);
}

TEST(Exporter, DropsWhatTheCollectorRefuses) {
  Collector collector({400, 200});
  const auto exporter = start(collector);
  for (std::size_t i = 0; i < Exporter::kBatch + 1; ++i) exporter->add(some_span());
  exporter->finish();
  EXPECT_EQ(collector.join(), std::vector<std::size_t>{1});
  EXPECT_EQ(exporter->snapshot().exported, 1U);
  EXPECT_EQ(exporter->snapshot().dropped, Exporter::kBatch);
}

TEST(Exporter, ACollectorThatHangsCostsSpansAndNoTime) {
  const Collector collector({});
  const auto exporter = start(collector);
  constexpr std::size_t kMore = 1000;
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < Exporter::kQueue + kMore; ++i) exporter->add(some_span());
  EXPECT_LT(std::chrono::steady_clock::now() - began, Exporter::kLimit);
  EXPECT_LE(exporter->snapshot().dropped, kMore);
  EXPECT_GE(exporter->snapshot().dropped + Exporter::kBatch, kMore);
  const auto ending = std::chrono::steady_clock::now();
  exporter->finish();
  EXPECT_LT(std::chrono::steady_clock::now() - ending, Exporter::kLimit + std::chrono::seconds(1));
  EXPECT_EQ(exporter->snapshot().dropped, Exporter::kQueue + kMore);
  EXPECT_EQ(exporter->snapshot().exported, 0U);
}

TEST(Exporter, NamesTheSettingAtFault) {
  const auto exporter = Exporter::start({.otlp_endpoint = "grpc://localhost:4317"});
  ASSERT_FALSE(exporter);
  EXPECT_EQ(exporter.error().code, Code::kInvalidArgument);
  EXPECT_TRUE(exporter.error().message.starts_with("tracing.otlp_endpoint: ")) << exporter.error().message;
}

}  // namespace
}  // namespace kefu::tracing
