#pragma once
// Waking another thread once for many things that have been laid ready for it.

#include <memory>
#include <vector>

namespace kefu::runtime {

/// A thread that may be woken. Thread-safe; a wake-up without need does no harm.
class Wakeup {
 public:
  virtual ~Wakeup() = default;
  virtual void wake() = 0;
};

/// Collects the wake-ups that its thread causes while it lives, and does each of them once at its end:
/// whoever takes ten requests from its sockets wakes an instance once, which finds all ten. Inner ones leave
/// it to the outermost.
class Wakeups {
 public:
  Wakeups();
  ~Wakeups();
  Wakeups(const Wakeups&) = delete;
  Wakeups& operator=(const Wakeups&) = delete;

  /// At the end of this thread's outermost Wakeups; at once if there is none.
  static void defer(const std::shared_ptr<Wakeup>& wakeup);

 private:
  bool is_outermost_;
};

}  // namespace kefu::runtime
