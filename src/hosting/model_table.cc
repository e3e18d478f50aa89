#include "hosting/model_table.h"

#include <algorithm>
#include <charconv>

#include <boost/asio/post.hpp>
#include <fmt/ranges.h>

#include "base/file.h"

namespace kefu::hosting {
namespace {

constexpr std::size_t kKeptOperations = 256;

constexpr const char* kClosed = "the server is shutting down; ask another replica";

std::optional<int> read_version(std::string_view text) {
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1) return std::nullopt;
  return version;
}

/// The versions that a policy wants of those there are, ascending. kNotFound: one of the specific ones is not
/// there.
Result<std::vector<model::PackageId>> wanted_versions(std::vector<model::PackageId> there,
                                                      const VersionPolicy& policy) {
  if (policy.all) return there;
  if (!policy.specific.empty()) {
    for (const int version : policy.specific) {
      if (std::ranges::find(there, version, &model::PackageId::version) == there.end())
        return fail(Code::kNotFound, "there is no version {} of model \"{}\"", version, there.front().name);
    }
    std::erase_if(there, [&](const model::PackageId& id) { return !policy.specific.contains(id.version); });
    return there;
  }
  if (there.size() > policy.latest)
    there.erase(there.begin(), there.end() - static_cast<std::ptrdiff_t>(policy.latest));
  return there;
}

}  // namespace

std::string_view state_name(State state) {
  switch (state) {
    case State::kLoading:
      return "LOADING";
    case State::kReady:
      return "READY";
    case State::kUnloading:
      return "UNLOADING";
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

Result<ModelRef> ModelTable::find(std::string_view name, std::string_view version) const {
  if (name.empty()) name = default_name_;
  const std::shared_lock lock(mutex_);
  const auto found = models_.find(name);
  if (found == models_.end()) return unknown(name);
  const auto& versions = found->second.versions;
  if (!version.empty()) {
    const auto number = read_version(version);
    const auto at = number ? versions.find(*number) : versions.end();
    if (at == versions.end()) {
      return fail(Code::kNotFound, "Request for unknown model: '{}' version {} is not found", name, version);
    }
    if (at->second.state == State::kReady) return at->second.model;
    return fail(Code::kUnavailable, "Request for unknown model: '{}' version {} is not ready ({}): {}", name,
                version, state_name(at->second.state), at->second.reason);
  }
  const Version* last = nullptr;
  for (const auto& [number, entry] : versions) {
    if (last == nullptr || entry.state == State::kReady || last->state != State::kReady) last = &entry;
  }
  if (last != nullptr && last->state == State::kReady) return last->model;
  return fail(Code::kUnavailable, "Request for unknown model: '{}' has no available versions{}{}", name,
              last != nullptr && !last->reason.empty() ? ": " : "", last != nullptr ? last->reason : "");
}

std::uint64_t ModelTable::load(const std::string& name, Json config, Done done) {
  return start({.model = name, .is_load = true, .config = std::move(config)}, std::move(done));
}

std::uint64_t ModelTable::unload(const std::string& name, Done done) {
  return start({.model = name, .is_load = false, .config = {}}, std::move(done));
}

std::uint64_t ModelTable::start(Operation operation, Done done) {
  if (const auto good = model::check_model_name(operation.model); !good)
    return refuse(std::move(operation), good.error(), done);
  if (operation.is_load) {
    if (const auto there = model::find_versions(repository_, operation.model); !there) {
      const Error error{there.error().code,
                        fmt::format("failed to load '{}', failed to poll from model repository: {}",
                                    operation.model, there.error().message)};
      return refuse(std::move(operation), error, done);
    }
  }
  std::unique_lock lock(mutex_);
  if (closed_) {
    lock.unlock();
    return refuse(std::move(operation), {Code::kUnavailable, kClosed}, done);
  }
  Model& model = models_[operation.model];
  const bool is_idle = model.jobs.empty();
  if (!is_idle) {
    Job& last = model.jobs.back();
    if (last.operation->is_load == operation.is_load && last.operation->config == operation.config) {
      last.waiters.push_back(std::move(done));
      return last.operation->id;
    }
  }
  const auto added = add(std::move(operation));
  model.jobs.push_back({added, {}});
  model.jobs.back().waiters.push_back(std::move(done));
  if (is_idle) boost::asio::post(loading_, [this, name = added->model] { run_next(name); });
  return added->id;
}

std::uint64_t ModelTable::refuse(Operation operation, const Error& error, const Done& done) {
  operation.phase = Operation::Phase::kFailed;
  operation.error = error;
  std::uint64_t id = 0;
  {
    const std::unique_lock lock(mutex_);
    id = add(std::move(operation))->id;
  }
  done(tl::unexpected(error));
  return id;
}

/// With the lock held.
std::shared_ptr<Operation> ModelTable::add(Operation operation) {
  operation.id = next_operation_++;
  auto added = std::make_shared<Operation>(std::move(operation));
  operations_.emplace(added->id, added);
  if (operations_.size() > kKeptOperations) operations_.erase(operations_.begin());
  return added;
}

void ModelTable::run_next(const std::string& name) {
  std::shared_ptr<Operation> operation;
  {
    const std::unique_lock lock(mutex_);
    operation = models_.at(name).jobs.front().operation;
    operation->phase = Operation::Phase::kRunning;
  }
  Result<void> outcome = run(*operation);
  std::vector<Done> waiters;
  bool has_more = false;
  {
    const std::unique_lock lock(mutex_);
    operation->phase = outcome ? Operation::Phase::kSucceeded : Operation::Phase::kFailed;
    if (!outcome) operation->error = outcome.error();
    Model& model = models_.at(name);
    waiters = std::move(model.jobs.front().waiters);
    model.jobs.pop_front();
    has_more = !model.jobs.empty();
  }
  if (has_more) boost::asio::post(loading_, [this, name] { run_next(name); });
  for (const Done& done : waiters) done(outcome);
}

Result<void> ModelTable::run(const Operation& operation) {
  {
    const std::shared_lock lock(mutex_);
    if (closed_) return fail(Code::kUnavailable, kClosed);
  }
  if (operation.is_load) return run_load(operation);
  take_out(operation.model, {});
  return {};
}

/// `configs` becomes the text that they come from.
Result<ModelSettings> ModelTable::settings_of(const Operation& operation, std::string& configs) const {
  ModelSettings settings = defaults_;
  const auto file = repository_ / operation.model / "config.json";
  if (std::filesystem::exists(file)) {
    KEFU_ASSIGN(const Json config, read_json(file));
    KEFU_CHECK(read_model_config(config, file.string(), settings));
    configs = config.dump();
  }
  configs += operation.config.dump();
  if (!operation.config.is_null()) KEFU_CHECK(read_model_config(operation.config, "config", settings));
  return settings;
}

Result<void> ModelTable::run_load(const Operation& operation) {
  const auto failed = [&](const Error& error) {
    return fail(error.code, "failed to load '{}': {}", operation.model, error.message);
  };
  std::string configs;
  const auto settings = settings_of(operation, configs);
  if (!settings) return failed(settings.error());
  auto there = model::find_versions(repository_, operation.model);
  if (!there) return failed(there.error());
  const auto wanted = wanted_versions(*std::move(there), settings->versions);
  if (!wanted) return failed(wanted.error());
  std::vector<std::pair<int, Version>> loaded;
  std::vector<int> keep;
  for (const model::PackageId& id : *wanted) {
    keep.push_back(id.version);
    auto version = load_version(id, *settings, configs);
    if (!version) return failed(version.error());
    loaded.emplace_back(id.version, *std::move(version));
  }
  for (auto& [number, version] : loaded) set_state(operation.model, number, std::move(version));
  take_out(operation.model, keep);
  return {};
}

/// Of an unchanged version the one that is in service.
Result<ModelTable::Version> ModelTable::load_version(const model::PackageId& id,
                                                     const ModelSettings& settings,
                                                     const std::string& configs) {
  const auto manifest = read_file(id.folder / "manifest.json");
  const std::string fingerprint = sha256_hex(configs + (manifest ? *manifest : ""));
  bool is_served = false;
  {
    const std::unique_lock lock(mutex_);
    Version& old = models_.at(id.name).versions[id.version];
    is_served = old.model != nullptr;
    if (is_served && old.fingerprint == fingerprint) return old;
    if (!is_served) old = {State::kLoading, "", nullptr, {}};
  }
  auto model = load_(id, settings);
  if (model) return Version{State::kReady, "", *std::move(model), fingerprint};
  if (!is_served) set_state(id.name, id.version, {State::kUnavailable, model.error().message, nullptr, {}});
  return tl::unexpected(model.error());
}

void ModelTable::set_state(const std::string& name, int version, Version state) {
  const std::unique_lock lock(mutex_);
  std::swap(models_.at(name).versions[version], state);  // the old one ends outside the lock
}

void ModelTable::take_out(const std::string& name, const std::vector<int>& keep) {
  std::vector<ModelRef> ended;
  const std::unique_lock lock(mutex_);
  for (auto& [number, version] : models_.at(name).versions) {
    if (version.state != State::kReady || std::ranges::find(keep, number) != keep.end()) continue;
    ended.push_back(std::move(version.model));
    version = {State::kUnavailable, "unloaded", nullptr, {}};
  }
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

void ModelTable::require(std::vector<std::string> names) {
  const std::unique_lock lock(mutex_);
  required_ = std::move(names);
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
