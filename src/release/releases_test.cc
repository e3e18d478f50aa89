// Orders and the watch over a table of models that load at once and answer nothing: their records are written
// by the test.

#include "release/releases.h"

#include <future>

#include <gtest/gtest.h>

#include "base/file.h"

namespace kefu::release {
namespace {

namespace fs = std::filesystem;

class StillModel final : public hosting::ServedModel {
 public:
  explicit StillModel(const model::PackageId& id) : ServedModel(2) {
    description_.metadata = {id.name, {std::to_string(id.version)}, "test", {}, {}};
    description_.intents = {"greet", "bye"};
  }
  const hosting::ModelDescription& description() const override { return description_; }
  runtime::StatisticsSnapshot statistics() const override { return {}; }
  void infer(oip::InferRequest, const runtime::Call&, hosting::InferDone) override {}
  void parse(std::vector<nlu::ParseRequest>, const runtime::Call&, nlu::ParseDone) override {}
  void embed(std::vector<std::string>, const runtime::Call&, nlu::EmbedDone) override {}

 private:
  hosting::ModelDescription description_;
};

class ReleasesTest : public testing::Test {
 protected:
  ReleasesTest() : folder(fs::path(testing::TempDir()) / "kefu_releases") {
    fs::remove_all(folder);
    publish(1);
    start();
    load();
    publish(2);
  }

  void publish(int version) const {
    fs::create_directories(folder / "shop" / std::to_string(version));
    ASSERT_TRUE(write_file(folder / "shop" / std::to_string(version) / "manifest.json", "{}"));
  }

  /// As a new process would.
  void start() {
    releases.reset();
    table = std::make_unique<hosting::ModelTable>(
        folder, hosting::ModelSettings(), [this](const model::PackageId& id, const hosting::ModelSettings&) {
          if (id.version == broken) return Result<hosting::ModelRef>(fail(Code::kInternal, "it is broken"));
          return Result<hosting::ModelRef>(std::make_shared<StillModel>(id));
        });
    auto opened = Releases::open(*table, folder / "releases.json");
    ASSERT_TRUE(opened) << opened.error().message;
    releases = *std::move(opened);
  }

  void load() const {
    std::promise<Result<void>> loaded;
    table->load("shop", nullptr, [&](const Result<void>& outcome) { loaded.set_value(outcome); });
    ASSERT_TRUE(loaded.get_future().get());
  }

  Result<Release> stage(int version) const {
    std::promise<Result<Release>> staged;
    releases->stage("shop", version, [&](const Result<Release>& release) { staged.set_value(release); });
    return staged.get_future().get();
  }

  std::string served(std::string_view key = "someone") const {
    const auto selection = table->select({.model = "shop", .key = key});
    return selection ? selection->model->description().version() : selection.error().message;
  }

  /// A second in which a version has answered so, and in which so many of ten comparisons differed.
  void answer(int version, int good, int failed, std::uint64_t differing = 0) const {
    const auto model = table->find("shop", std::to_string(version));
    ASSERT_TRUE(model);
    const runtime::Time now = std::chrono::steady_clock::now();
    const runtime::Moments moments{.received = now - std::chrono::milliseconds(5), .copied_out = now};
    for (int i = 0; i < good + failed; ++i) {
      const auto failure = i < failed ? std::optional(Code::kInternal) : std::nullopt;
      (*model)->record().answered(hosting::Entry::kV2Http, failure, moments, now, true);
    }
    (*model)->record().shadowed(hosting::Shadowed::kAgreed, 10 - differing);
    (*model)->record().shadowed(hosting::Shadowed::kDiffered, differing);
  }

  fs::path folder;
  int broken = 0;
  std::unique_ptr<hosting::ModelTable> table;
  std::unique_ptr<Releases> releases;
};

TEST_F(ReleasesTest, StagingSendsNothingToTheNewVersion) {
  const auto staged = stage(2);
  ASSERT_TRUE(staged) << staged.error().message;
  EXPECT_EQ(staged->id, "shop-1");
  EXPECT_EQ(served(), "1");
  EXPECT_EQ(table->select({.model = "shop", .label = "canary"})->model->description().version(), "2");
  EXPECT_EQ(stage(2).error().code, Code::kFailedPrecondition);
}

TEST_F(ReleasesTest, ErrorsOfTheCanaryBringItBack) {
  ASSERT_TRUE(stage(2));
  ASSERT_TRUE(releases->order("shop", Order::kCanary, "go", {.steps = {10'000}}));
  EXPECT_EQ(served(), "2");
  releases->watch(100);
  for (int second = 101; second < 120; ++second) {
    answer(1, 900, 0);
    answer(2, 100, 0);
    releases->watch(second);
  }
  EXPECT_EQ(releases->status("shop")->release.phase, Phase::kCanary);
  for (int second = 120; second < 123; ++second) {
    answer(1, 900, 0);
    answer(2, 90, 10);
    releases->watch(second);
  }
  const auto status = releases->status("shop");
  EXPECT_EQ(status->release.phase, Phase::kRolledBack);
  EXPECT_TRUE(status->release.reason.starts_with("guard errors")) << status->release.reason;
  EXPECT_EQ(served(), "1");
  EXPECT_EQ(releases->rollbacks().at("errors"), 1U);
  EXPECT_EQ(table->traffic("shop"), hosting::Traffic{.stable = 1});
}

TEST_F(ReleasesTest, AnswersThatAreNotTheStableVersionsBringTheCanaryBack) {
  ASSERT_TRUE(stage(2));
  ASSERT_TRUE(releases->order("shop", Order::kCanary, "go", {.steps = {1000}}));
  std::int64_t second = 100;
  for (; second < 160; ++second) {  // one in ten: as of a version that was trained anew
    releases->watch(second);
    answer(1, 900, 0);
    answer(2, 100, 0, second % 2 == 0 ? 2 : 0);
  }
  EXPECT_EQ(releases->status("shop")->release.phase, Phase::kCanary);
  for (; second < 164; ++second) {
    releases->watch(second);
    answer(1, 900, 0);
    answer(2, 100, 0, 10);
  }
  EXPECT_EQ(releases->status("shop")->release.phase, Phase::kRolledBack);
  EXPECT_EQ(releases->rollbacks().at("answers"), 1U);
}

TEST_F(ReleasesTest, TheStableVersionRepeatsAnAnswerOfTheCanaryNowAndThen) {
  ASSERT_TRUE(stage(2));
  ASSERT_TRUE(releases->order("shop", Order::kCanary, "go", {.steps = {10'000}}));
  int repeated = 0;
  const auto end = std::chrono::steady_clock::now() + 3 * hosting::kComparisonPause;
  while (std::chrono::steady_clock::now() < end) {
    const auto chosen = table->select({.model = "shop"});
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->model->description().version(), "2");
    if (!chosen->shadow) continue;
    EXPECT_EQ(chosen->shadow->description().version(), "1");
    ++repeated;
  }
  EXPECT_GE(repeated, 1);
  EXPECT_LE(repeated, 4);
  EXPECT_FALSE(table->select({.model = "shop", .label = "canary"})->shadow);
}

TEST_F(ReleasesTest, ACanaryThatIsGoneBringsItselfBack) {
  ASSERT_TRUE(stage(2));
  ASSERT_TRUE(releases->order("shop", Order::kCanary, "go", {.steps = {10'000}}));
  broken = 2;
  publish(2);
  ASSERT_TRUE(write_file(folder / "shop" / "2" / "manifest.json", "{\"changed\": 1}"));
  std::promise<void> unloaded;
  table->unload("shop", [&](const Result<void>&) { unloaded.set_value(); });
  unloaded.get_future().get();
  load();  // the stable version alone comes back
  EXPECT_EQ(served(), "1");
  releases->watch(1);
  EXPECT_EQ(releases->status("shop")->release.phase, Phase::kRolledBack);
  EXPECT_EQ(releases->rollbacks().at("service"), 1U);
}

TEST_F(ReleasesTest, EvidenceAndTimePromoteAndTheOldVersionGoes) {
  ASSERT_TRUE(stage(2));
  const std::int64_t begin = seconds_now();
  ASSERT_TRUE(
      releases->order("shop", Order::kCanary, "go",
                      {.steps = {1000, 5000}, .step_seconds = 30, .advances = true, .bake_seconds = 5}));
  releases->watch(begin);
  std::int64_t second = begin;
  const auto is_in = [&](Phase phase) { return releases->status("shop")->release.phase == phase; };
  for (; second < begin + 200 && !is_in(Phase::kPromoting); ++second) {
    answer(1, 500, 0);
    answer(2, 500, 0);
    releases->watch(second);
  }
  EXPECT_GE(second - begin, 60);
  EXPECT_LE(second - begin, 64);
  EXPECT_EQ(served(), "2");
  EXPECT_TRUE(table->find("shop", "1"));  // kept for a way back
  releases->watch(second + 10);
  EXPECT_TRUE(is_in(Phase::kDone));
  load();  // behind the reload that the end has ordered
  EXPECT_FALSE(table->find("shop", "1"));
  EXPECT_EQ(served(), "2");
}

TEST_F(ReleasesTest, AVersionThatDoesNotLoadEndsItsRelease) {
  broken = 2;
  const auto staged = stage(2);
  ASSERT_FALSE(staged);
  EXPECT_NE(staged.error().message.find("it is broken"), std::string::npos);
  EXPECT_EQ(releases->status("shop")->release.phase, Phase::kRolledBack);
  EXPECT_EQ(served(), "1");
  broken = 0;
  const auto again = stage(2);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, "shop-2");
}

TEST_F(ReleasesTest, AnotherProcessGoesOnWhereThisOneWas) {
  ASSERT_TRUE(stage(2));
  ASSERT_TRUE(releases->order("shop", Order::kCanary, "go", {.steps = {5000}}));
  std::map<std::string, std::string> before;
  for (int i = 0; i < 50; ++i) before[std::to_string(i)] = served(std::to_string(i));
  start();
  load();
  EXPECT_EQ(releases->status("shop")->release.phase, Phase::kCanary);
  for (const auto& [key, version] : before) EXPECT_EQ(served(key), version);
}

TEST_F(ReleasesTest, StableMovesIfItIsWhereItIsExpected) {
  EXPECT_EQ(releases->set_stable("shop", 2, std::nullopt).error().code, Code::kNotFound);  // not in service
  ASSERT_TRUE(releases->set_stable("shop", 1, std::nullopt));
  load();
  EXPECT_EQ(served(), "1");  // although version 2 is in service
  EXPECT_EQ(releases->set_stable("shop", 2, 7).error().code, Code::kFailedPrecondition);
  ASSERT_TRUE(releases->set_stable("shop", 2, 1));
  EXPECT_EQ(served(), "2");
  ASSERT_TRUE(releases->set_stable("shop", std::nullopt, 2));
  EXPECT_EQ(served(), "2");
}

}  // namespace
}  // namespace kefu::release
