#pragma once
// Handing a task to a model's instances.

#include <memory>
#include <utility>

#include "hosting/served_model.h"

namespace kefu::hosting {

/// Queues a task so that its call's cancellation ends it. `owner`, of the pool: a call may be cancelled when
/// the model is gone.
inline void submit_task(runtime::InstancePool& pool, runtime::TaskPtr task, const runtime::Call& call,
                        std::weak_ptr<ServedModel> owner) {
  const runtime::RequestId id = pool.submit(std::move(task));
  if (!call.cancellation) return;
  call.cancellation->on_cancel([&pool, owner = std::move(owner), id] {
    if (const auto held = owner.lock()) pool.cancel(id);
  });
}

}  // namespace kefu::hosting
