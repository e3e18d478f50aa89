#include "serve/open_streams.h"

namespace kefu::serve {

void OpenStreams::add(const std::shared_ptr<OpenStream>& stream) {
  {
    const std::lock_guard lock(mutex_);
    streams_.insert(stream);
    if (!is_leaving_) return;
  }
  stream->leave();
}

void OpenStreams::remove(const std::shared_ptr<OpenStream>& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(stream);
}

void OpenStreams::leave_all() {
  {
    const std::lock_guard lock(mutex_);
    is_leaving_ = true;
  }
  for (const auto& stream : all()) stream->leave();
}

std::vector<std::shared_ptr<OpenStream>> OpenStreams::all() const {
  const std::lock_guard lock(mutex_);
  return {streams_.begin(), streams_.end()};
}

}  // namespace kefu::serve
