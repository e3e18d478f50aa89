#include "engine/encoder.h"

#include <algorithm>
#include <array>

namespace kefu::engine {

std::size_t TokenBatch::max_length() const {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < rows(); ++i) longest = std::max(longest, length(i));
  return longest;
}

void TokenBatch::add(std::span<const std::int32_t> row) {
  ids.insert(ids.end(), row.begin(), row.end());
  cu_seqlens.push_back(static_cast<std::int32_t>(ids.size()));
}

void TokenBatch::clear() {
  ids.clear();
  cu_seqlens.assign(1, 0);
}

Result<std::shared_ptr<Encoder>> Encoder::create(EmbeddingTable table, std::unique_ptr<Engine> engine,
                                                 std::size_t max_tokens) {
  const EngineInfo& info = engine->info();
  const auto input = std::ranges::find(info.inputs, "inputs_embeds", &TensorInfo::name);
  if (input == info.inputs.end() || info.inputs.size() != 2 || info.outputs.size() != 1) {
    return fail(Code::kInvalidArgument,
                "the encoder's graph must have the inputs inputs_embeds and attention_mask and one output; "
                "convert it with scripts/convert-encoder");
  }
  const std::int64_t width = input->shape.size() == 3 ? input->shape[2] : -1;
  if (width != static_cast<std::int64_t>(table.columns())) {
    return fail(Code::kInvalidArgument, "the embedding table has {} columns, the graph wants {}",
                table.columns(), width);
  }
  return std::shared_ptr<Encoder>(new Encoder(std::move(table), std::move(engine), max_tokens));
}

Result<EncoderSession> EncoderSession::create(std::shared_ptr<Encoder> encoder) {
  KEFU_ASSIGN(auto context, encoder->engine().create_context());
  return EncoderSession(std::move(encoder), std::move(context));
}

Result<void> EncoderSession::check(const TokenBatch& batch) const {
  if (batch.max_length() > encoder_->max_tokens()) {
    return fail(Code::kInvalidArgument, "a row of {} tokens exceeds the encoder's {}", batch.max_length(),
                encoder_->max_tokens());
  }
  for (const std::int32_t id : batch.ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= encoder_->vocabulary()) {
      return fail(Code::kInvalidArgument, "token id {} is outside the vocabulary of {}", id,
                  encoder_->vocabulary());
    }
  }
  return {};
}

Result<void> EncoderSession::encode(const TokenBatch& batch) {
  KEFU_CHECK(check(batch));
  const std::size_t rows = batch.rows();
  const std::size_t hidden = encoder_->hidden();
  padded_ = batch.max_length();
  lengths_.clear();
  embeds_.assign(rows * padded_ * hidden, 0.0F);
  mask_.assign(rows * padded_, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto ids = batch.row(i);
    lengths_.push_back(ids.size());
    std::fill_n(mask_.begin() + static_cast<std::ptrdiff_t>(i * padded_), ids.size(), 1);
    for (std::size_t t = 0; t < ids.size(); ++t)
      encoder_->table().gather(ids[t], &embeds_[(i * padded_ + t) * hidden]);
  }
  const auto n = static_cast<std::int64_t>(rows);
  const auto length = static_cast<std::int64_t>(padded_);
  const std::array inputs{InputTensor{"inputs_embeds",
                                      DataType::kFloat32,
                                      {n, length, static_cast<std::int64_t>(hidden)},
                                      embeds_.data()},
                          InputTensor{"attention_mask", DataType::kInt64, {n, length}, mask_.data()}};
  return context_->run(inputs, outputs_);
}

RowStates EncoderSession::row(std::size_t i) const {
  const std::size_t hidden = encoder_->hidden();
  return {outputs_[0].values.subspan(i * padded_ * hidden, lengths_[i] * hidden), lengths_[i], hidden};
}

}  // namespace kefu::engine
