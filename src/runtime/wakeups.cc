#include "runtime/wakeups.h"

#include <algorithm>
#include <utility>

namespace kefu::runtime {
namespace {

struct Collection {
  bool is_open = false;
  std::vector<std::shared_ptr<Wakeup>> wakeups;
};

Collection& collection() {
  thread_local Collection all;
  return all;
}

}  // namespace

Wakeups::Wakeups() : is_outermost_(!std::exchange(collection().is_open, true)) {}

Wakeups::~Wakeups() {
  if (!is_outermost_) return;
  Collection& all = collection();
  all.is_open = false;
  for (const std::shared_ptr<Wakeup>& wakeup : all.wakeups) wakeup->wake();
  all.wakeups.clear();
}

void Wakeups::defer(const std::shared_ptr<Wakeup>& wakeup) {
  Collection& all = collection();
  if (!all.is_open) return wakeup->wake();
  if (std::ranges::find(all.wakeups, wakeup) == all.wakeups.end()) all.wakeups.push_back(wakeup);
}

}  // namespace kefu::runtime
