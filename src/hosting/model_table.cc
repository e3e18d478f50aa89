#include "hosting/model_table.h"

#include <algorithm>
#include <charconv>
#include <random>

namespace kefu::hosting {
namespace {

int random_bucket() {
  thread_local std::minstd_rand random{std::random_device()()};
  return std::uniform_int_distribution<int>(0, kWhole - 1)(random);
}

Result<int> read_version(std::string_view text) {
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error == std::errc() && end == text.data() + text.size() && version > 0) return version;
  // Triton's sentence, which its clients look for.
  return fail(Code::kInvalidArgument,
              "failed to get model version from specified version string '{}', version should be an integral "
              "value > 0",
              text);
}

}  // namespace

std::string_view state_name(State state) {
  switch (state) {
    case State::kLoading:
      return "LOADING";
    case State::kReady:
      return "READY";
    case State::kUnavailable:
      return "UNAVAILABLE";
  }
  return "UNKNOWN";
}

ModelTable::ModelTable(std::filesystem::path repository, ModelSettings defaults, LoadVersion load)
    : repository_(std::move(repository)), defaults_(std::move(defaults)), load_(std::move(load)) {}

ModelTable::~ModelTable() {
  close();
  loading_.join();
}

void ModelTable::close() {
  const std::unique_lock lock(mutex_);
  closed_ = true;
}

/// With the lock held.
tl::unexpected<Error> ModelTable::unknown(std::string_view name) const {
  std::error_code ignored;
  if (model::check_model_name(name) && std::filesystem::is_directory(repository_ / name, ignored)) {
    return fail(Code::kUnavailable,
                "Request for unknown model: '{}' has no available versions: it is not loaded", name);
  }
  return fail(Code::kNotFound, "Request for unknown model: '{}' is not found; loaded: {}", name,
              known_models());
}

std::string ModelTable::known_models() const {
  std::string known;
  for (const auto& [name, model] : models_) {
    const bool is_served = std::ranges::any_of(
        model.versions, [](const auto& entry) { return entry.second.state == State::kReady; });
    if (is_served) known += (known.empty() ? "" : ", ") + name;
  }
  return known.empty() ? "none" : known;
}

/// With the lock held, as the next three.
Result<ModelRef> ModelTable::in_service(std::string_view name, const Model& model, int version) const {
  const auto at = model.versions.find(version);
  if (at == model.versions.end())
    return fail(Code::kNotFound, "Request for unknown model: '{}' version {} is not found", name, version);
  if (at->second.state == State::kReady) return at->second.model;
  return fail(Code::kUnavailable, "Request for unknown model: '{}' version {} is not ready ({}): {}", name,
              version, state_name(at->second.state), at->second.reason);
}

/// The stable one, or else the highest in service.
Result<ModelRef> ModelTable::default_version(std::string_view name, const Model& model) const {
  if (model.traffic.stable) return in_service(name, model, *model.traffic.stable);
  const Version* last = nullptr;
  for (const auto& [number, entry] : model.versions) {
    if (last == nullptr || entry.state == State::kReady || last->state != State::kReady) last = &entry;
  }
  if (last != nullptr && last->state == State::kReady) return last->model;
  return fail(Code::kUnavailable, "Request for unknown model: '{}' has no available versions{}{}", name,
              last != nullptr && !last->reason.empty() ? ": " : "", last != nullptr ? last->reason : "");
}

/// Of a release under way: the canary for its share of keys, now and then with the stable version as its
/// shadow, else the stable version.
Result<Selection> ModelTable::by_traffic(const Selector& wanted, const Model& model) const {
  const Traffic& traffic = model.traffic;
  // Not the release's id, which every replica counts for itself.
  const std::string change =
      fmt::format("{}:{}:{}", wanted.model, traffic.stable.value_or(0), traffic.canary.value_or(0));
  const int bucket = wanted.key.empty() ? random_bucket() : share_bucket(change, wanted.key);
  const auto canary = in_service(wanted.model, model, traffic.canary.value_or(0));
  if (canary && bucket < traffic.canary_share) {
    Selection selection{*canary, kCanaryLabel, traffic.release, true};
    const bool has_intents = !(*canary)->description().intents.empty();
    if (has_intents && model.comparisons->is_due(std::chrono::steady_clock::now())) {
      if (auto stable = default_version(wanted.model, model)) selection.shadow = *std::move(stable);
    }
    return selection;
  }
  KEFU_ASSIGN(ModelRef stable, default_version(wanted.model, model));
  Selection selection{std::move(stable), traffic.stable ? kStableLabel : "", traffic.release, true};
  if (canary && random_bucket() < traffic.shadow_share) selection.shadow = *canary;
  return selection;
}

Result<ModelRef> ModelTable::find(std::string_view name, std::string_view version) const {
  if (name.empty()) name = default_name_;
  const std::shared_lock lock(mutex_);
  const auto found = models_.find(name);
  if (found == models_.end()) return unknown(name);
  if (version.empty()) return default_version(name, found->second);
  KEFU_ASSIGN(const int number, read_version(version));
  return in_service(name, found->second, number);
}

Result<Selection> ModelTable::select(const Selector& wanted) const {
  if (!wanted.version.empty()) {
    KEFU_ASSIGN(ModelRef model, find(wanted.model, wanted.version));
    return Selection{std::move(model)};
  }
  const std::string_view name = wanted.model.empty() ? std::string_view(default_name_) : wanted.model;
  const std::shared_lock lock(mutex_);
  const auto found = models_.find(name);
  if (found == models_.end()) return unknown(name);
  const Traffic& traffic = found->second.traffic;
  if (wanted.label.empty()) {
    if (!traffic.release.empty()) return by_traffic({.model = name, .key = wanted.key}, found->second);
    KEFU_ASSIGN(ModelRef model, default_version(name, found->second));
    return Selection{std::move(model), traffic.stable ? kStableLabel : ""};
  }
  const bool is_stable = wanted.label == kStableLabel;
  if (!is_stable && wanted.label != kCanaryLabel)
    return fail(Code::kInvalidArgument, "there is no label \"{}\"; known: stable, canary", wanted.label);
  const auto version = is_stable ? traffic.stable : traffic.canary;
  if (!version) return fail(Code::kNotFound, "no version of model '{}' is labelled {}", name, wanted.label);
  KEFU_ASSIGN(ModelRef model, in_service(name, found->second, *version));
  return Selection{std::move(model), is_stable ? kStableLabel : kCanaryLabel, traffic.release};
}

Result<void> ModelTable::set_traffic(const std::string& name, const Traffic& expected, Traffic wanted) {
  const std::unique_lock lock(mutex_);
  Traffic& traffic = models_[name].traffic;
  if (traffic != expected)
    return fail(Code::kFailedPrecondition, "the labels of model '{}' have changed meanwhile; look again",
                name);
  traffic = std::move(wanted);
  return {};
}

Traffic ModelTable::traffic(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = models_.find(name);
  return found != models_.end() ? found->second.traffic : Traffic();
}

std::optional<Operation> ModelTable::operation(std::uint64_t id) const {
  const std::shared_lock lock(mutex_);
  const auto found = operations_.find(id);
  if (found == operations_.end()) return std::nullopt;
  return *found->second;
}

std::vector<IndexEntry> ModelTable::index() const {
  std::vector<IndexEntry> entries;
  const auto packages = model::list_packages(repository_);
  const std::shared_lock lock(mutex_);
  for (const model::PackageId& package : packages) {
    if (models_.contains(package.name)) continue;
    if (entries.empty() || entries.back().name != package.name) entries.push_back({.name = package.name});
  }
  for (const auto& [name, model] : models_) {
    for (const auto& [number, version] : model.versions)
      entries.push_back({name, std::to_string(number), version.state, version.reason});
  }
  std::ranges::sort(entries, [](const IndexEntry& a, const IndexEntry& b) {
    return std::tie(a.name, a.version) < std::tie(b.name, b.version);
  });
  return entries;
}

std::vector<ModelRef> ModelTable::served() const {
  std::vector<ModelRef> all;
  const std::shared_lock lock(mutex_);
  for (const auto& [name, model] : models_) {
    for (const auto& [number, version] : model.versions) {
      if (version.state == State::kReady) all.push_back(version.model);
    }
  }
  return all;
}

std::vector<VersionStatus> ModelTable::versions() const {
  std::vector<VersionStatus> all;
  const std::shared_lock lock(mutex_);
  for (const auto& [name, model] : models_) {
    for (const auto& [number, version] : model.versions) {
      const std::string_view label = model.traffic.stable == number   ? kStableLabel
                                     : model.traffic.canary == number ? kCanaryLabel
                                                                      : "";
      all.push_back({name, number, version.state, label, version.model, version.load_time});
    }
  }
  return all;
}

void ModelTable::require(std::vector<std::string> names) {
  {
    const std::unique_lock lock(mutex_);
    required_ = std::move(names);
  }
  tell_change();
}

void ModelTable::set_on_change(std::function<void()> on_change) {
  const std::lock_guard lock(on_change_mutex_);
  on_change_ = std::move(on_change);
}

/// Without the lock.
void ModelTable::tell_change() {
  const std::lock_guard lock(on_change_mutex_);
  if (on_change_) on_change_();
}

bool ModelTable::ready() const {
  const std::shared_lock lock(mutex_);
  return !required_.empty() && std::ranges::all_of(required_, [&](const std::string& name) {
    const auto found = models_.find(name);
    return found != models_.end() && std::ranges::any_of(found->second.versions, [](const auto& entry) {
             return entry.second.state == State::kReady;
           });
  });
}

}  // namespace kefu::hosting
