#pragma once
// Any model of tensors, batched along dimension 0.

#include <filesystem>
#include <memory>
#include <string_view>

#include "engine/engine.h"
#include "oip/message.h"
#include "oip/model_metadata.h"

namespace kefu::tensor {

/// A loaded plan and what its users may send. Immutable; any thread.
class TensorModel {
 public:
  /// Rows a run may have; 0: the plan has no batch dimension, and each request is a run. kInvalidArgument:
  /// rows although dimension 0 of some input or output is fixed.
  static Result<std::shared_ptr<const TensorModel>> create(std::unique_ptr<engine::Engine> engine,
                                                           std::size_t max_batch_size);

  /// Whether dimension 0 of every input and output is open.
  static bool can_batch(const engine::EngineInfo& info);

  const engine::EngineInfo& info() const { return engine_->info(); }
  std::size_t max_batch_size() const { return max_batch_size_; }
  Result<std::unique_ptr<engine::ExecutionContext>> create_context() const {
    return engine_->create_context();
  }

  /// The rows of a request, whose inputs are put in the order of the plan's. kInvalidArgument names the
  /// tensor at fault: an input that is missing, not known, of another type or shape, rows that differ
  /// between inputs, or rows of a batch without elements.
  Result<std::size_t> check(oip::InferRequest& request) const;

 private:
  TensorModel(std::unique_ptr<engine::Engine> engine, std::size_t max_batch_size)
      : engine_(std::move(engine)), max_batch_size_(max_batch_size) {}

  std::unique_ptr<engine::Engine> engine_;
  std::size_t max_batch_size_;
};

}  // namespace kefu::tensor
