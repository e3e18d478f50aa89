#include "tracing/exporter.h"

#include <algorithm>

#include "base/json.h"
#include "base/log.h"
#include "tracing/otlp_json.h"

namespace kefu::tracing {
namespace {

constexpr std::chrono::seconds kEvery{1};
constexpr std::chrono::seconds kLongestPause{30};

/// https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
bool may_pass(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

/// What to add to a moment to have the time since 1970.
std::chrono::nanoseconds wall_offset() {
  return std::chrono::system_clock::now().time_since_epoch() -
         std::chrono::steady_clock::now().time_since_epoch();
}

}  // namespace

Result<std::unique_ptr<Exporter>> Exporter::start(const TracingSettings& settings) {
  auto target = net::parse_post_target(settings.otlp_endpoint);
  if (!target) return fail(target.error().code, "tracing.otlp_endpoint: {}", target.error().message);
  return std::unique_ptr<Exporter>(new Exporter(settings, *std::move(target)));
}

Exporter::Exporter(const TracingSettings& settings, net::PostTarget target)
    : target_(std::move(target)),
      service_name_(settings.service_name),
      sample_(settings.sample_percent / 100.0),
      thread_([this] { run(); }) {}

void Exporter::finish() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    end_ = std::chrono::steady_clock::now() + kLimit;
  }
  came_.notify_one();
  thread_.join();
}

void Exporter::add(Span span) {
  const std::lock_guard lock(mutex_);
  if (queue_.size() >= kQueue || is_ending_) {
    ++dropped_;
    return;
  }
  queue_.push_back(std::move(span));
  if (queue_.size() == kBatch) came_.notify_one();
}

/// What has come together; empty only at the end.
std::vector<Span> Exporter::await_batch() {
  std::unique_lock lock(mutex_);
  while (!is_ending_ && queue_.size() < kBatch) {
    if (came_.wait_for(lock, kEvery) == std::cv_status::timeout && !queue_.empty()) break;
  }
  const auto count = static_cast<std::ptrdiff_t>(std::min(queue_.size(), kBatch));
  std::vector<Span> spans(std::make_move_iterator(queue_.begin()),
                          std::make_move_iterator(queue_.begin() + count));
  queue_.erase(queue_.begin(), queue_.begin() + count);
  return spans;
}

void Exporter::run() {
  for (;;) {
    const std::vector<Span> spans = await_batch();
    if (spans.empty()) return;
    if (send_in_time(spans)) continue;
    const std::lock_guard lock(mutex_);
    dropped_ += spans.size() + queue_.size();
    queue_.clear();
    return;
  }
}

/// Tries until they are sent or refused for good; false: the end has come before. It makes one attempt more.
bool Exporter::send_in_time(const std::vector<Span>& spans) {
  std::chrono::milliseconds pause = kEvery;
  for (;;) {
    const std::chrono::milliseconds limit = time_left();
    if (limit.count() <= 0) return false;
    if (send(spans, limit)) return true;
    std::unique_lock lock(mutex_);
    if (is_ending_) return false;
    came_.wait_for(lock, pause, [this] { return is_ending_; });
    pause = std::min<std::chrono::milliseconds>(2 * pause, kLongestPause);
  }
}

/// For an attempt.
std::chrono::milliseconds Exporter::time_left() {
  const std::lock_guard lock(mutex_);
  if (!is_ending_) return kLimit;
  return std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
}

/// False if trying again may help.
bool Exporter::send(const std::vector<Span>& spans, std::chrono::milliseconds limit) {
  const auto status = net::post_json(target_, write_otlp(spans, service_name_, wall_offset()), limit);
  if (status && *status >= 200 && *status < 300) {
    exported_ += spans.size();
    return true;
  }
  const std::string reason =
      status ? fmt::format("the collector answered {}", *status) : status.error().message;
  spdlog::warn(R"("event":"traces_not_sent","spans":{},"reason":{})", spans.size(), Json(reason).dump());
  if (!status || may_pass(*status)) return false;
  dropped_ += spans.size();
  return true;
}

}  // namespace kefu::tracing
