#include "hosting/model_settings.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>

namespace kefu::hosting {
namespace {

using std::chrono::microseconds;

/// A member of a configuration, and where it is, for complaints.
struct Member {
  const Json& value;
  std::string path;
};

tl::unexpected<Error> wrong(const Member& member, std::string_view wanted) {
  return fail(Code::kInvalidArgument, "{} must be {}, not {}", member.path, wanted, member.value.dump());
}

Result<std::size_t> read_number(const Member& member) {
  constexpr std::string_view kWanted = "a whole number of at least 0";
  if (member.value.is_number_integer() && member.value >= 0) return member.value.get<std::size_t>();
  if (!member.value.is_string()) return wrong(member, kWanted);
  const auto& text = member.value.get_ref<const std::string&>();
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return wrong(member, kWanted);
  return number;
}

Result<runtime::Duration> read_microseconds(const Member& member) {
  KEFU_ASSIGN(const std::size_t count, read_number(member));
  constexpr std::size_t kMost = 3'600'000'000;
  if (count > kMost) return wrong(member, "at most an hour");
  return runtime::Duration(microseconds(count));
}

using Reader = std::function<Result<void>(const Member&)>;

/// Reads the members of an object, each by its reader; those with an empty one are passed over.
Result<void> read_object(const Member& object, const std::map<std::string, Reader>& readers) {
  if (!object.value.is_object()) return wrong(object, "an object");
  for (const auto& [key, value] : object.value.items()) {
    const Member member{value, object.path + "." + key};
    const auto reader = readers.find(key);
    if (reader == readers.end()) {
      std::string known;
      for (const auto& [name, unused] : readers) known += (known.empty() ? "" : ", ") + name;
      return fail(Code::kInvalidArgument, "{} is not known; there may be: {}", member.path, known);
    }
    if (reader->second) KEFU_CHECK(reader->second(member));
  }
  return {};
}

Reader number_into(std::size_t& target, std::size_t least = 0) {
  return [&target, least](const Member& member) -> Result<void> {
    KEFU_ASSIGN(target, read_number(member));
    if (target < least) return wrong(member, fmt::format("at least {}", least));
    return {};
  };
}

Reader number_into(std::optional<std::size_t>& target) {
  return [&target](const Member& member) -> Result<void> {
    KEFU_ASSIGN(target, read_number(member));
    return {};
  };
}

Reader duration_into(runtime::Duration& target) {
  return [&target](const Member& member) -> Result<void> {
    KEFU_ASSIGN(target, read_microseconds(member));
    return {};
  };
}

Reader bool_into(bool& target) {
  return [&target](const Member& member) -> Result<void> {
    if (!member.value.is_boolean()) return wrong(member, "true or false");
    target = member.value.get<bool>();
    return {};
  };
}

Result<void> read_numbers(const Member& member, const std::function<void(std::size_t)>& take) {
  if (!member.value.is_array()) return wrong(member, "an array of whole numbers");
  for (const Json& entry : member.value) {
    KEFU_ASSIGN(const std::size_t number, read_number({entry, member.path}));
    take(number);
  }
  return {};
}

Reader queue_policy_into(runtime::QueuePolicy& policy) {
  return [&policy](const Member& member) {
    return read_object(member, {{"timeout_action",
                                 [&policy](const Member& action) -> Result<void> {
                                   if (action.value == "REJECT" || action.value == 0) {
                                     policy.action = runtime::TimeoutAction::kReject;
                                   } else if (action.value == "DELAY" || action.value == 1) {
                                     policy.action = runtime::TimeoutAction::kDelay;
                                   } else {
                                     return wrong(action, "REJECT or DELAY");
                                   }
                                   return {};
                                 }},
                                {"default_timeout_microseconds", duration_into(policy.timeout)},
                                {"allow_timeout_override", bool_into(policy.may_override)},
                                {"max_queue_size", [&policy](const Member& size) -> Result<void> {
                                   KEFU_ASSIGN(policy.max_requests, read_number(size));
                                   if (policy.max_requests == 0) return wrong(size, "at least 1");
                                   return {};
                                 }}});
  };
}

/// {"1": {…}, "2": {…}}: the policies of levels.
Reader level_policies_into(std::vector<runtime::QueuePolicy>& levels) {
  return [&levels](const Member& member) -> Result<void> {
    if (!member.value.is_object()) return wrong(member, "an object");
    for (const auto& [key, value] : member.value.items()) {
      const Json number = key;
      KEFU_ASSIGN(const std::size_t level, read_number({number, member.path}));
      if (level < 1 || level > levels.size()) {
        return fail(Code::kInvalidArgument, "{}: there is no level {}; priority_levels is {}", member.path,
                    key, levels.size());
      }
      KEFU_CHECK(queue_policy_into(levels[level - 1])({value, member.path + "." + key}));
    }
    return {};
  };
}

Result<void> read_batching(const Member& batching, ModelSettings& settings) {
  std::size_t levels = settings.levels.size();
  runtime::QueuePolicy policy = settings.levels.front();
  const Reader nothing;
  KEFU_CHECK(read_object(batching, {{"preferred_batch_size",
                                     [&](const Member& sizes) {
                                       settings.preferred_batch_size.clear();
                                       return read_numbers(sizes, [&](std::size_t size) {
                                         settings.preferred_batch_size.push_back(size);
                                       });
                                     }},
                                    {"max_queue_delay_microseconds", duration_into(settings.max_queue_delay)},
                                    {"priority_levels", number_into(levels)},
                                    {"default_priority_level", number_into(settings.default_level, 1)},
                                    {"default_queue_policy", queue_policy_into(policy)},
                                    {"priority_queue_policy", nothing},
                                    {"preserve_ordering", nothing}}));
  if (batching.value.contains("priority_levels") || batching.value.contains("default_queue_policy"))
    settings.levels.assign(std::max<std::size_t>(levels, 1), policy);
  if (const auto found = batching.value.find("priority_queue_policy"); found != batching.value.end())
    KEFU_CHECK(level_policies_into(settings.levels)({*found, batching.path + ".priority_queue_policy"}));
  if (const auto found = batching.value.find("preserve_ordering");
      found != batching.value.end() && *found != false)
    return fail(Code::kUnimplemented,
                "{}.preserve_ordering is not offered; each reply is sent as soon as it is there",
                batching.path);
  return {};
}

/// So many instances, and as many at the most unless kefu.max_instances says otherwise.
Reader count_into(runtime::InstancePolicy& instances) {
  return [&instances](const Member& member) -> Result<void> {
    KEFU_CHECK(number_into(instances.min, 1)(member));
    instances.max = instances.min;
    return {};
  };
}

Result<void> read_instances(const Member& groups, ModelSettings& settings) {
  if (!groups.value.is_array() || groups.value.size() != 1) return wrong(groups, "an array of one group");
  const Reader nothing;
  return read_object({groups.value[0], groups.path + "[0]"},
                     {{"count", count_into(settings.instances)},
                      {"kind",
                       [](const Member& kind) -> Result<void> {
                         if (kind.value == "KIND_CPU" || kind.value == "KIND_AUTO") return {};
                         return wrong(kind, "KIND_CPU or KIND_AUTO");
                       }},
                      {"name", nothing},
                      {"gpus", nothing}});
}

Result<void> read_versions(const Member& member, VersionPolicy& policy) {
  policy = {};
  return read_object(
      member, {{"latest",
                [&](const Member& latest) {
                  return read_object(latest, {{"num_versions", number_into(policy.latest, 1)}});
                }},
               {"all",
                [&](const Member&) -> Result<void> {
                  policy.all = true;
                  return {};
                }},
               {"specific", [&](const Member& specific) {
                  return read_object(specific, {{"versions", [&](const Member& versions) {
                                                   return read_numbers(versions, [&](std::size_t version) {
                                                     policy.specific.insert(static_cast<int>(version));
                                                   });
                                                 }}});
                }}});
}

/// {"kefu.max_batch_tokens": {"string_value": "4096"}}
Result<void> read_parameters(const Member& member, ModelSettings& settings) {
  const auto string_value = [](const Reader& read) -> Reader {
    return [read](const Member& parameter) { return read_object(parameter, {{"string_value", read}}); };
  };
  return read_object(
      member, {{"kefu.max_instances", string_value([&](const Member& most) -> Result<void> {
                  KEFU_CHECK(number_into(settings.instances.max, 1)(most));
                  settings.instances.min = std::min(settings.instances.min, settings.instances.max);
                  return {};
                })},
               {"kefu.instances_remove_after_ms", string_value([&](const Member& after) -> Result<void> {
                  std::size_t ms = 0;
                  KEFU_CHECK(number_into(ms, 1)(after));
                  settings.instances.remove_after = std::chrono::milliseconds(ms);
                  return {};
                })},
               {"kefu.cache_bytes", string_value(number_into(settings.cache.bytes, 1))},
               {"kefu.cache_ttl_s", string_value([&](const Member& ttl) -> Result<void> {
                  std::size_t seconds = 0;
                  KEFU_CHECK(number_into(seconds, 1)(ttl));
                  constexpr std::size_t kMostSeconds = 86'400;
                  if (seconds > kMostSeconds) return wrong(ttl, "at most a day");
                  settings.cache.ttl = std::chrono::seconds(seconds);
                  return {};
                })},
               {"kefu.max_batch_tokens", string_value(number_into(settings.max_batch_tokens))},
               {"kefu.priority_ageing_ms", string_value([&](const Member& ageing) -> Result<void> {
                  KEFU_ASSIGN(const std::size_t ms, read_number(ageing));
                  settings.ageing = std::chrono::milliseconds(ms);
                  return {};
                })}});
}

}  // namespace

Result<void> read_model_config(const Json& config, const std::string& source, ModelSettings& settings) {
  const Reader nothing;
  return read_object(
      {config, source},
      {{"name", nothing},
       {"platform", nothing},
       {"backend", nothing},
       {"input", nothing},
       {"output", nothing},
       {"max_batch_size", number_into(settings.max_batch_size)},
       {"response_cache",
        [&](const Member& cache) {
          return read_object(cache, {{"enable", bool_into(settings.response_cache)}});
        }},
       {"dynamic_batching", [&](const Member& member) { return read_batching(member, settings); }},
       {"instance_group", [&](const Member& member) { return read_instances(member, settings); }},
       {"version_policy", [&](const Member& member) { return read_versions(member, settings.versions); }},
       {"parameters", [&](const Member& member) { return read_parameters(member, settings); }}});
}

runtime::InstancePolicy instances_of(const ModelSettings& settings) {
  runtime::InstancePolicy instances = settings.instances;
  instances.batching_window = settings.max_queue_delay;
  return instances;
}

runtime::BatchPolicy common_policy(const ModelSettings& settings) {
  runtime::BatchPolicy policy;
  policy.preferred_rows = settings.preferred_batch_size;
  policy.window = settings.max_queue_delay;
  policy.levels = settings.levels;
  policy.default_level = settings.default_level;
  policy.ageing = settings.ageing;
  return policy;
}

}  // namespace kefu::hosting
