#include "tensor/tensor_task.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include <fmt/ranges.h>

namespace kefu::tensor {
namespace {

using oip::DataType;

TensorTask& task_of(const runtime::TaskRow& row) {
  return static_cast<TensorTask&>(*row.task);
}

/// Equal for requests whose rows have equal shapes; BYTES elements may be of any size.
std::uint64_t hash_shapes(const oip::InferRequest& request, bool has_rows) {
  std::uint64_t hash = 0;
  for (const oip::Tensor& input : request.inputs) {
    for (std::size_t i = has_rows ? 1 : 0; i < input.shape.size(); ++i)
      hash = (hash ^ static_cast<std::uint64_t>(input.shape[i])) * 0x9E3779B97F4A7C15U + i;
  }
  return hash;
}

std::size_t elements_of(const std::vector<std::int64_t>& shape) {
  std::size_t count = 1;
  for (const std::int64_t dimension : shape) count *= static_cast<std::size_t>(dimension);
  return count;
}

std::string_view bytes_of(const engine::OutputTensor& output) {
  return {reinterpret_cast<const char*>(output.data.data()), output.data.size()};
}

/// Whether the rows are those of one request, all of them.
bool is_whole(std::span<const runtime::TaskRow> rows) {
  return rows.size() == task_of(rows[0]).row_count() &&
         std::ranges::all_of(rows, [&](const runtime::TaskRow& row) { return row.task == rows[0].task; });
}

}  // namespace

TensorTask::TensorTask(std::shared_ptr<const TensorModel> model, oip::InferRequest request, std::size_t rows,
                       const runtime::Call& how, InferDone done)
    : model_(std::move(model)),
      request_(std::move(request)),
      rows_(rows),
      group_(hash_shapes(request_, model_->max_batch_size() > 0)),
      offsets_(request_.inputs.size()),
      done_(std::move(done)) {
  call = how;
  for (std::size_t i = 0; i < offsets_.size(); ++i) {
    const oip::Tensor& input = request_.inputs[i];
    if (input.datatype == DataType::kBytes)
      offsets_[i] = oip::bytes_row_offsets(input.data, elements_of(input.shape), rows_);
  }
}

std::string_view TensorTask::row_of_input(std::size_t i, std::uint32_t row) const {
  const std::string_view data = request_.inputs[i].data;
  if (!offsets_[i].empty()) return data.substr(offsets_[i][row], offsets_[i][row + 1] - offsets_[i][row]);
  const std::size_t size = data.size() / rows_;
  return data.substr(row * size, size);
}

Result<void> TensorTask::take(std::size_t i, std::uint32_t row, const engine::OutputTensor& output,
                              std::string_view bytes) {
  if (rows_ == 1) {
    std::vector<std::int64_t> shape = output.shape;
    shape[0] = 1;
    whole_.push_back({model_->info().outputs[i].name, output.type, std::move(shape), {}, std::string(bytes)});
    return {};
  }
  const std::lock_guard lock(mutex_);
  if (outputs_.empty()) outputs_.resize(model_->info().outputs.size());
  Output& kept = outputs_[i];
  const std::vector<std::int64_t> row_shape(output.shape.begin() + 1, output.shape.end());
  if (kept.rows.empty()) {
    kept.rows.resize(rows_);
    kept.row_shape = row_shape;
  } else if (kept.row_shape != row_shape) {
    return fail(
        Code::kInternal,
        "output '{}' has rows of different shapes, [{}] and [{}]; serve this model with max_batch_size 0",
        model_->info().outputs[i].name, fmt::join(kept.row_shape, ","), fmt::join(row_shape, ","));
  }
  kept.rows[row] = bytes;
  return {};
}

void TensorTask::take_all(std::span<const engine::OutputTensor> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    whole_.push_back({model_->info().outputs[i].name,
                      outputs[i].type,
                      outputs[i].shape,
                      {},
                      std::string(bytes_of(outputs[i]))});
  }
}

void TensorTask::finish(Result<void> outcome) {
  if (!outcome) return done_(tl::unexpected(outcome.error()));
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const engine::TensorInfo& info = model_->info().outputs[i];
    oip::Tensor tensor{info.name, info.type, {static_cast<std::int64_t>(rows_)}, {}, {}};
    tensor.shape.insert(tensor.shape.end(), outputs_[i].row_shape.begin(), outputs_[i].row_shape.end());
    for (const std::string& row : outputs_[i].rows) tensor.data += row;
    whole_.push_back(std::move(tensor));
  }
  done_(std::move(whole_));
}

Result<std::unique_ptr<runtime::Instance>> TensorInstance::create(std::shared_ptr<const TensorModel> model) {
  KEFU_ASSIGN(auto context, model->create_context());
  return std::unique_ptr<runtime::Instance>(new TensorInstance(std::move(model), std::move(context)));
}

Result<void> TensorInstance::run(std::span<const runtime::TaskRow> rows, runtime::Execution& execution) {
  const std::vector<engine::InputTensor> inputs = join_inputs(rows);
  execution.copied_in = std::chrono::steady_clock::now();
  KEFU_CHECK(context_->run(inputs, outputs_));
  execution.computed = std::chrono::steady_clock::now();
  return scatter(rows);
}

std::vector<engine::InputTensor> TensorInstance::join_inputs(std::span<const runtime::TaskRow> rows) {
  const TensorTask& first = task_of(rows[0]);
  const std::size_t count = model_->info().inputs.size();
  const bool whole = is_whole(rows);
  joined_.resize(count);
  std::vector<engine::InputTensor> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    const oip::Tensor& tensor = first.input(i);
    std::string_view data = tensor.data;
    std::vector<std::int64_t> shape = tensor.shape;
    if (!whole) {
      joined_[i].clear();
      for (const runtime::TaskRow& row : rows) joined_[i] += task_of(row).row_of_input(i, row.row);
      data = joined_[i];
      shape[0] = std::ssize(rows);
    }
    inputs.push_back({tensor.name, tensor.datatype, std::move(shape), data.data(), data.size()});
  }
  return inputs;
}

Result<void> TensorInstance::scatter(std::span<const runtime::TaskRow> rows) const {
  if (is_whole(rows)) {
    task_of(rows[0]).take_all(outputs_);
    return {};
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const engine::OutputTensor& output = outputs_[i];
    if (output.shape.empty() || output.shape[0] != std::ssize(rows)) {
      return fail(
          Code::kInternal,
          "output '{}' of shape [{}] has not one row for each of the {} rows of its inputs; serve this "
          "model with max_batch_size 0",
          model_->info().outputs[i].name, fmt::join(output.shape, ","), rows.size());
    }
    const std::string_view bytes = bytes_of(output);
    std::vector<std::size_t> offsets;
    if (output.type == DataType::kBytes)
      offsets = oip::bytes_row_offsets(bytes, elements_of(output.shape), rows.size());
    const std::size_t size = bytes.size() / rows.size();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::string_view row = offsets.empty() ? bytes.substr(r * size, size)
                                                   : bytes.substr(offsets[r], offsets[r + 1] - offsets[r]);
      KEFU_CHECK(task_of(rows[r]).take(i, rows[r].row, output, row));
    }
  }
  return {};
}

}  // namespace kefu::tensor
