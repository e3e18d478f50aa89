#pragma once
// Ends objects on a thread of its own. The last holder of a model is often one of the model's own threads,
// which cannot wait for itself.

#include <condition_variable>
#include <memory>
#include <mutex>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

namespace kefu::hosting {

/// Thread-safe.
class Reaper {
 public:
  /// Blocks until all it owns have ended.
  ~Reaper() {
    std::unique_lock lock(mutex_);
    all_ended_.wait(lock, [this] { return alive_ == 0; });
    lock.unlock();
    thread_.join();
  }

  Reaper() = default;
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  /// When the last holder lets go, the object ends on the reaper's thread.
  template <typename T>
  std::shared_ptr<T> own(std::unique_ptr<T> object) {
    {
      const std::lock_guard lock(mutex_);
      ++alive_;
    }
    return std::shared_ptr<T>(object.release(), [this](T* ended) {
      boost::asio::post(thread_, [this, ended] {
        delete ended;
        const std::lock_guard lock(mutex_);
        if (--alive_ == 0) all_ended_.notify_all();
      });
    });
  }

  /// Objects that have not ended.
  std::size_t alive() const {
    const std::lock_guard lock(mutex_);
    return alive_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable all_ended_;
  std::size_t alive_ = 0;
  boost::asio::thread_pool thread_{1};
};

}  // namespace kefu::hosting
