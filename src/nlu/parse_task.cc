#include "nlu/parse_task.h"

#include <chrono>

namespace kefu::nlu {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::microseconds between(runtime::Time from, runtime::Time to) {
  return std::chrono::duration_cast<std::chrono::microseconds>(to - from);
}

}  // namespace

ParseTask::ParseTask(std::shared_ptr<const NluModel> model, std::vector<PreparedText> texts,
                     const runtime::Call& how, ParseDone done)
    : model_(std::move(model)), texts_(texts.size()), done_(std::move(done)) {
  call = how;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Text& text = texts_[i];
    text.prepared = std::move(texts[i]);
    const std::size_t windows = text.prepared.windows.size();
    text.windows_left = windows;
    if (windows == 0) text.reply = model_->decode(text.prepared, {});
    if (windows > 1) text.states.resize(windows);
    for (std::size_t window = 0; window < windows; ++window) rows_.push_back({&text, window});
  }
}

runtime::RowTokens ParseTask::rows() const {
  runtime::RowTokens tokens;
  for (const Row& row : rows_) {
    const std::size_t size = model_->encoder().row_size(row.text->prepared.windows[row.window]);
    tokens.push_back(static_cast<std::uint32_t>(size));
  }
  return tokens;
}

void ParseTask::add_row(std::uint32_t row, engine::TokenBatch& batch) const {
  const PreparedText& text = rows_[row].text->prepared;
  model_->encoder().add_row(text.tokens, text.windows[rows_[row].window], batch);
}

void ParseTask::take(std::uint32_t row, const engine::RowStates& states, const Run& run) {
  Text& text = *rows_[row].text;
  if (text.states.empty()) return decode(text, {&states, 1}, run);
  text.states[rows_[row].window].assign(states.values.begin(), states.values.end());
  if (--text.windows_left > 0) return;
  std::vector<engine::RowStates> all;
  for (const std::vector<float>& kept : text.states)
    all.push_back({kept, kept.size() / states.hidden, states.hidden});
  decode(text, all, run);
  text.states.clear();
  text.states.shrink_to_fit();
}

void ParseTask::decode(Text& text, std::span<const engine::RowStates> states, const Run& run) {
  const auto began = Clock::now();
  text.reply = model_->decode(text.prepared, states);
  text.reply.timings = {between(call.received, moments.queued), between(moments.queued, run.began),
                        between(run.began, run.ended), between(began, Clock::now())};
}

void ParseTask::finish(Result<void> outcome) {
  if (!outcome) return done_(tl::unexpected(outcome.error()));
  std::vector<ParseReply> replies;
  for (Text& text : texts_) replies.push_back(std::move(text.reply));
  done_(std::move(replies));
}

}  // namespace kefu::nlu
