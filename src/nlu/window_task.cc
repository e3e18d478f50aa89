#include "nlu/window_task.h"

#include <chrono>

namespace kefu::nlu {
namespace {

WindowTask& window_task_of(const runtime::TaskRow& row) {
  return static_cast<WindowTask&>(*row.task);
}

}  // namespace

Result<std::unique_ptr<runtime::Instance>> WindowInstance::create(const TextEncoder& encoder) {
  KEFU_ASSIGN(auto session, engine::EncoderSession::create(encoder.encoder()));
  engine::TokenBatch batch;
  const TokenizedText text = encoder.tokenize("warm up");
  encoder.add_row(text, {0, text.ids.size()}, batch);
  KEFU_CHECK(session.encode(batch));
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
