#pragma once
// The process log: one line an event on stderr. Never customer text.

#include <string_view>

#include <spdlog/spdlog.h>

namespace kefu {

/// Level ("debug", "info", "warn", "error", "off") and form ("text" or "json") of the log.
void configure_log(std::string_view level, std::string_view format);

}  // namespace kefu
