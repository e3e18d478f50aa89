#pragma once
// Sends spans to an OpenTelemetry collector.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/http_post.h"
#include "tracing/span.h"

namespace kefu::tracing {

/// Section `tracing` of kefu.yaml.
struct TracingSettings {
  std::string otlp_endpoint{};        // http://HOST:4318/v1/traces; empty: nothing is sent
  std::string service_name = "kefu";  // service.name of the resource
  int sample_percent = 1;             // of the requests that come without a trace of their own
};

struct ExporterSnapshot {
  std::uint64_t exported = 0;
  std::uint64_t dropped = 0;  // the queue was full, the collector refused them, or the end came
};

/// Thread-safe. A thread of its own sends what has come together, in a second at the latest; while the
/// collector is away it tries again, ever more rarely, and keeps kQueue spans.
class Exporter {
 public:
  static constexpr std::size_t kQueue = 8192;
  static constexpr std::size_t kBatch = 512;
  static constexpr std::chrono::milliseconds kLimit{2000};  // of an attempt, and of the end

  /// kInvalidArgument: the endpoint is none.
  static Result<std::unique_ptr<Exporter>> start(const TracingSettings& settings);

  ~Exporter() { finish(); }
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  /// Never waits. After finish() spans are dropped.
  void add(Span span);

  /// Sends what is left, once, and waits for that, at most kLimit; the rest is dropped. A later call does
  /// nothing. Not to be called by two threads at once.
  void finish();

  /// Whether a request without a trace begins one.
  bool samples() const { return happens(sample_); }

  ExporterSnapshot snapshot() const { return {exported_, dropped_}; }

 private:
  Exporter(const TracingSettings& settings, net::PostTarget target);
  void run();
  std::vector<Span> await_batch();
  bool send_in_time(const std::vector<Span>& spans);
  bool send(const std::vector<Span>& spans, std::chrono::milliseconds limit);
  std::chrono::milliseconds time_left();

  const net::PostTarget target_;
  const std::string service_name_;
  const double sample_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<Span> queue_;
  bool is_ending_ = false;
  std::chrono::steady_clock::time_point end_;  // once is_ending_: when nothing more is sent
  std::atomic<std::uint64_t> exported_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::thread thread_;
};

}  // namespace kefu::tracing
