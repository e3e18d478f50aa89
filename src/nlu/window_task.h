#pragma once
// Windows of text on their way through the instances of a model.

#include <memory>
#include <span>

#include "nlu/text_encoder.h"
#include "runtime/task.h"

namespace kefu::nlu {

/// A task whose rows are windows of text.
class WindowTask : public runtime::Task {
 public:
  /// Appends a row to what the encoder is to run.
  virtual void add_row(std::uint32_t row, engine::TokenBatch& batch) const = 0;

  /// When the run that brought states began and ended.
  struct Run {
    runtime::Time began;
    runtime::Time ended;
  };

  /// Takes the states of a row, which may be gone when it returns. Rows may come from several threads at
  /// once.
  virtual void take(std::uint32_t row, const engine::RowStates& states, const Run& run) = 0;
};

/// Runs windows on an encoder session of its own.
class WindowInstance final : public runtime::Instance {
 public:
  /// Blocks while it runs the encoder on rows of several lengths, shortest first and for half a second at
  /// most, so that the first request of a length finds it warm.
  static Result<std::unique_ptr<runtime::Instance>> create(const TextEncoder& encoder);

  /// `rows` are of WindowTasks for its encoder.
  Result<void> run(std::span<const runtime::TaskRow> rows, runtime::Execution& execution) override;

 private:
  explicit WindowInstance(engine::EncoderSession session) : session_(std::move(session)) {}

  engine::EncoderSession session_;
};

}  // namespace kefu::nlu
