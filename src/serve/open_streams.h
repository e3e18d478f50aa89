#pragma once
// Streams that last until somebody ends them: at a shutdown that is the server.

#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace kefu::serve {

/// A stream of gRPC whose reactor ends itself.
class OpenStream {
 public:
  virtual ~OpenStream() = default;

  /// The server shuts down: the stream ends once what is under way has been answered. May be called more than
  /// once, and on any thread.
  virtual void leave() = 0;
};

/// Thread-safe. Streams are called without a lock held.
class OpenStreams {
 public:
  /// Keeps the stream until remove(). One that comes after leave_all() is asked to leave at once.
  void add(const std::shared_ptr<OpenStream>& stream);
  void remove(const std::shared_ptr<OpenStream>& stream);

  void leave_all();

  std::vector<std::shared_ptr<OpenStream>> all() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::shared_ptr<OpenStream>> streams_;
  bool is_leaving_ = false;
};

}  // namespace kefu::serve
