#pragma once
// Texts on their way through the instances of a model.

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "nlu/nlu_model.h"
#include "runtime/task.h"

namespace kefu::nlu {

/// Called exactly once, with as many replies as texts, in their order; must not block.
using ParseDone = std::function<void(Result<std::vector<ParseReply>>)>;

/// The texts of a request; its rows are their windows.
class ParseTask final : public runtime::Task {
 public:
  /// Some text has windows, or else the task is finish()ed without a pool.
  ParseTask(std::shared_ptr<const NluModel> model, std::vector<PreparedText> texts, const runtime::Call& how,
            ParseDone done);

  std::vector<std::uint32_t> rows() const override;
  void finish(Result<void> outcome) override;

  /// Appends a row to what the encoder is to run.
  void add_row(std::uint32_t row, engine::TokenBatch& batch) const;

  /// When the run that brought states began and ended.
  struct Run {
    runtime::Time began;
    runtime::Time ended;
  };

  /// Takes the states of a row, which may be gone when it returns. The text is decoded with those of its last
  /// window. Rows may come from several threads at once.
  void take(std::uint32_t row, const engine::RowStates& states, const Run& run);

 private:
  struct Text {
    PreparedText prepared;
    std::vector<std::vector<float>> states;  // of each window, if there are several
    std::atomic<std::size_t> windows_left;
    ParseReply reply;
  };
  struct Row {
    Text* text;
    std::size_t window;
  };

  void decode(Text& text, std::span<const engine::RowStates> states, const Run& run);

  std::shared_ptr<const NluModel> model_;
  std::vector<Text> texts_;
  std::vector<Row> rows_;
  ParseDone done_;
};

/// Runs windows on an encoder session of its own.
class ParseInstance final : public runtime::Instance {
 public:
  /// Blocks while it runs the model once, so that the first request finds it warm.
  static Result<std::unique_ptr<runtime::Instance>> create(const std::shared_ptr<const NluModel>& model);

  /// `rows` are of ParseTasks of its model.
  Result<void> run(std::span<const runtime::TaskRow> rows, runtime::Execution& execution) override;

 private:
  explicit ParseInstance(engine::EncoderSession session) : session_(std::move(session)) {}

  engine::EncoderSession session_;
};

}  // namespace kefu::nlu
