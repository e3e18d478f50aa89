#pragma once
// What is said of orders to load and unload, wherever they came from.

#include <string>

#include "base/json.h"
#include "base/log.h"

namespace kefu::hosting {

/// An order to load that cannot be understood, with the words that Triton's clients look for.
inline Error load_error(const std::string& name, const Error& error) {
  return {error.code,
          fmt::format("failed to load '{}', failed to poll from model repository: {}", name, error.message)};
}

/// `name` as the caller wrote it.
inline void log_order(bool is_load, const std::string& name, const Result<void>& outcome) {
  const std::string model = Json(name).dump(-1, ' ', true, Json::error_handler_t::replace);
  if (outcome) {
    spdlog::info(R"("event":"{}","model":{})", is_load ? "load" : "unload", model);
  } else {
    spdlog::warn(R"("event":"{}_failed","model":{},"reason":{})", is_load ? "load" : "unload", model,
                 Json(outcome.error().message).dump(-1, ' ', true, Json::error_handler_t::replace));
  }
}

}  // namespace kefu::hosting
