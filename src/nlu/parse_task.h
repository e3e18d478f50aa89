#pragma once
// Texts that are to be understood, on their way through the instances of a model.

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "nlu/nlu_model.h"
#include "nlu/window_task.h"

namespace kefu::nlu {

/// Called exactly once, with as many replies as texts, in their order; must not block.
using ParseDone = std::function<void(Result<std::vector<ParseReply>>)>;

/// The texts of a request; its rows are their windows.
class ParseTask final : public WindowTask {
 public:
  /// Some text has windows, or else the task is finish()ed without a pool.
  ParseTask(std::shared_ptr<const NluModel> model, std::vector<PreparedText> texts, const runtime::Call& how,
            ParseDone done);

  runtime::RowTokens rows() const override;
  void finish(Result<void> outcome) override;
  void add_row(std::uint32_t row, engine::TokenBatch& batch) const override;

  /// The text is decoded with the states of its last window.
  void take(std::uint32_t row, const engine::RowStates& states, const Run& run) override;

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

}  // namespace kefu::nlu
