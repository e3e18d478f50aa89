#include "engine/encoder.h"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

namespace kefu::engine {
namespace {

std::vector<std::string> names_of(const std::vector<TensorInfo>& tensors) {
  std::vector<std::string> names;
  for (const TensorInfo& tensor : tensors) names.push_back(tensor.name);
  return names;
}

}  // namespace

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
  const auto mask = std::ranges::find(info.inputs, "attention_mask", &TensorInfo::name);
  if (input == info.inputs.end() || mask == info.inputs.end() || info.inputs.size() != 2 ||
      info.outputs.size() != 1) {
    return fail(
        Code::kInvalidArgument,
        "the encoder's graph must have the inputs inputs_embeds and attention_mask and one output, not "
        "the inputs [{}] and the outputs [{}]; convert it with scripts/convert-encoder",
        fmt::join(names_of(info.inputs), ", "), fmt::join(names_of(info.outputs), ", "));
  }
  if (info.outputs[0].type != DataType::kFp32) {
    return fail(Code::kInvalidArgument, "the encoder's graph gives {}, not FP32 states; export it again",
                oip::wire_name(info.outputs[0].type));
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

std::size_t EncoderSession::end_of_run(const TokenBatch& batch, std::size_t first) {
  std::size_t longest = batch.length(first);
  std::size_t end = first + 1;
  for (; end < batch.rows(); ++end) {
    longest = std::max(longest, batch.length(end));
    if (longest * (end + 1 - first) > kRunTokens) break;
  }
  return end;
}

Result<void> EncoderSession::encode(const TokenBatch& batch) {
  KEFU_CHECK(check(batch));
  rows_.clear();
  kept_.clear();
  const std::size_t hidden = encoder_->hidden();
  for (std::size_t first = 0; first < batch.rows();) {
    const std::size_t end = end_of_run(batch, first);
    KEFU_ASSIGN(const std::size_t padded, run(batch, first, end));
    std::span<const float> values = outputs_[0].floats();
    const bool is_only_run = first == 0 && end == batch.rows();
    if (!is_only_run) values = kept_.emplace_back(values.begin(), values.end());
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t begin = (i - first) * padded * hidden;
      rows_.push_back({values.subspan(begin, batch.length(i) * hidden), batch.length(i), hidden});
    }
    first = end;
  }
  return {};
}

/// Runs the rows [first, end), padded to the longest of them; returns that length.
Result<std::size_t> EncoderSession::run(const TokenBatch& batch, std::size_t first, std::size_t end) {
  const std::size_t rows = end - first;
  const std::size_t hidden = encoder_->hidden();
  std::size_t padded = 0;
  for (std::size_t i = first; i < end; ++i) padded = std::max(padded, batch.length(i));
  embeds_.assign(rows * padded * hidden, 0.0F);
  mask_.assign(rows * padded, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    const auto ids = batch.row(first + i);
    std::fill_n(mask_.begin() + static_cast<std::ptrdiff_t>(i * padded), ids.size(), 1);
    for (std::size_t t = 0; t < ids.size(); ++t)
      encoder_->table().gather(ids[t], &embeds_[(i * padded + t) * hidden]);
  }
  const auto n = static_cast<std::int64_t>(rows);
  const auto length = static_cast<std::int64_t>(padded);
  const std::array inputs{
      InputTensor{
          "inputs_embeds", DataType::kFp32, {n, length, static_cast<std::int64_t>(hidden)}, embeds_.data()},
      InputTensor{"attention_mask", DataType::kInt64, {n, length}, mask_.data()}};
  KEFU_CHECK(context_->run(inputs, outputs_));
  return padded;
}

}  // namespace kefu::engine
