#include "train/embedder.h"

#include <algorithm>
#include <numeric>

namespace kefu::train {
namespace {

constexpr std::size_t kBatch = 32;

struct Prepared {
  std::u32string text;
  nlu::TokenizedText tokens;
  std::vector<nlu::Window> window;  // the first alone
};

}  // namespace

Result<Embedded> embed(const nlu::TextEncoder& encoder, const nlu::Gazetteer& gazetteer,
                       const std::vector<Example>& examples, bool with_slots,
                       const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<Prepared> texts;
  for (const Example& example : examples) {
    Prepared text{text::decode_utf8(example.text), encoder.tokenize(example.text), {}};
    text.window.push_back({0, std::min(text.tokens.ids.size(), encoder.window_capacity())});
    texts.push_back(std::move(text));
  }
  // Texts of like length share a run, so that little is padding.
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return texts[i].window[0].end; });

  KEFU_ASSIGN(auto session, engine::EncoderSession::create(encoder.encoder()));
  Embedded out;
  out.hidden = encoder.encoder()->hidden();
  out.vectors.resize(texts.size() * out.hidden);
  if (with_slots) out.slots.resize(texts.size());
  engine::TokenBatch batch;
  for (std::size_t at = 0; at < order.size(); at += kBatch) {
    const std::size_t end = std::min(order.size(), at + kBatch);
    batch.clear();
    for (std::size_t i = at; i < end; ++i)
      encoder.add_row(texts[order[i]].tokens, texts[order[i]].window[0], batch);
    KEFU_CHECK(session.encode(batch));
    for (std::size_t i = at; i < end; ++i) {
      const engine::RowStates states = session.row(i - at);
      const Prepared& text = texts[order[i]];
      nlu::sentence_vector(states, std::span(out.vectors).subspan(order[i] * out.hidden, out.hidden));
      if (with_slots)
        out.slots[order[i]] =
            nlu::slot_input(encoder, gazetteer, text.text, text.tokens, text.window, std::span(&states, 1));
    }
    if (progress) progress(end, order.size());
  }
  return out;
}

}  // namespace kefu::train
