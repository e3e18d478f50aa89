#include "nlu/embed_task.h"

namespace kefu::nlu {

EmbedTask::EmbedTask(const TextEncoder& encoder, std::vector<TokenizedText> texts, const runtime::Call& how,
                     EmbedDone done)
    : encoder_(encoder), texts_(std::move(texts)), done_(std::move(done)) {
  call = how;
  for (std::size_t text = 0; text < texts_.size(); ++text) {
    for (const Window& window :
         cut_windows(texts_[text].ids.size(), encoder_.window_capacity(), TextEncoder::kWindowOverlap))
      rows_.push_back({text, window, {}});
  }
}

runtime::RowTokens EmbedTask::rows() const {
  runtime::RowTokens tokens;
  for (const Row& row : rows_) tokens.push_back(static_cast<std::uint32_t>(encoder_.row_size(row.window)));
  return tokens;
}

void EmbedTask::add_row(std::uint32_t row, engine::TokenBatch& batch) const {
  encoder_.add_row(texts_[rows_[row].text], rows_[row].window, batch);
}

void EmbedTask::take(std::uint32_t row, const engine::RowStates& states, const Run& /*run*/) {
  std::vector<float>& mean = rows_[row].mean;
  mean.resize(states.hidden);
  mean_pool(states, mean);
}

void EmbedTask::finish(Result<void> outcome) {
  if (!outcome) return done_(tl::unexpected(outcome.error()));
  Embeddings embeddings;
  embeddings.vectors.resize(texts_.size());
  for (const Row& row : rows_) {
    std::vector<float>& vector = embeddings.vectors[row.text];
    vector.resize(row.mean.size());
    const std::size_t tokens = encoder_.row_size(row.window);
    for (std::size_t i = 0; i < vector.size(); ++i) vector[i] += static_cast<float>(tokens) * row.mean[i];
    embeddings.tokens += tokens;
  }
  for (std::vector<float>& vector : embeddings.vectors) normalize_length(vector);
  done_(std::move(embeddings));
}

}  // namespace kefu::nlu
