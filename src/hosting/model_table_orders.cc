// Loads and unloads: see model_table.h.

#include <algorithm>

#include <boost/asio/post.hpp>

#include "base/file.h"
#include "hosting/model_table.h"

namespace kefu::hosting {
namespace {

constexpr std::size_t kKeptOperations = 256;

constexpr const char* kClosed = "the server is shutting down; ask another replica";

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

/// Adds the versions that have a label.
Result<std::vector<model::PackageId>> with_labelled(const std::vector<model::PackageId>& there,
                                                    Result<std::vector<model::PackageId>> wanted,
                                                    const Traffic& traffic) {
  if (!wanted) return wanted;
  for (const auto& labelled : {traffic.stable, traffic.canary, traffic.kept}) {
    if (!labelled || std::ranges::find(*wanted, *labelled, &model::PackageId::version) != wanted->end())
      continue;
    const auto found = std::ranges::find(there, *labelled, &model::PackageId::version);
    if (found == there.end()) {
      return fail(Code::kNotFound, "version {} of model \"{}\" has a label but is not in the repository",
                  *labelled, there.front().name);
    }
    wanted->push_back(*found);
  }
  return wanted;
}

bool is_labelled(const Traffic& traffic, int version) {
  return traffic.stable == version || traffic.canary == version || traffic.kept == version;
}

}  // namespace

std::uint64_t ModelTable::load(const std::string& name, Json config, Done done) {
  return start({.model = name, .is_load = true, .config = std::move(config)}, std::move(done));
}

std::uint64_t ModelTable::reload(const std::string& name, Done done) {
  Json config;
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = models_.find(name); found != models_.end()) config = found->second.config;
  }
  return start({.model = name, .is_load = true, .config = std::move(config), .needs_labels = true},
               std::move(done));
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
  const bool may_join = !is_idle && (!operation.needs_labels || model.jobs.size() > 1);
  if (may_join) {
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
  const Traffic labels = traffic(operation.model);
  const auto wanted = with_labelled(*there, wanted_versions(*there, settings->versions), labels);
  if (!wanted) return failed(wanted.error());
  std::vector<std::pair<int, Version>> loaded;
  std::vector<int> keep;
  for (const model::PackageId& id : *wanted) {
    keep.push_back(id.version);
    auto version = load_version(id, *settings, configs);
    if (!version && (labels.canary == id.version || labels.kept == id.version) && labels.stable != id.version)
      continue;  // the stable one serves on
    if (!version) return failed(version.error());
    loaded.emplace_back(id.version, *std::move(version));
  }
  for (auto& [number, version] : loaded) set_state(operation.model, number, std::move(version));
  take_out(operation.model, keep);
  const std::unique_lock lock(mutex_);
  models_.at(operation.model).config = operation.config;
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
    if (!is_served) old = {State::kLoading, "", nullptr, {}, {}};
  }
  const auto began = std::chrono::steady_clock::now();
  auto model = load_(id, settings);
  const auto load_time = std::chrono::steady_clock::now() - began;
  if (model) return Version{State::kReady, "", *std::move(model), fingerprint, load_time};
  if (!is_served)
    set_state(id.name, id.version, {State::kUnavailable, model.error().message, nullptr, {}, {}});
  return tl::unexpected(model.error());
}

void ModelTable::set_state(const std::string& name, int version, Version state) {
  {
    const std::unique_lock lock(mutex_);
    std::swap(models_.at(name).versions[version], state);  // the old one ends outside the lock
  }
  tell_change();
}

void ModelTable::take_out(const std::string& name, const std::vector<int>& keep) {
  std::vector<ModelRef> ended;
  {
    const std::unique_lock lock(mutex_);
    for (auto& [number, version] : models_.at(name).versions) {
      if (version.state != State::kReady || std::ranges::find(keep, number) != keep.end()) continue;
      if (!keep.empty() && is_labelled(models_.at(name).traffic, number)) continue;  // meanwhile
      ended.push_back(std::move(version.model));
      version = {State::kUnavailable, "unloaded", nullptr, {}, {}};
    }
  }
  if (!ended.empty()) tell_change();
}

}  // namespace kefu::hosting
