#pragma once
// The way of replies from models' threads to the connections of an I/O thread. Internal to serve.

#include <memory>
#include <mutex>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "runtime/wakeups.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// Who waits for a reply. Resumed on its I/O thread.
class Addressee {
 public:
  virtual ~Addressee() = default;
  virtual void resume(Reply reply) = 0;
};

/// Thread-safe. However many replies have come, the I/O thread is woken for them once.
class Mailbox final : public runtime::Wakeup, public std::enable_shared_from_this<Mailbox> {
 public:
  explicit Mailbox(std::shared_ptr<boost::asio::io_context> context) : context_(std::move(context)) {}

  /// On the I/O thread itself the reply is there at once.
  void put(std::shared_ptr<Addressee> to, Reply reply);

  void wake() override;

 private:
  struct Letter {
    std::shared_ptr<Addressee> to;
    Reply reply;
  };

  void deliver();

  std::shared_ptr<boost::asio::io_context> context_;
  std::mutex mutex_;
  std::vector<Letter> letters_;
};

}  // namespace kefu::serve
