#include "engine/fake/fake_engine.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/json.h"
#include "engine/fake/fake_operation.h"

namespace kefu::engine {
namespace {

struct Plan {
  EngineInfo info;
  FakeOperation operation = nullptr;
  std::chrono::microseconds delay{0};
  std::chrono::milliseconds load{0};
  std::int64_t fail_every = 0;
};

class FakeEngine;

class FakeContext final : public ExecutionContext {
 public:
  explicit FakeContext(FakeEngine& engine) : engine_(engine) {}

  Result<void> run(std::span<const InputTensor> inputs, std::vector<OutputTensor>& outputs) override;

 private:
  FakeEngine& engine_;
  std::vector<FakeOutput> results_;
};

class FakeEngine final : public Engine {
 public:
  explicit FakeEngine(Plan plan) : plan_(std::move(plan)) {}

  const EngineInfo& info() const override { return plan_.info; }
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
  std::atomic<std::int64_t> runs_{0};
};

Result<void> FakeContext::run(std::span<const InputTensor> inputs, std::vector<OutputTensor>& outputs) {
  const EngineInfo& info = engine_.info();
  KEFU_CHECK(check_inputs(info, inputs));
  if (engine_.next_run_fails())
    return fail(Code::kInternal, "the fake engine fails this run, as its plan says");
  if (has_empty_input(inputs)) {
    outputs = empty_outputs(info);
    return {};
  }
  // The device's time, not a wait for something: a real engine would compute here.
  if (engine_.plan().delay.count() > 0) std::this_thread::sleep_for(engine_.plan().delay);
  std::vector<InputTensor> ordered;
  for (const TensorInfo& declared : info.inputs)
    ordered.push_back(*std::ranges::find(inputs, declared.name, &InputTensor::name));
  KEFU_CHECK(engine_.plan().operation(ordered, results_));
  outputs.clear();
  for (const FakeOutput& result : results_)
    outputs.push_back({result.type, result.shape, std::as_bytes(std::span(result.data))});
  return {};
}

template <typename T>
Result<T> value_or(const Json& json, const char* key, T otherwise, const std::string& source) {
  return json.contains(key) ? json_get<T>(json, key, source) : otherwise;
}

Result<std::vector<TensorInfo>> read_tensors(const Json& plan, const char* key, const std::string& source) {
  KEFU_ASSIGN(const Json list, json_get<Json>(plan, key, source));
  std::vector<TensorInfo> tensors;
  for (const Json& entry : list) {
    KEFU_ASSIGN(auto name, json_get<std::string>(entry, "name", source));
    KEFU_ASSIGN(const auto datatype, json_get<std::string>(entry, "datatype", source));
    KEFU_ASSIGN(auto shape, json_get<std::vector<std::int64_t>>(entry, "shape", source));
    const auto type = oip::find_datatype(datatype);
    if (!type) return fail(Code::kInvalidArgument, "{}: there is no datatype {}", source, datatype);
    tensors.push_back({std::move(name), *type, std::move(shape)});
  }
  return tensors;
}

Result<Plan> read_plan(const std::filesystem::path& path) {
  const std::string source = path.string();
  KEFU_ASSIGN(const Json json, read_json(path));
  Plan plan{.info = {"fake", "none", "f32", {}, {}}};
  KEFU_ASSIGN(const auto operation, value_or<std::string>(json, "operation", "encoder", source));
  KEFU_ASSIGN(plan.operation, find_fake_operation(operation));
  KEFU_ASSIGN(const auto delay, value_or<std::int64_t>(json, "delay_us", 0, source));
  KEFU_ASSIGN(const auto load, value_or<std::int64_t>(json, "load_ms", 0, source));
  KEFU_ASSIGN(plan.fail_every, value_or<std::int64_t>(json, "fail_every", 0, source));
  plan.delay = std::chrono::microseconds(delay);
  plan.load = std::chrono::milliseconds(load);
  if (operation == "encoder") {
    KEFU_ASSIGN(const auto hidden, json_get<std::int64_t>(json, "hidden", source));
    if (hidden <= 0) return fail(Code::kInvalidArgument, "{}: hidden must be positive", source);
    plan.info.inputs = {{"inputs_embeds", DataType::kFp32, {-1, -1, hidden}},
                        {"attention_mask", DataType::kInt64, {-1, -1}}};
    plan.info.outputs = {{"last_hidden_state", DataType::kFp32, {-1, -1, hidden}}};
  } else {
    KEFU_ASSIGN(plan.info.inputs, read_tensors(json, "inputs", source));
    KEFU_ASSIGN(plan.info.outputs, read_tensors(json, "outputs", source));
  }
  return plan;
}

}  // namespace

Result<std::unique_ptr<Engine>> load_fake_engine(const std::filesystem::path& plan,
                                                 const EngineOptions& /*options*/) {
  KEFU_ASSIGN(Plan read, read_plan(plan));
  if (read.load.count() > 0) std::this_thread::sleep_for(read.load);  // compiling takes its time
  return std::make_unique<FakeEngine>(std::move(read));
}

std::string fake_version() {
  return "1";
}

}  // namespace kefu::engine
