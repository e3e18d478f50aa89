#include "tensor/tensor_task.h"

#include <cstring>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json.h"
#include "engine/registry.h"
#include "runtime/instance_pool.h"

namespace kefu::tensor {
namespace {

using oip::DataType;
using testing::ElementsAre;

/// A model of the fake engine.
std::shared_ptr<const TensorModel> make_model(const std::string& name, const Json& plan,
                                              std::size_t max_batch) {
  const auto path = std::filesystem::path(testing::TempDir()) / ("kefu_tensor_" + name + ".json");
  EXPECT_TRUE(write_file(path, plan.dump()));
  return *TensorModel::create(*engine::load_engine("fake", path, {}), max_batch);
}

Json tensor_plan(const std::string& operation, const char* datatype, const Json& shape) {
  const auto tensors = [&](const std::vector<std::string>& names) {
    Json list = Json::array();
    for (const std::string& name : names)
      list.push_back({{"name", name}, {"datatype", datatype}, {"shape", shape}});
    return list;
  };
  if (operation == "identity")
    return {{"operation", operation}, {"inputs", tensors({"IN"})}, {"outputs", tensors({"OUT"})}};
  return {
      {"operation", operation}, {"inputs", tensors({"A", "B"})}, {"outputs", tensors({"SUM", "DIFFERENCE"})}};
}

oip::Tensor numbers(const std::string& name, std::vector<std::int64_t> shape,
                    const std::vector<std::int32_t>& values) {
  return {name,
          DataType::kInt32,
          std::move(shape),
          {},
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int32_t))};
}

std::vector<std::int32_t> values_of(const oip::Tensor& tensor) {
  std::vector<std::int32_t> values(tensor.data.size() / sizeof(std::int32_t));
  std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

/// A pool of one instance whose runs have at most so many rows.
std::unique_ptr<runtime::InstancePool> start_pool(const std::shared_ptr<const TensorModel>& model,
                                                  runtime::Duration window = {}) {
  runtime::BatchPolicy policy;
  policy.buckets = {1};
  policy.max_rows = std::max<std::size_t>(model->max_batch_size(), 1);
  policy.window = window;
  return *runtime::InstancePool::start(policy, 1, [=] { return TensorInstance::create(model); });
}

using Answer = std::future<Result<std::vector<oip::Tensor>>>;

Answer ask(runtime::InstancePool& pool, const std::shared_ptr<const TensorModel>& model,
           std::vector<oip::Tensor> inputs) {
  oip::InferRequest request;
  request.inputs = std::move(inputs);
  const auto rows = model->check(request);
  EXPECT_TRUE(rows.has_value()) << rows.error().message;
  auto promise = std::make_shared<std::promise<Result<std::vector<oip::Tensor>>>>();
  Answer answer = promise->get_future();
  pool.submit(std::make_shared<TensorTask>(
      model, std::move(request), *rows, runtime::Call(),
      [promise](Result<std::vector<oip::Tensor>> outputs) { promise->set_value(std::move(outputs)); }));
  return answer;
}

TEST(TensorTask, ALargeRequestIsCutAndPutTogetherAgain) {
  const auto model = make_model("add", tensor_plan("add_sub", "INT32", {-1, 2}), 3);
  const auto pool = start_pool(model);
  std::vector<std::int32_t> a;
  std::vector<std::int32_t> sums;
  for (int i = 0; i < 20; ++i) {
    a.push_back(i);
    sums.push_back(2 * i);
  }
  const auto outputs = ask(*pool, model, {numbers("B", {10, 2}, a), numbers("A", {10, 2}, a)}).get();
  ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
  EXPECT_EQ((*outputs)[0].name, "SUM");
  EXPECT_THAT((*outputs)[0].shape, ElementsAre(10, 2));
  EXPECT_EQ(values_of((*outputs)[0]), sums);
  EXPECT_EQ(pool->statistics().snapshot().execution_count, 4U);
}

TEST(TensorTask, RequestsOfOneShapeShareARun) {
  const auto model = make_model("open", tensor_plan("identity", "INT32", {-1, -1}), 8);
  const auto pool = start_pool(model, std::chrono::seconds(5));
  Answer wide = ask(*pool, model, {numbers("IN", {2, 3}, {1, 2, 3, 4, 5, 6})});
  Answer narrow = ask(*pool, model, {numbers("IN", {5, 1}, {7, 8, 9, 10, 11})});
  Answer last = ask(*pool, model, {numbers("IN", {1, 3}, {12, 13, 14})});  // fills the batch
  EXPECT_THAT(values_of(wide.get()->front()), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(values_of(narrow.get()->front()), ElementsAre(7, 8, 9, 10, 11));
  EXPECT_THAT(last.get()->front().shape, ElementsAre(1, 3));
  const auto statistics = pool->statistics().snapshot();
  EXPECT_EQ(statistics.execution_count, 2U);
  EXPECT_EQ(statistics.inference_count, 8U);
}

TEST(TensorTask, RowsOfBytesKeepTheirElements) {
  const auto model = make_model("text", tensor_plan("add_sub", "BYTES", {-1, 2}), 4);
  const auto pool = start_pool(model, std::chrono::seconds(5));
  const auto text = [](const std::string& name, const std::vector<std::string>& elements) {
    oip::Tensor tensor{name, DataType::kBytes, {std::ssize(elements) / 2, 2}, {}, {}};
    for (const std::string& element : elements) oip::append_bytes_element(element, tensor.data);
    return tensor;
  };
  Answer first = ask(*pool, model, {text("A", {"1", "200"}), text("B", {"10", "-1"})});
  Answer second = ask(*pool, model,
                      {text("A", {"5", "6", "7", "8", "9", "0"}), text("B", {"1", "1", "1", "1", "1", "1"})});
  const auto one = first.get();
  EXPECT_THAT(oip::bytes_elements(one->front()), ElementsAre("11", "199"));
  const auto three = second.get();
  EXPECT_THAT(oip::bytes_elements(three->front()), ElementsAre("6", "7", "8", "9", "10", "1"));
  EXPECT_THAT(three->at(1).shape, ElementsAre(3, 2));
}

TEST(TensorTask, WithoutABatchDimensionEachRequestIsARun) {
  const auto model = make_model("fixed", tensor_plan("identity", "INT32", {2}), 0);
  const auto pool = start_pool(model);
  EXPECT_THAT(values_of(ask(*pool, model, {numbers("IN", {2}, {1, 2})}).get()->front()), ElementsAre(1, 2));
}

TEST(TensorModel, RefusesWhatDoesNotFit) {
  const auto model = make_model("refuse", tensor_plan("add_sub", "INT32", {-1, 2}), 3);
  const auto refusal = [&](std::vector<oip::Tensor> inputs) {
    oip::InferRequest request;
    request.model = "m";
    request.inputs = std::move(inputs);
    const auto rows = model->check(request);
    EXPECT_FALSE(rows.has_value());
    return rows ? "" : rows.error().message;
  };
  const oip::Tensor a = numbers("A", {1, 2}, {1, 2});
  EXPECT_THAT(refusal({a}), testing::HasSubstr("expected 2 inputs but got 1"));
  EXPECT_THAT(refusal({a, numbers("C", {1, 2}, {1, 2})}),
              testing::HasSubstr("unexpected inference input 'C'"));
  EXPECT_THAT(refusal({a, a}), testing::HasSubstr("input 'B'"));
  EXPECT_THAT(refusal({a, numbers("B", {1, 1}, {1})}), testing::HasSubstr("[1,1]; the model wants [-1,2]"));
  EXPECT_THAT(refusal({a, numbers("B", {2, 2}, {1, 2, 3, 4})}),
              testing::HasSubstr("all inputs need as many"));
  EXPECT_THAT(refusal({a, {"B", DataType::kFp32, {1, 2}, {}, std::string(8, '\0')}}),
              testing::HasSubstr("is FP32, the model wants INT32"));
}

TEST(TensorModel, RowsOfABatchHaveElements) {
  const Json plan = tensor_plan("identity", "INT32", {-1, -1});
  const auto rows_of = [](const TensorModel& model, std::vector<std::int64_t> shape) {
    oip::InferRequest request;
    request.inputs = {numbers("IN", std::move(shape), {})};
    return model.check(request);
  };
  const auto model = make_model("empty_rows", plan, 3);
  EXPECT_EQ(rows_of(*model, {0, 4}), 0U);
  EXPECT_EQ(rows_of(*model, {0, 0}), 0U);
  EXPECT_THAT(rows_of(*model, {5, 0}).error().message, testing::HasSubstr("its shape is [5,0]"));
  EXPECT_EQ(rows_of(*make_model("empty_whole", plan, 0), {5, 0}), 1U);
}

TEST(TensorModel, AFixedFirstDimensionIsNoBatch) {
  const auto path = std::filesystem::path(testing::TempDir()) / "kefu_tensor_closed.json";
  ASSERT_TRUE(write_file(path, tensor_plan("identity", "INT32", {1, 2}).dump()));
  EXPECT_EQ(TensorModel::create(*engine::load_engine("fake", path, {}), 8).error().code,
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace kefu::tensor
