#pragma once
// Texts of which vectors are wanted, on their way through the instances of a model.

#include <functional>
#include <memory>
#include <vector>

#include "nlu/window_task.h"

namespace kefu::nlu {

struct Embeddings {
  std::vector<std::vector<float>> vectors;  // of the texts, in their order; each of length 1
  std::size_t tokens = 0;                   // that the encoder read, its template included
};

/// Called exactly once; must not block.
using EmbedDone = std::function<void(Result<Embeddings>)>;

/// The texts of a request; its rows are their windows. A text's vector is the mean of its tokens' states; of
/// a text above the encoder's window the mean of its windows', each weighted by its tokens.
class EmbedTask final : public WindowTask {
 public:
  /// `encoder` outlives the task; `texts` are not none.
  EmbedTask(const TextEncoder& encoder, std::vector<TokenizedText> texts, const runtime::Call& how,
            EmbedDone done);

  runtime::RowTokens rows() const override;
  void finish(Result<void> outcome) override;
  void add_row(std::uint32_t row, engine::TokenBatch& batch) const override;
  void take(std::uint32_t row, const engine::RowStates& states, const Run& run) override;

 private:
  struct Row {
    std::size_t text;
    Window window;
    std::vector<float> mean;  // written by the thread whose run brought it
  };

  const TextEncoder& encoder_;
  std::vector<TokenizedText> texts_;
  std::vector<Row> rows_;
  EmbedDone done_;
};

}  // namespace kefu::nlu
