#pragma once
// The releases of all models: takes orders, watches canaries, and sends requests where a release says.

#include <array>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "hosting/model_table.h"
#include "release/guards.h"
#include "release/release.h"

namespace kefu::release {

/// What may roll a release back by itself: a breach, or a canary that is no longer in service.
inline constexpr std::array<std::string_view, 5> kGuards{"errors", "latency", "labels", "answers", "service"};

/// A release, and what its guards last read.
struct ReleaseStatus {
  Release release{};
  std::vector<GuardReading> readings{};
  std::uint64_t canary_replies = 0;  // since its canary began
  std::uint64_t stable_replies = 0;
  std::array<std::uint64_t, hosting::kShadowed> shadowed{};  // of the canary, since it was loaded
};

/// Thread-safe. Each change is on disk before requests follow it, so a restart finds it again.
class Releases {
 public:
  using Done = std::function<void(Result<Release>)>;

  /// Reads the state file, if there is one, and sets the table's traffic accordingly; so before models are
  /// loaded. `models` outlives it. kInvalidArgument: the file cannot be understood.
  static Result<std::unique_ptr<Releases>> open(hosting::ModelTable& models,
                                                std::filesystem::path state_file);

  /// Stops the watch, and waits for versions that are being staged.
  ~Releases();

  /// Calls watch() each second on a thread of its own.
  void start();

  /// Begins a release: labels the version that serves stable and the other one canary, and loads that. `done`
  /// runs when it is in service, on the table's thread or on this one. kFailedPrecondition: a release is
  /// under way, or the version serves already; kNotFound; the error of its load, after which the release is
  /// over.
  void stage(const std::string& model, int version, const Done& done);

  /// kNotFound: there is no release of the model; the errors of after().
  Result<Release> order(const std::string& model, Order order, const std::string& reason,
                        const Plan& plan = {});

  /// Sets the stable label of a model that has no release under way; none: takes it away.
  /// kFailedPrecondition: the label is not on `expected`, or a release is under way; kNotFound, kUnavailable:
  /// no such version in service.
  Result<void> set_stable(const std::string& model, std::optional<int> version, std::optional<int> expected);

  /// The last release of a model, and of each.
  std::optional<ReleaseStatus> status(const std::string& model) const;
  std::vector<ReleaseStatus> statuses() const;

  /// Rollbacks that were our own decision, by guard; all of kGuards.
  std::map<std::string, std::uint64_t> rollbacks() const;

  /// Judges what the versions of each release did since the last call, and acts. `now`: seconds since 1970.
  void watch(std::int64_t now);

 private:
  struct Entry {
    std::optional<int> stable;   // the label, without a release
    Release release;             // the last one; its id is empty: none
    std::uint64_t releases = 0;  // so far

    // What is watched; not on disk.
    Guards guards;
    Judgement last;
    hosting::ModelRef stable_model;
    hosting::ModelRef canary_model;
    hosting::RecordSnapshot stable_before;
    hosting::RecordSnapshot canary_before;

    bool has_release() const { return !release.id.empty(); }
    bool is_under_way() const { return has_release() && release.is_active(); }
    void watch_anew();
    std::uint64_t canary_replies = 0;
    std::uint64_t stable_replies = 0;
  };

  Releases(hosting::ModelTable& models, std::filesystem::path state_file)
      : models_(models), state_file_(std::move(state_file)) {
    for (const std::string_view guard : kGuards) rollbacks_[std::string(guard)] = 0;
  }

  Result<void> read();
  Result<void> save(const std::string& model, const Entry& entry);
  ReleaseStatus status_of(const Entry& entry) const;
  Result<void> adopt(const std::string& model, Entry& entry, Release next);
  void staged(const std::string& model, const std::string& id, const Result<void>& loaded, const Done& done);
  void watch(const std::string& model, Entry& entry, std::int64_t now);
  std::optional<Window> next_window(Entry& entry);
  void decide(const std::string& model, Entry& entry, const Window& window, std::int64_t now);
  void finish(const std::string& model, Entry& entry, std::int64_t now);
  void roll_back(const std::string& model, Entry& entry, std::string_view guard, const std::string& reason,
                 std::int64_t now);
  void run();

  hosting::ModelTable& models_;
  const std::filesystem::path state_file_;
  mutable std::mutex mutex_;  // held while the state is written, never while a model is loaded
  std::map<std::string, Entry> entries_;
  std::map<std::string, std::uint64_t> rollbacks_;
  std::condition_variable changed_;
  std::size_t staging_ = 0;  // loads that will call staged()
  bool stopped_ = false;
  std::thread thread_;
};

/// Seconds since 1970.
std::int64_t seconds_now();

}  // namespace kefu::release
