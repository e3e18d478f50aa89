#include "release/releases.h"

#include <chrono>

#include "base/log.h"

namespace kefu::release {
namespace {

constexpr int kFormat = 1;  // of the state file

hosting::Traffic traffic_of_label(std::optional<int> stable) {
  return {.stable = stable};
}

Json readings_json(const std::vector<GuardReading>& readings) {
  Json all = Json::array();
  for (const GuardReading& one : readings) {
    all.push_back({{"guard", one.guard},
                   {"canary_share", one.canary_share},
                   {"allowed_share", one.allowed_share},
                   {"alarm", one.alarm},
                   {"assurance", one.assurance}});
  }
  return all;
}

void log_release(const Release& release, const std::vector<GuardReading>& readings) {
  spdlog::info(R"("event":"release","release":"{}","phase":"{}","step":{},"canary_percent":{},"reason":{},)"
               R"("guards":{})",
               release.id, phase_name(release.phase), release.step, traffic_of(release).canary_share / 100.0,
               Json(release.reason).dump(), readings_json(readings).dump());
}

}  // namespace

std::int64_t seconds_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

Result<std::unique_ptr<Releases>> Releases::open(hosting::ModelTable& models,
                                                 std::filesystem::path state_file) {
  std::unique_ptr<Releases> releases(new Releases(models, std::move(state_file)));
  KEFU_CHECK(releases->read());
  return releases;
}

Releases::~Releases() {
  std::unique_lock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return staging_ == 0; });
  lock.unlock();
  if (thread_.joinable()) thread_.join();
}

void Releases::start() {
  thread_ = std::thread([this] { run(); });
}

void Releases::run() {
  auto next = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    next += std::chrono::seconds(1);
    if (changed_.wait_until(lock, next, [this] { return stopped_; })) return;
    lock.unlock();
    watch(seconds_now());
    lock.lock();
  }
}

Result<void> Releases::read() {
  if (!std::filesystem::exists(state_file_)) return {};
  const std::string source = state_file_.string();
  KEFU_ASSIGN(const Json state, read_json(state_file_));
  KEFU_ASSIGN(const int format, json_get<int>(state, "format", source));
  if (format != kFormat)
    return fail(Code::kInvalidArgument, "{} has format {}; this build reads {}", source, format, kFormat);
  KEFU_ASSIGN(const Json models, json_get<Json>(state, "models", source));
  for (const auto& [model, saved] : models.items()) {
    Entry& entry = entries_[model];
    KEFU_ASSIGN(entry.releases, json_get<std::uint64_t>(saved, "releases", source));
    if (saved.contains("stable")) {
      KEFU_ASSIGN(entry.stable, json_get<int>(saved, "stable", source));
    }
    if (saved.contains("release")) {
      KEFU_ASSIGN(entry.release, read_release(saved["release"], source));
    }
    const bool is_active = entry.is_under_way();
    KEFU_CHECK(models_.set_traffic(model, models_.traffic(model),
                                   is_active ? traffic_of(entry.release) : traffic_of_label(entry.stable)));
  }
  return {};
}

/// With the lock held, as all that follow: the file with `entry` for the model.
Result<void> Releases::save(const std::string& model, const Entry& entry) {
  Json models = Json::object();
  const auto add = [&models](const std::string& name, const Entry& one) {
    Json saved{{"releases", one.releases}};
    if (one.stable) saved["stable"] = *one.stable;
    if (one.has_release()) saved["release"] = to_json(one.release);
    models[name] = std::move(saved);
  };
  for (const auto& [name, one] : entries_) add(name, one);
  add(model, entry);
  return replace_file(state_file_, Json{{"format", kFormat}, {"models", std::move(models)}}.dump(2) + "\n");
}

/// The release becomes `next`: on disk, then for requests.
Result<void> Releases::adopt(const std::string& model, Entry& entry, Release next) {
  Entry changed;
  const hosting::Traffic traffic = traffic_of(next);
  changed.stable = next.is_active() ? entry.stable : traffic.stable;
  changed.release = std::move(next);
  changed.releases = entry.releases;
  KEFU_CHECK(save(model, changed));
  entry.stable = changed.stable;
  entry.release = std::move(changed.release);
  log_release(entry.release, entry.last.readings);
  return models_.set_traffic(model, models_.traffic(model), traffic);
}

void Releases::Entry::watch_anew() {
  guards = Guards();
  last = {};
  stable_model = canary_model = nullptr;
  canary_replies = stable_replies = 0;
}

void Releases::stage(const std::string& model, int version, const Done& done) {
  const auto serving = models_.find(model);
  if (!serving) return done(tl::unexpected(serving.error()));
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[model];
    if (entry.is_under_way()) {
      return done(fail(Code::kFailedPrecondition, "release {} is under way; promote it or roll it back first",
                       entry.release.id));
    }
    Release draft{
        .model = model, .stable = std::stoi((*serving)->description().version()), .canary = version};
    if (draft.stable == version)
      return done(fail(Code::kFailedPrecondition, "version {} of model '{}' serves already", version, model));
    ++entry.releases;
    id = draft.id = fmt::format("{}-{}", model, entry.releases);
    draft.reason = "staged";
    draft.since = seconds_now();
    entry.watch_anew();
    if (auto adopted = adopt(model, entry, std::move(draft)); !adopted)
      return done(tl::unexpected(adopted.error()));
    ++staging_;
  }
  models_.reload(model,
                 [this, model, id, done](const Result<void>& loaded) { staged(model, id, loaded, done); });
}

void Releases::staged(const std::string& model, const std::string& id, const Result<void>& loaded,
                      const Done& done) {
  std::unique_lock lock(mutex_);
  --staging_;
  changed_.notify_all();
  Entry& entry = entries_.at(model);
  if (!entry.is_under_way() || entry.release.id != id) {
    lock.unlock();
    return done(fail(Code::kAborted, "release {} was ended while its version was loaded", id));
  }
  Result<void> outcome = loaded;
  if (loaded) {
    if (const auto canary = models_.find(model, std::to_string(entry.release.canary)); !canary)
      outcome = tl::unexpected(canary.error());
  }
  if (!outcome) roll_back(model, entry, {}, outcome.error().message, seconds_now());
  const Release release = entry.release;
  lock.unlock();
  done(outcome ? Result<Release>(release) : tl::unexpected(outcome.error()));
}

Result<Release> Releases::order(const std::string& model, Order order, const std::string& reason,
                                const Plan& plan) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(model);
  if (found == entries_.end() || !found->second.has_release())
    return fail(Code::kNotFound, "model '{}' has had no release; stage one first", model);
  Entry& entry = found->second;
  if (order == Order::kRollBack && entry.is_under_way()) {
    KEFU_CHECK(models_.find(model, std::to_string(entry.release.stable)));
    roll_back(model, entry, {}, reason, seconds_now());
    return entry.release;
  }
  if (order == Order::kShadow || order == Order::kCanary || order == Order::kPromote)
    KEFU_CHECK(models_.find(model, std::to_string(entry.release.canary)));
  KEFU_ASSIGN(Release next, after(entry.release, order, reason, seconds_now(), plan));
  if (order == Order::kShadow || (order == Order::kCanary && entry.release.phase != Phase::kHold)) {
    entry.watch_anew();
  }
  KEFU_CHECK(adopt(model, entry, std::move(next)));
  return entry.release;
}

Result<void> Releases::set_stable(const std::string& model, std::optional<int> version,
                                  std::optional<int> expected) {
  KEFU_CHECK(models_.find(model, version ? std::to_string(*version) : ""));
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[model];
  if (entry.is_under_way()) {
    return fail(Code::kFailedPrecondition, "release {} is under way; promote it or roll it back first",
                entry.release.id);
  }
  if (entry.stable != expected) {
    return fail(Code::kFailedPrecondition, "stable is on version {} of model '{}', not on the expected one",
                entry.stable ? std::to_string(*entry.stable) : "none", model);
  }
  Entry changed;
  changed.stable = version;
  changed.release = entry.release;
  changed.releases = entry.releases;
  KEFU_CHECK(save(model, changed));
  entry.stable = version;
  return models_.set_traffic(model, models_.traffic(model), traffic_of_label(version));
}

/// Of an entry that has a release.
ReleaseStatus Releases::status_of(const Entry& entry) const {
  return {entry.release, entry.last.readings, entry.canary_replies, entry.stable_replies,
          entry.canary_before.shadowed};
}

std::optional<ReleaseStatus> Releases::status(const std::string& model) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(model);
  if (found == entries_.end() || !found->second.has_release()) return std::nullopt;
  return status_of(found->second);
}

std::vector<ReleaseStatus> Releases::statuses() const {
  const std::lock_guard lock(mutex_);
  std::vector<ReleaseStatus> all;
  for (const auto& [model, entry] : entries_) {
    if (entry.has_release()) all.push_back(status_of(entry));
  }
  return all;
}

std::map<std::string, std::uint64_t> Releases::rollbacks() const {
  const std::lock_guard lock(mutex_);
  return rollbacks_;
}

}  // namespace kefu::release
