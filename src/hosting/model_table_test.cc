#include "hosting/model_table.h"

#include <condition_variable>
#include <future>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "hosting/reaper.h"

namespace kefu::hosting {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class Model final : public ServedModel {
 public:
  explicit Model(const model::PackageId& id) : ServedModel(0) {
    description_.metadata = {id.name, {std::to_string(id.version)}, "test", {}, {}};
  }
  const ModelDescription& description() const override { return description_; }
  runtime::StatisticsSnapshot statistics() const override { return {}; }
  void infer(oip::InferRequest, const runtime::Call&, InferDone) override {}
  void parse(std::vector<nlu::ParseRequest>, const runtime::Call&, nlu::ParseDone) override {}
  void embed(std::vector<std::string>, const runtime::Call&, nlu::EmbedDone) override {}

 private:
  ModelDescription description_;
};

/// A repository and its table; loads of `broken` versions fail, and all wait while the gate is closed.
class ModelTableTest : public testing::Test {
 protected:
  ModelTableTest() : repository(fs::path(testing::TempDir()) / "kefu_table") {
    fs::remove_all(repository);
    table = std::make_unique<ModelTable>(
        repository, ModelSettings(),
        [this](const model::PackageId& id, const ModelSettings&) { return load(id); });
  }
  ~ModelTableTest() override {
    open_gate();
    table.reset();
  }

  void publish(const std::string& name, int version, const std::string& manifest = "{}") const {
    fs::create_directories(repository / name / std::to_string(version));
    ASSERT_TRUE(write_file(repository / name / std::to_string(version) / "manifest.json", manifest));
  }
  std::future<Result<void>> begin(const std::string& name, Json config = nullptr, bool is_load = true) {
    auto promise = std::make_shared<std::promise<Result<void>>>();
    const auto done = [promise](Result<void> outcome) { promise->set_value(std::move(outcome)); };
    if (is_load) {
      table->load(name, std::move(config), done);
    } else {
      table->unload(name, done);
    }
    return promise->get_future();
  }
  Result<void> load_now(const std::string& name, Json config = nullptr) {
    return begin(name, std::move(config)).get();
  }
  std::string version_of(const std::string& name) {
    const auto model = table->find(name);
    return model ? (*model)->description().version() : model.error().message;
  }
  void close_gate() {
    const std::lock_guard lock(mutex);
    is_open = false;
  }
  void open_gate() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
  void await_loading() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_loading; });
  }

  fs::path repository;
  std::set<std::string> broken;     // "name/version"
  std::vector<std::string> loaded;  // in order
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = true;
  bool is_loading = false;
  Reaper reaper;
  std::unique_ptr<ModelTable> table;

 private:
  Result<ModelRef> load(const model::PackageId& id) {
    std::unique_lock lock(mutex);
    is_loading = true;
    changed.notify_all();
    changed.wait(lock, [&] { return is_open; });
    is_loading = false;
    const std::string key = id.name + "/" + std::to_string(id.version);
    if (broken.contains(key)) return fail(Code::kDataLoss, "{} is broken", key);
    loaded.push_back(key);
    return ModelRef(reaper.own(std::make_unique<Model>(id)));
  }
};

TEST_F(ModelTableTest, AReloadBringsTheNewVersionAndTakesTheOldOneOut) {
  publish("m", 1);
  ASSERT_TRUE(load_now("m"));
  const ModelRef held = *table->find("m");
  publish("m", 2);
  ASSERT_TRUE(load_now("m"));
  EXPECT_EQ(version_of("m"), "2");
  EXPECT_EQ(held->description().version(), "1");  // whoever holds it may still ask it
  EXPECT_EQ(table->find("m", "1").error().code, Code::kUnavailable);
  EXPECT_EQ(table->find("m", "7").error().code, Code::kNotFound);
  EXPECT_EQ(table->find("m", "x").error().code, Code::kInvalidArgument);
  EXPECT_EQ(reaper.alive(), 2U);
}

TEST_F(ModelTableTest, AnUnchangedVersionIsNotLoadedAgain) {
  publish("m", 1);
  ASSERT_TRUE(load_now("m"));
  ASSERT_TRUE(load_now("m"));
  EXPECT_EQ(loaded.size(), 1U);
  publish("m", 1, R"({"changed": true})");
  ASSERT_TRUE(load_now("m"));
  ASSERT_TRUE(load_now("m", {{"max_batch_size", "4"}}));
  EXPECT_EQ(loaded.size(), 3U);
}

TEST_F(ModelTableTest, AFailedLoadLeavesTheOldVersionServing) {
  publish("m", 1);
  ASSERT_TRUE(load_now("m"));
  publish("m", 2);
  broken.insert("m/2");
  const auto outcome = load_now("m");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "failed to load 'm': m/2 is broken");
  EXPECT_EQ(version_of("m"), "1");
  const auto index = table->index();
  ASSERT_EQ(index.size(), 2U);
  EXPECT_EQ(index[1].state, State::kUnavailable);
  EXPECT_EQ(index[1].reason, "m/2 is broken");
  broken.clear();
  ASSERT_TRUE(load_now("m"));
  EXPECT_EQ(version_of("m"), "2");
}

TEST_F(ModelTableTest, OldVersionServesWhileTheNewOneLoads) {
  publish("m", 1);
  ASSERT_TRUE(load_now("m"));
  publish("m", 2);
  close_gate();
  auto loading = begin("m");
  await_loading();
  EXPECT_EQ(version_of("m"), "1");
  EXPECT_EQ(table->index()[1].state, State::kLoading);
  open_gate();
  ASSERT_TRUE(loading.get());
  EXPECT_EQ(version_of("m"), "2");
}

TEST_F(ModelTableTest, EqualLoadsAreOneAndTheLastOperationDecides) {
  publish("m", 1);
  close_gate();
  std::vector<std::future<Result<void>>> outcomes;
  for (int i = 0; i < 16; ++i) outcomes.push_back(begin("m"));
  outcomes.push_back(begin("m", nullptr, false));
  await_loading();
  open_gate();
  for (auto& outcome : outcomes) EXPECT_TRUE(outcome.get());
  EXPECT_EQ(loaded.size(), 1U);
  EXPECT_EQ(table->find("m").error().code, Code::kUnavailable);
  ASSERT_TRUE(load_now("m"));
  EXPECT_EQ(version_of("m"), "1");
}

TEST_F(ModelTableTest, PolicyChoosesVersions) {
  for (const int version : {1, 2, 10}) publish("m", version);
  const auto versions = [&] {
    std::vector<std::string> all;
    for (const ModelRef& model : table->served()) all.push_back(model->description().version());
    return all;
  };
  ASSERT_TRUE(load_now("m"));
  EXPECT_THAT(versions(), ElementsAre("10"));
  ASSERT_TRUE(load_now("m", {{"version_policy", {{"latest", {{"num_versions", 2}}}}}}));
  EXPECT_THAT(versions(), ElementsAre("2", "10"));
  ASSERT_TRUE(load_now("m", {{"version_policy", {{"specific", {{"versions", {1, 2}}}}}}}));
  EXPECT_THAT(versions(), ElementsAre("1", "2"));
  EXPECT_FALSE(load_now("m", {{"version_policy", {{"specific", {{"versions", {3}}}}}}}));
  EXPECT_THAT(versions(), ElementsAre("1", "2"));
  ASSERT_TRUE(write_file(repository / "m" / "config.json", R"({"version_policy": {"all": {}}})"));
  ASSERT_TRUE(load_now("m"));
  EXPECT_THAT(versions(), ElementsAre("1", "2", "10"));
}

TEST_F(ModelTableTest, NamesThatAreNotThere) {
  publish("m", 1);
  EXPECT_THAT(load_now("absent").error().message, testing::HasSubstr("failed to poll from model repository"));
  EXPECT_EQ(load_now("../m").error().code, Code::kInvalidArgument);
  EXPECT_EQ(table->find("absent").error().code, Code::kNotFound);
  EXPECT_EQ(table->find("m").error().code, Code::kUnavailable);  // in the repository, not loaded
  EXPECT_THAT(table->index(), testing::SizeIs(1));
  EXPECT_FALSE(load_now("m", {{"max_batch", 1}}));
}

TEST_F(ModelTableTest, ReadyMeansEveryRequiredModel) {
  EXPECT_FALSE(table->ready());
  publish("m", 1);
  publish("n", 1);
  table->require({"m", "n"});
  ASSERT_TRUE(load_now("m"));
  EXPECT_FALSE(table->ready());
  ASSERT_TRUE(load_now("n"));
  EXPECT_TRUE(table->ready());
  EXPECT_TRUE(begin("n", nullptr, false).get());
  EXPECT_FALSE(table->ready());
}

TEST_F(ModelTableTest, OperationsTellWhatBecameOfThem) {
  publish("m", 1);
  broken.insert("m/1");
  std::promise<void> done;
  const auto id = table->load("m", nullptr, [&](const Result<void>&) { done.set_value(); });
  done.get_future().get();
  const auto operation = table->operation(id);
  ASSERT_TRUE(operation.has_value());
  EXPECT_EQ(operation->phase, Operation::Phase::kFailed);
  EXPECT_THAT(operation->error->message, testing::HasSubstr("broken"));
  EXPECT_FALSE(table->operation(id + 1).has_value());
}

TEST_F(ModelTableTest, AClosedTableRefusesAndForgets) {
  publish("m", 1);
  close_gate();
  auto running = begin("m");
  auto waiting = begin("m", {{"max_batch_size", 1}});
  await_loading();
  table->close();
  open_gate();
  EXPECT_TRUE(running.get());
  EXPECT_EQ(waiting.get().error().code, Code::kUnavailable);
  EXPECT_EQ(load_now("m").error().code, Code::kUnavailable);
}

/// Loads, unloads, look-ups and indexes from many threads: for the thread sanitizer.
TEST_F(ModelTableTest, ManyThreadsAtOnce) {
  publish("m", 1);
  publish("n", 1);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 50; ++i) {
        const std::string name = (i + thread) % 2 == 0 ? "m" : "n";
        if (thread < 2) {
          EXPECT_TRUE(begin(name, nullptr, (i / 2 + thread) % 2 == 0).get());
        }
        const auto model = table->find(name);
        if (model) {
          EXPECT_EQ((*model)->description().name(), name);
        }
        EXPECT_LE(table->index().size(), 2U);
        table->served();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace kefu::hosting
