#pragma once
// What is put under load: requests made ready beforehand, and connections that carry one at a time.

#include <chrono>
#include <cstddef>
#include <memory>

#include <boost/asio/io_context.hpp>

#include "base/result.h"
#include "loadgen/outcome.h"
#include "loadgen/plan.h"

namespace kefu::loadgen {

using Time = std::chrono::steady_clock::time_point;

struct Answer {
  Outcome outcome;
  Time ended;                      // when all of it was there, or it was known that none will come
  std::size_t sent_bytes = 0;      // over HTTP with the header, over gRPC of the message
  std::size_t received_bytes = 0;  // likewise
};

/// Whoever waits for answers.
class Listener {
 public:
  virtual ~Listener() = default;

  /// The connection's request has ended; it may carry the next one, even from within this call.
  virtual void on_answer(std::size_t connection, const Answer& answer) = 0;
};

/// Everything runs on the loop's thread, on which also the listener is called. Nothing but open() blocks.
class Target {
 public:
  virtual ~Target() = default;

  /// How many requests it has made ready.
  virtual std::size_t requests() const = 0;

  /// Makes the plan's connections, numbered from 0, before the loop runs. `listener` must outlive close().
  /// kUnavailable if the server cannot be reached within the plan's timeout; then close() need not be called.
  virtual Result<void> open(const std::shared_ptr<boost::asio::io_context>& loop, const Plan& plan,
                            Listener& listener) = 0;

  /// Sends a request over a connection that carries none. The listener is told how it ended once, never from
  /// within this call. A connection that was lost is made anew.
  virtual void send(std::size_t connection, std::size_t request) = 0;

  /// Ends the request that a connection carries; the listener is told soon, as of any end.
  virtual void cancel(std::size_t connection) = 0;

  /// Ends the connections, none of which carries a request.
  virtual void close() = 0;
};

}  // namespace kefu::loadgen
