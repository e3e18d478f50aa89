#pragma once
// The fixture of what every engine must do (conformance_test.cc, conformance_errors_test.cc). An engine that
// computes is held to golden files of FP32 states, whose folder is named by KEFU_ENGINE_GOLDEN
// (scripts/make-engine-golden writes them, tests/functional/test_engine_conformance.py does both); the fake
// engine to what can be computed by hand.

#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

#include "engine/golden.h"
#include "engine/registry.h"

namespace kefu::engine {

inline constexpr double kTolerance = 1e-5;  // of FP32
inline const EngineOptions kOptions{.precision = "f32"};

/// An engine and the encoder whose body it runs.
struct Subject {
  std::string engine;
  std::string encoder;

  bool is_fake() const { return engine == "fake"; }
  std::string name() const { return engine + " " + encoder; }
  friend void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name(); }
};

inline std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const std::string_view engine : engine_names()) {
    if (engine == "fake") {
      all.push_back({"fake", "by_hand"});
      continue;
    }
    for (const char* encoder : {"e5-small", "minilm"}) all.push_back({std::string(engine), encoder});
  }
  return all;
}

/// Loaded once a process: compiling takes longer than most tests.
struct Loaded {
  std::filesystem::path plan;
  Golden golden;
  std::unique_ptr<Engine> engine;
};

inline Result<Loaded> load(const Subject& subject, const std::filesystem::path& folder) {
  Loaded loaded{.plan = folder / (subject.encoder + ".onnx"), .golden = {}, .engine = {}};
  if (subject.is_fake()) {
    loaded.plan = std::filesystem::path(testing::TempDir()) / "kefu_conformance_fake.json";
    loaded.golden = golden_of_fake();
    KEFU_CHECK(write_file(loaded.plan, R"({"hidden": 4})"));
  } else {
    KEFU_ASSIGN(loaded.golden, read_golden(folder / (subject.encoder + ".safetensors")));
  }
  KEFU_ASSIGN(loaded.engine, load_engine(subject.engine, loaded.plan, kOptions));
  return loaded;
}

class EngineConformance : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("KEFU_ENGINE_GOLDEN");
    if (folder == nullptr && !GetParam().is_fake()) {
      GTEST_SKIP() << "KEFU_ENGINE_GOLDEN names no folder of golden files; run "
                      "tests/functional/test_engine_conformance.py, which makes and names one";
    }
    const std::string key = GetParam().name();
    if (!cache_.contains(key)) cache_.emplace(key, load(GetParam(), folder == nullptr ? "" : folder));
    const Result<Loaded>& result = cache_.at(key);
    ASSERT_TRUE(result) << result.error().message;
    loaded_ = &*result;
    context_ = new_context();
  }

  static void TearDownTestSuite() { cache_.clear(); }

  std::unique_ptr<ExecutionContext> new_context() const {
    auto context = loaded_->engine->create_context();
    EXPECT_TRUE(context) << context.error().message;
    return context ? *std::move(context) : nullptr;
  }

  const Golden& golden() const { return loaded_->golden; }

  /// States of a batch, none if the run failed, which fails the test.
  std::vector<float> run(ExecutionContext& context, const TokenBatch& batch) const {
    auto states = run_golden(context, golden(), batch);
    EXPECT_TRUE(states) << states.error().message;
    return states ? *std::move(states) : std::vector<float>();
  }

  /// The cases with at most this many tokens, padding included.
  std::vector<const GoldenCase*> cases_within(std::size_t tokens) const {
    std::vector<const GoldenCase*> cases;
    for (const GoldenCase& next : golden().cases)
      if (next.batch.rows() * next.batch.max_length() <= tokens) cases.push_back(&next);
    return cases;
  }

  void report(double worst) const { RecordProperty("worst_error", fmt::format("{:.2g}", worst)); }

  static inline std::map<std::string, Result<Loaded>> cache_;

  const Loaded* loaded_ = nullptr;
  std::unique_ptr<ExecutionContext> context_;
};

}  // namespace kefu::engine
