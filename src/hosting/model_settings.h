#pragma once
// How a model is served: what Triton's ModelConfig can say, as JSON.

#include <cstddef>
#include <optional>
#include <set>

#include "base/json.h"
#include "runtime/batch_policy.h"
#include "runtime/expiring_lru.h"
#include "runtime/instance_controller.h"

namespace kefu::hosting {

/// Which versions of a model are in service.
struct VersionPolicy {
  std::size_t latest = 1;    // so many of the highest …
  bool all = false;          // … or all …
  std::set<int> specific{};  // … or these, if there are any
};

struct ModelSettings {
  /// Rows of a run; none: what fits the kind of the model. 0: it has no batch dimension.
  std::optional<std::size_t> max_batch_size{};
  std::optional<std::size_t> max_batch_tokens{};
  std::vector<std::size_t> preferred_batch_size{};
  runtime::Duration max_queue_delay{0};
  std::vector<runtime::QueuePolicy> levels{1};
  std::size_t default_level = 1;
  runtime::Duration ageing = std::chrono::milliseconds(100);
  runtime::InstancePolicy instances{};
  bool response_cache = false;
  runtime::CacheLimits cache{};
  VersionPolicy versions{};
};

/// Changes `settings` by a ModelConfig; what it does not name stays. Numbers may be strings. Members that say
/// what the model is (name, platform, backend, input, output) are the model's own and not read.
/// kInvalidArgument names the member that cannot be read or is not known.
Result<void> read_model_config(const Json& config, const std::string& source, ModelSettings& settings);

/// The part of a batcher's policy that is the same for every kind of model.
runtime::BatchPolicy common_policy(const ModelSettings& settings);

/// How many instances; waiting for company is not taken for a want of them.
runtime::InstancePolicy instances_of(const ModelSettings& settings);

}  // namespace kefu::hosting
