#pragma once
// How a request ended.

#include <compare>
#include <cstdint>
#include <string>

namespace kefu::loadgen {

struct Outcome {
  enum class Kind : std::uint8_t {
    kHttp,        // answered; `code` is the HTTP status
    kGrpc,        // answered; `code` is gRPC's
    kTimeout,     // sent, but not answered in time
    kConnection,  // the connection could not be made or was lost, or what came was no HTTP
    kUnsent,      // no connection became free for it before the run ended
  };

  Kind kind = Kind::kConnection;
  int code = 0;

  auto operator<=>(const Outcome&) const = default;
};

/// Answered as it should be: an HTTP status of 2xx, or gRPC's OK.
bool is_success(Outcome outcome);

/// Nobody waited for its end: a timeout, or never sent. How long it waited is then the least that it took.
bool is_given_up(Outcome outcome);

/// "200", "UNAVAILABLE", "timeout".
std::string outcome_name(Outcome outcome);

}  // namespace kefu::loadgen
