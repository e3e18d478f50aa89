#include "hosting/repository_watch.h"

#include "hosting/order_log.h"

namespace kefu::hosting {
RepositoryWatch::RepositoryWatch(ModelTable& models, std::filesystem::path repository, RepositoryView seen,
                                 std::set<std::string> names, std::chrono::milliseconds every)
    : models_(models),
      repository_(std::move(repository)),
      names_(std::move(names)),
      every_(every),
      view_(std::move(seen)),
      thread_([this] { run(); }) {}

RepositoryWatch::~RepositoryWatch() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ending_.notify_one();
  thread_.join();
}

void RepositoryWatch::run() {
  std::unique_lock lock(mutex_);
  while (!ending_.wait_for(lock, every_, [this] { return is_ending_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

void RepositoryWatch::look() {
  RepositoryView now = look_at(repository_);
  const RepositoryChange change = compare(view_, now);
  view_ = std::move(now);
  for (const std::string& name : change.changed) {
    if (is_watched(name))
      models_.reload(name, [name](const Result<void>& outcome) { log_order(true, name, outcome); });
  }
  for (const std::string& name : change.gone) {
    if (is_watched(name))
      models_.unload(name, [name](const Result<void>& outcome) { log_order(false, name, outcome); });
  }
}

}  // namespace kefu::hosting
