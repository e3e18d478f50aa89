#pragma once
// Tensors on their way through the instances of a model.

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/task.h"
#include "tensor/tensor_model.h"

namespace kefu::tensor {

/// Called exactly once; must not block.
using InferDone = std::function<void(Result<std::vector<oip::Tensor>>)>;

/// A request; its rows are those of its tensors along dimension 0, or all of it if the model has no such.
class TensorTask final : public runtime::Task {
 public:
  /// `request` has passed TensorModel::check(), which found `rows`. `done` gets the outputs in the plan's
  /// order.
  TensorTask(std::shared_ptr<const TensorModel> model, oip::InferRequest request, std::size_t rows,
             const runtime::Call& how, InferDone done);

  runtime::RowTokens rows() const override { return runtime::RowTokens(rows_, 1); }
  /// Rows of equal shapes can be joined.
  std::uint64_t group() const override { return group_; }
  void finish(Result<void> outcome) override;

  std::size_t row_count() const { return rows_; }
  const oip::Tensor& input(std::size_t i) const { return request_.inputs[i]; }
  /// The bytes of a row of input i; BYTES as oip::Tensor has them.
  std::string_view row_of_input(std::size_t i, std::uint32_t row) const;

  /// Takes a row's part of output i, the outputs of a row in their order. Rows may come from several threads
  /// at once. kInternal if its shape is not that of the rows before.
  Result<void> take(std::size_t i, std::uint32_t row, const engine::OutputTensor& output,
                    std::string_view bytes);
  /// Takes all rows of all outputs.
  void take_all(std::span<const engine::OutputTensor> outputs);

 private:
  struct Output {
    std::vector<std::int64_t> row_shape;
    std::vector<std::string> rows;
  };

  std::shared_ptr<const TensorModel> model_;
  oip::InferRequest request_;
  std::size_t rows_;
  std::uint64_t group_;
  std::vector<std::vector<std::size_t>> offsets_;  // of each input's rows, if it is BYTES; one more than rows
  std::mutex mutex_;
  std::vector<Output> outputs_;
  std::vector<oip::Tensor> whole_;  // the outputs, if they came in one piece
  InferDone done_;
};

/// Runs requests on an execution context of its own.
class TensorInstance final : public runtime::Instance {
 public:
  static Result<std::unique_ptr<runtime::Instance>> create(std::shared_ptr<const TensorModel> model);

  /// `rows` are of TensorTasks of its model.
  Result<void> run(std::span<const runtime::TaskRow> rows, runtime::Execution& execution) override;

 private:
  TensorInstance(std::shared_ptr<const TensorModel> model, std::unique_ptr<engine::ExecutionContext> context)
      : model_(std::move(model)), context_(std::move(context)) {}

  std::vector<engine::InputTensor> join_inputs(std::span<const runtime::TaskRow> rows);
  Result<void> scatter(std::span<const runtime::TaskRow> rows) const;

  std::shared_ptr<const TensorModel> model_;
  std::unique_ptr<engine::ExecutionContext> context_;
  std::vector<std::string> joined_;  // inputs of several rows
  std::vector<engine::OutputTensor> outputs_;
};

}  // namespace kefu::tensor
