#pragma once
// A caller's word that it no longer wants its answer.

#include <functional>
#include <mutex>
#include <utility>

namespace kefu::runtime {

/// Shared by a transport, which cancels, and whoever does the work. Thread-safe.
class Cancellation {
 public:
  /// Runs the action, if there is one, on this thread; later calls do nothing.
  void cancel() {
    std::function<void()> action;
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(cancelled_, true)) return;
      action.swap(action_);
    }
    if (action) action();
  }

  /// Sets what cancel() is to do; does it at once if it has been called.
  void on_cancel(std::function<void()> action) {
    {
      const std::lock_guard lock(mutex_);
      if (!cancelled_) {
        action_ = std::move(action);
        return;
      }
    }
    action();
  }

 private:
  std::mutex mutex_;
  bool cancelled_ = false;
  std::function<void()> action_;
};

}  // namespace kefu::runtime
