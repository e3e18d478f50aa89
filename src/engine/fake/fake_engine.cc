#include "engine/fake/fake_engine.h"

#include <atomic>
#include <chrono>
#include <thread>

#include <fmt/ranges.h>

#include "base/json.h"

namespace kefu::engine {
namespace {

struct Plan {
  std::int64_t hidden = 0;
  std::chrono::microseconds delay{0};
  std::int64_t fail_every = 0;
};

class FakeEngine;

class FakeContext final : public ExecutionContext {
 public:
  explicit FakeContext(FakeEngine& engine) : engine_(engine) {}

  Result<void> run(std::span<const InputTensor> inputs, std::vector<OutputTensor>& outputs) override;

 private:
  FakeEngine& engine_;
  std::vector<float> output_;
};

class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(const Plan& plan)
      : plan_(plan),
        info_{"fake",
              "none",
              "f32",
              {{"inputs_embeds", DataType::kFloat32, {-1, -1, plan.hidden}},
               {"attention_mask", DataType::kInt64, {-1, -1}}},
              {{"last_hidden_state", DataType::kFloat32, {-1, -1, plan.hidden}}}} {}

  const EngineInfo& info() const override { return info_; }
  const Plan& plan() const { return plan_; }

  Result<std::unique_ptr<ExecutionContext>> create_context() override {
    return std::make_unique<FakeContext>(*this);
  }

  /// Counts a run; true if this one is to fail.
  bool next_run_fails() {
    const std::int64_t run = runs_.fetch_add(1, std::memory_order_relaxed) + 1;
    return plan_.fail_every > 0 && run % plan_.fail_every == 0;
  }

 private:
  Plan plan_;
  EngineInfo info_;
  std::atomic<std::int64_t> runs_{0};
};

Result<void> FakeContext::run(std::span<const InputTensor> inputs, std::vector<OutputTensor>& outputs) {
  KEFU_CHECK(check_inputs(engine_.info(), inputs));
  if (engine_.next_run_fails())
    return fail(Code::kInternal, "the fake engine fails this run, as its plan says");
  if (has_empty_input(inputs)) {
    outputs = empty_outputs(engine_.info());
    return {};
  }
  // The device's time, not a wait for something: a real engine would compute here.
  if (engine_.plan().delay.count() > 0) std::this_thread::sleep_for(engine_.plan().delay);
  const InputTensor& embeds = inputs[0].name == "inputs_embeds" ? inputs[0] : inputs[1];
  const InputTensor& mask = inputs[0].name == "inputs_embeds" ? inputs[1] : inputs[0];
  if (mask.shape[0] != embeds.shape[0] || mask.shape[1] != embeds.shape[1]) {
    return fail(Code::kInvalidArgument,
                "attention_mask has shape [{}], inputs_embeds [{}]; both must begin alike",
                fmt::join(mask.shape, ","), fmt::join(embeds.shape, ","));
  }
  const auto tokens = static_cast<std::size_t>(embeds.shape[0] * embeds.shape[1]);
  const auto hidden = static_cast<std::size_t>(engine_.plan().hidden);
  output_.assign(tokens * hidden, 0.0F);
  for (std::size_t token = 0; token < tokens; ++token) {
    if (static_cast<const std::int64_t*>(mask.data)[token] == 0) continue;
    const float* row = static_cast<const float*>(embeds.data) + token * hidden;
    std::copy(row, row + hidden, output_.begin() + static_cast<std::ptrdiff_t>(token * hidden));
  }
  outputs.clear();
  outputs.push_back({embeds.shape, output_});
  return {};
}

Result<std::int64_t> number_or_zero(const Json& json, const char* key, const std::string& source) {
  return json.contains(key) ? json_get<std::int64_t>(json, key, source) : 0;
}

}  // namespace

Result<std::unique_ptr<Engine>> load_fake_engine(const std::filesystem::path& plan,
                                                 const EngineOptions& /*options*/) {
  KEFU_ASSIGN(const Json json, read_json(plan));
  KEFU_ASSIGN(const auto hidden, json_get<std::int64_t>(json, "hidden", plan.string()));
  if (hidden <= 0) return fail(Code::kInvalidArgument, "{}: hidden must be positive", plan.string());
  KEFU_ASSIGN(const std::int64_t delay, number_or_zero(json, "delay_us", plan.string()));
  KEFU_ASSIGN(const std::int64_t fail_every, number_or_zero(json, "fail_every", plan.string()));
  return std::make_unique<FakeEngine>(
      Plan{.hidden = hidden, .delay = std::chrono::microseconds(delay), .fail_every = fail_every});
}

std::string fake_version() {
  return "1";
}

}  // namespace kefu::engine
