#include "nlu/window_task.h"

#include <algorithm>
#include <chrono>

#include "runtime/batch_policy.h"

namespace kefu::nlu {
namespace {

WindowTask& window_task_of(const runtime::TaskRow& row) {
  return static_cast<WindowTask&>(*row.task);
}

constexpr std::chrono::milliseconds kWarmUp{500};

/// A row of about so many tokens.
engine::TokenBatch warm_up_row(const TextEncoder& encoder, std::size_t tokens) {
  TokenizedText text = encoder.tokenize("warm up");
  const std::size_t around = encoder.row_size({0, 0});
  text.ids.resize(std::max(tokens, around + 1) - around, text.ids.empty() ? 0 : text.ids.front());
  engine::TokenBatch batch;
  encoder.add_row(text, {0, text.ids.size()}, batch);
  return batch;
}

}  // namespace

Result<std::unique_ptr<runtime::Instance>> WindowInstance::create(const TextEncoder& encoder) {
  KEFU_ASSIGN(auto session, engine::EncoderSession::create(encoder.encoder()));
  const auto end = std::chrono::steady_clock::now() + kWarmUp;
  for (const std::size_t tokens : runtime::cpu_buckets(encoder.encoder()->max_tokens())) {
    KEFU_CHECK(session.encode(warm_up_row(encoder, tokens)));
    if (std::chrono::steady_clock::now() > end) break;
  }
  return std::unique_ptr<runtime::Instance>(new WindowInstance(std::move(session)));
}

Result<void> WindowInstance::run(std::span<const runtime::TaskRow> rows, runtime::Execution& execution) {
  engine::TokenBatch batch;
  for (const runtime::TaskRow& row : rows) window_task_of(row).add_row(row.row, batch);
  execution.copied_in = std::chrono::steady_clock::now();
  KEFU_CHECK(session_.encode(batch));
  execution.computed = std::chrono::steady_clock::now();
  const WindowTask::Run run{execution.began, execution.computed};
  for (std::size_t i = 0; i < rows.size(); ++i)
    window_task_of(rows[i]).take(rows[i].row, session_.row(i), run);
  return {};
}

}  // namespace kefu::nlu
