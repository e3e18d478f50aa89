// What every engine must compute.

#include "engine/conformance.h"

#include <algorithm>
#include <array>
#include <barrier>
#include <thread>

namespace kefu::engine {
namespace {

TEST_P(EngineConformance, EqualsTheReference) {
  double worst = 0;
  for (const GoldenCase& next : golden().cases) {
    const double error = worst_error(run(*context_, next.batch), next.states);
    EXPECT_LT(error, kTolerance) << next.name;
    worst = std::max(worst, error);
  }
  report(worst);
}

/// The dimension in which the mean state of a row is largest.
std::ptrdiff_t largest_dimension(std::span<const float> states, std::size_t hidden) {
  std::vector<double> sum(hidden, 0);
  for (std::size_t i = 0; i < states.size(); ++i) sum[i % hidden] += states[i];
  return std::ranges::max_element(sum) - sum.begin();
}

TEST_P(EngineConformance, ARowIsTheSameAloneAndAmongOthers) {
  double worst = 0;
  for (const GoldenCase* next : cases_within(512)) {
    const std::vector<float> together = run(*context_, next->batch);
    for (std::size_t i = 0; i < next->batch.rows() && !together.empty(); ++i) {
      const auto row =
          std::span(together).subspan(static_cast<std::size_t>(next->batch.cu_seqlens[i]) * golden().hidden,
                                      next->batch.length(i) * golden().hidden);
      TokenBatch single;
      single.add(next->batch.row(i));
      const std::vector<float> alone = run(*context_, single);
      const double error = worst_error(alone, row);
      EXPECT_LT(error, kTolerance) << next->name << " row " << i;
      EXPECT_EQ(largest_dimension(alone, golden().hidden), largest_dimension(row, golden().hidden))
          << next->name << " row " << i;
      worst = std::max(worst, error);
    }
  }
  report(worst);
}

TEST_P(EngineConformance, TwoContextsRunAtTheSameTime) {
  const std::vector<const GoldenCase*> cases = cases_within(512);
  std::vector<std::vector<float>> expected;
  for (const GoldenCase* next : cases) expected.push_back(run(*context_, next->batch));
  std::barrier start(2);
  std::array<double, 2> worst{};
  const auto work = [&](std::size_t thread) {
    const auto context = new_context();
    start.arrive_and_wait();
    // Half the list apart, so that states of the other thread's case would not pass.
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::size_t at = (i + thread * cases.size() / 2) % cases.size();
      worst[thread] = std::max(worst[thread], worst_error(run(*context, cases[at]->batch), expected[at]));
    }
  };
  {
    const std::jthread other(work, 1);
    work(0);
  }
  EXPECT_LT(worst[0], kTolerance);
  EXPECT_LT(worst[1], kTolerance);
  report(std::ranges::max(worst));
}

TEST_P(EngineConformance, NothingInNothingOut) {
  const auto hidden = static_cast<std::int64_t>(golden().hidden);
  for (const auto& [rows, tokens] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 3}, {2, 0}}) {
    const std::vector<InputTensor> inputs{{"inputs_embeds", DataType::kFp32, {rows, tokens, hidden}, nullptr},
                                          {"attention_mask", DataType::kInt64, {rows, tokens}, nullptr}};
    std::vector<OutputTensor> outputs;
    const auto done = context_->run(inputs, outputs);
    ASSERT_TRUE(done) << done.error().message;
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0].shape, (std::vector<std::int64_t>{0, 0, hidden}));
    EXPECT_TRUE(outputs[0].data.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, EngineConformance, testing::ValuesIn(subjects()), [](const auto& subject) {
  std::string name = subject.param.engine + "_" + subject.param.encoder;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace kefu::engine
