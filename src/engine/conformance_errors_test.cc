// What every engine must refuse, and how.

#include <array>

#include <gmock/gmock.h>

#include "engine/conformance.h"

namespace kefu::engine {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Inputs that are not the plan's, and what the error must say.
struct Refusal {
  std::vector<InputTensor> inputs;
  std::vector<std::string> parts;
};

template <typename Change>
InputTensor changed(InputTensor input, Change change) {
  change(input);
  return input;
}

std::vector<Refusal> refusals(const InputTensor& embeds, const InputTensor& mask) {
  const std::int64_t hidden = embeds.shape[2];
  const auto ids = changed(embeds, [](InputTensor& input) { input.name = "input_ids"; });
  const auto narrow = changed(mask, [](InputTensor& input) { input.type = DataType::kInt32; });
  const auto wide = changed(embeds, [](InputTensor& input) { ++input.shape[2]; });
  const auto flat = changed(embeds, [](InputTensor& input) { input.shape.erase(input.shape.begin()); });
  const auto negative = changed(embeds, [](InputTensor& input) { input.shape[0] = -1; });
  const std::string names = "the model wants [inputs_embeds, attention_mask]";
  const std::string shape = fmt::format("[-1,-1,{}]", hidden);
  return {{{ids, mask}, {"[input_ids, attention_mask]", names}},
          {{embeds}, {"[inputs_embeds]", names}},
          {{}, {"[]", names}},
          {{embeds, embeds}, {"[inputs_embeds, inputs_embeds]", names}},
          {{embeds, mask, mask}, {"[inputs_embeds, attention_mask, attention_mask]", names}},
          {{embeds, narrow}, {"attention_mask", "INT32", "INT64"}},
          {{wide, mask}, {"inputs_embeds", fmt::format("[2,4,{}]", hidden + 1), shape}},
          {{flat, mask}, {"inputs_embeds", fmt::format("[4,{}]", hidden), shape}},
          {{negative, mask}, {"inputs_embeds", fmt::format("[-1,4,{}]", hidden), shape}}};
}

TEST_P(EngineConformance, WrongInputsAreNamed) {
  const std::vector<float> floats(64 * golden().hidden, 1.0F);
  const std::vector<std::int64_t> ones(64, 1);
  const auto hidden = static_cast<std::int64_t>(golden().hidden);
  const InputTensor embeds{"inputs_embeds", DataType::kFp32, {2, 4, hidden}, floats.data()};
  const InputTensor mask{"attention_mask", DataType::kInt64, {2, 4}, ones.data()};
  const auto longer = changed(mask, [](InputTensor& input) { input.shape[1] = 5; });
  std::vector<OutputTensor> outputs;
  for (const auto& [inputs, parts] : refusals(embeds, mask)) {
    const auto done = context_->run(inputs, outputs);
    ASSERT_FALSE(done) << parts.front();
    EXPECT_EQ(done.error().code, Code::kInvalidArgument) << done.error().message;
    for (const std::string& part : parts) EXPECT_THAT(done.error().message, HasSubstr(part));
  }
  EXPECT_FALSE(context_->run(std::array{embeds, longer}, outputs)) << "a mask longer than its rows";
  const GoldenCase& first = golden().cases.front();
  EXPECT_LT(worst_error(run(*context_, first.batch), first.states), kTolerance) << "after the errors";
  EXPECT_TRUE(context_->run(std::array{mask, embeds}, outputs)) << "in any order";
}

TEST_P(EngineConformance, BadPlansAreNamed) {
  const auto plan = read_file(loaded_->plan);
  ASSERT_TRUE(plan) << plan.error().message;
  const std::string_view whole = *plan;
  const fs::path folder = fs::path(testing::TempDir()) / "kefu_conformance_plans";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string end = loaded_->plan.extension().string();
  ASSERT_TRUE(write_file(folder / ("empty" + end), ""));
  ASSERT_TRUE(write_file(folder / ("text" + end), "no plan\n"));
  ASSERT_TRUE(write_file(folder / ("half" + end), whole.substr(0, whole.size() / 2)));
  ASSERT_TRUE(write_file(folder / ("one_byte_short" + end), whole.substr(0, whole.size() - 1)));
  for (const char* name : {"empty", "text", "half", "one_byte_short", "missing"}) {
    const fs::path path = folder / (name + end);
    const auto engine = load_engine(GetParam().engine, path, kOptions);
    ASSERT_FALSE(engine) << path;
    EXPECT_THAT(engine.error().message, HasSubstr(path.string()));
    EXPECT_EQ(engine.error().code, fs::exists(path) ? Code::kInvalidArgument : Code::kNotFound) << path;
  }
  fs::remove_all(folder);
  EXPECT_FALSE(load_engine(GetParam().engine, fs::path(testing::TempDir()), kOptions)) << "a folder";
}

TEST(EngineRegistry, NamesTheEnginesItHas) {
  const auto engine = load_engine("tpu", "body.onnx", {});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kNotFound);
  EXPECT_THAT(engine.error().message, HasSubstr("\"tpu\""));
  for (const std::string_view name : engine_names())
    EXPECT_THAT(engine.error().message, HasSubstr(std::string(name)));
}

}  // namespace
}  // namespace kefu::engine
