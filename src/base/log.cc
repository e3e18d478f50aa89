#include "base/log.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>

#include <poll.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

namespace kefu {
namespace {

/// Standard error, but whoever reads it cannot stop us: lines that a full pipe has no room for are dropped,
/// and how many is said when there is room again.
class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (!has_room()) {
      ++dropped_;
      return;
    }
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    write_line(line);
    if (dropped_ == 0 || !has_room()) return;
    spdlog::details::log_msg lost = message;
    const std::string text = fmt::format(R"("event":"log_lines_dropped","count":{})", dropped_);
    lost.payload = text;
    lost.level = spdlog::level::warn;
    dropped_ = 0;
    line.clear();
    formatter_->format(lost, line);
    write_line(line);
  }

  void flush_() override {}

 private:
  /// Of a pipe: room for a line of kMostBytes (pipe(7), PIPE_BUF).
  static bool has_room() {
    pollfd descriptor{STDERR_FILENO, POLLOUT, 0};
    return ::poll(&descriptor, 1, 0) == 1 && (descriptor.revents & (POLLOUT | POLLERR)) == POLLOUT;
  }

  static void write_line(spdlog::memory_buf_t& line) {
    constexpr std::size_t kMostBytes = 4096;
    if (line.size() > kMostBytes) {
      line.resize(kMostBytes);
      line[kMostBytes - 1] = '\n';
    }
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // nobody to tell
  }

  std::size_t dropped_ = 0;
};

}  // namespace

void configure_log(std::string_view level, std::string_view format) {
  auto logger = std::make_shared<spdlog::logger>("kefu", std::make_shared<StderrSink>());
  logger->set_level(spdlog::level::from_str(std::string(level)));
  if (format == "json") {
    logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})");
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
  }
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace kefu
