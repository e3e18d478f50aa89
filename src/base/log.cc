#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

namespace kefu {

void configure_log(std::string_view level, std::string_view format) {
  auto logger =
      std::make_shared<spdlog::logger>("kefu", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_level(spdlog::level::from_str(std::string(level)));
  if (format == "json") {
    logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})");
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$ %v");
  }
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace kefu
