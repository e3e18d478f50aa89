#pragma once
// Loads what is published.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "hosting/model_table.h"
#include "hosting/repository_view.h"

namespace kefu::hosting {

/// Looks at a repository again and again on a thread of its own: what has changed is loaded, what is gone
/// unloaded. A model that fails to load is tried again when its files change; it keeps nobody else waiting
/// but for its load. Looking costs a few system calls a version, and works on network file systems.
class RepositoryWatch {
 public:
  /// `seen`: what has been loaded; `names`: of the models to watch, empty: all. `models` outlives it.
  RepositoryWatch(ModelTable& models, std::filesystem::path repository, RepositoryView seen,
                  std::set<std::string> names, std::chrono::milliseconds every);
  ~RepositoryWatch();
  RepositoryWatch(const RepositoryWatch&) = delete;
  RepositoryWatch& operator=(const RepositoryWatch&) = delete;

 private:
  void run();
  void look();
  bool is_watched(const std::string& name) const { return names_.empty() || names_.contains(name); }

  ModelTable& models_;
  const std::filesystem::path repository_;
  const std::set<std::string> names_;
  const std::chrono::milliseconds every_;
  RepositoryView view_;  // of the thread
  std::mutex mutex_;
  std::condition_variable ending_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace kefu::hosting
