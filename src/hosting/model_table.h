#pragma once
// The models of a repository and which of their versions are in service.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "hosting/pace.h"
#include "hosting/served_model.h"
#include "hosting/traffic.h"
#include "model/repository.h"
#include "runtime/budget.h"

namespace kefu::hosting {

/// Of a version; the names of Triton's repository index.
enum class State { kLoading, kReady, kUnavailable };
std::string_view state_name(State state);

struct IndexEntry {
  std::string name;
  std::string version;  // empty: no version of it has been asked for
  State state = State::kUnavailable;
  std::string reason;  // of kUnavailable, if it is known
};

/// Which version of a model a request wants. A version excludes a label.
struct Selector {
  std::string_view model{};    // empty: the default one
  std::string_view version{};  // empty: what the label or the traffic says
  std::string_view label{};    // "stable", "canary"; empty: what the traffic says
  std::string_view key{};      // requests of one key get one version; empty: each by chance
};

inline constexpr std::string_view kStableLabel = "stable";
inline constexpr std::string_view kCanaryLabel = "canary";

/// The stable version repeats an answer of a canary that reads text so often, to compare them.
inline constexpr runtime::Duration kComparisonPause = std::chrono::milliseconds(100);

/// Who answers a request.
struct Selection {
  ModelRef model;
  std::string_view label{};  // "stable", "canary" if the version has one
  std::string release{};     // id of the release under way; empty: none
  bool by_share = false;     // the release's shares chose; its guards judge such requests only
  ModelRef shadow{};         // the other version, which answers too, unheard; none: nobody
  std::shared_ptr<runtime::Permit> shadow_room{};  // of the entrance
};

/// Makes a version ready to serve, with its effective settings; blocks.
using LoadVersion =
    std::function<Result<ModelRef>(const model::PackageId& id, const ModelSettings& settings)>;

struct VersionStatus {
  std::string name;
  int version = 0;
  State state = State::kLoading;
  std::string_view label{};  // "stable", "canary"; empty: none
  ModelRef model{};          // of kReady
  runtime::Duration load_time{0};
};

/// What a load or an unload has come to.
struct Operation {
  enum class Phase { kPending, kRunning, kSucceeded, kFailed };

  std::uint64_t id = 0;
  std::string model{};
  bool is_load = true;
  Json config{};              // of a load; null: none
  bool needs_labels = false;  // it must see the labels as they are: a load that runs has read them already
  Phase phase = Phase::kPending;
  std::optional<Error> error{};
};

/// Thread-safe. Loads and unloads run on a thread of the table's own, those of one model one after another.
class ModelTable {
 public:
  using Done = std::function<void(Result<void>)>;

  /// `defaults`: of models whose folder has no config.json.
  ModelTable(std::filesystem::path repository, ModelSettings defaults, LoadVersion load);

  /// Finishes the operation that runs, refuses those that wait, and lets go of the models.
  ~ModelTable();

  ModelTable(const ModelTable&) = delete;
  ModelTable& operator=(const ModelTable&) = delete;

  /// The version (empty: the highest in service) of a model (empty: `default_name`). kNotFound: no such
  /// model, or version, in the repository; kUnavailable: it is not in service, with the reason;
  /// kInvalidArgument: the version is no number.
  Result<ModelRef> find(std::string_view name, std::string_view version = {}) const;

  /// The version that is to answer a request: the one it names, or that of the label it names, or the
  /// traffic's choice. Errors of find(); kInvalidArgument: no such label.
  Result<Selection> select(const Selector& wanted) const;

  /// From now on requests of a model go so. Versions that have a label stay in service whatever the model's
  /// version policy says. kFailedPrecondition: `expected` is not what the traffic is.
  Result<void> set_traffic(const std::string& name, const Traffic& expected, Traffic wanted);
  Traffic traffic(std::string_view name) const;

  /// The model that requests get that name none.
  void set_default(std::string name) { default_name_ = std::move(name); }

  /// Brings the versions that the model's policy wants into service and then takes the others out. A version
  /// that is in service unchanged stays. If one fails to load, all stays as it was. Returns the operation's
  /// id at once; equal loads that wait or run are one operation. `done` runs on the table's thread.
  /// kInvalidArgument: the name or the config; kNotFound: no such model; kUnavailable: shutting down.
  std::uint64_t load(const std::string& name, Json config, Done done);

  /// Takes all versions out of service; requests that they have accepted are answered.
  std::uint64_t unload(const std::string& name, Done done);

  /// load() with the configuration of the last one.
  std::uint64_t reload(const std::string& name, Done done);

  /// The last operations, by id.
  std::optional<Operation> operation(std::uint64_t id) const;

  /// Every model of the repository and every version that has been asked for.
  std::vector<IndexEntry> index() const;

  /// Versions in service.
  std::vector<ModelRef> served() const;

  /// Every version that has been asked for, for those who watch.
  std::vector<VersionStatus> versions() const;

  /// Called whenever ready() or find() may answer otherwise, on the thread that made it so; null: nobody.
  /// Once this returns the former one is not called any more.
  void set_on_change(std::function<void()> on_change);

  /// Models without which the server is not ready().
  void require(std::vector<std::string> names);

  /// There are required models, and each has a version in service.
  bool ready() const;

  /// Accepts no operations any more.
  void close();

 private:
  struct Version {
    State state = State::kLoading;
    std::string reason;
    ModelRef model;
    std::string fingerprint;  // of manifest and configuration: equal ones, equal versions
    runtime::Duration load_time{0};
  };
  struct Job {
    std::shared_ptr<Operation> operation;
    std::vector<Done> waiters;
  };
  struct Model {
    std::map<int, Version> versions;
    std::deque<Job> jobs;  // the first one runs
    Json config;           // of the last load that succeeded
    Traffic traffic;
    std::unique_ptr<Pace> comparisons = std::make_unique<Pace>(kComparisonPause);
  };

  std::uint64_t start(Operation operation, Done done);
  std::uint64_t refuse(Operation operation, const Error& error, const Done& done);
  std::shared_ptr<Operation> add(Operation operation);
  void run_next(const std::string& name);
  Result<void> run(const Operation& operation);
  Result<void> run_load(const Operation& operation);
  Result<Version> load_version(const model::PackageId& id, const ModelSettings& settings,
                               const std::string& configs);
  Result<ModelSettings> settings_of(const Operation& operation, std::string& configs) const;
  void take_out(const std::string& name, const std::vector<int>& keep);
  void set_state(const std::string& name, int version, Version state);
  void tell_change();
  Result<ModelRef> in_service(std::string_view name, const Model& model, int version) const;
  Result<ModelRef> default_version(std::string_view name, const Model& model) const;
  Result<Selection> by_traffic(const Selector& wanted, const Model& model) const;
  tl::unexpected<Error> unknown(std::string_view name) const;
  std::string known_models() const;

  const std::filesystem::path repository_;
  const ModelSettings defaults_;
  const LoadVersion load_;
  std::string default_name_ = "default";
  mutable std::shared_mutex mutex_;  // held for look-ups and changes of the maps, never while something runs
  std::map<std::string, Model, std::less<>> models_;
  std::map<std::uint64_t, std::shared_ptr<Operation>> operations_;
  std::vector<std::string> required_;
  std::uint64_t next_operation_ = 1;
  bool closed_ = false;
  std::mutex on_change_mutex_;  // held while it is called
  std::function<void()> on_change_;
  boost::asio::thread_pool loading_{1};
};

}  // namespace kefu::hosting
