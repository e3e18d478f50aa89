#include "hosting/served_tensor.h"

#include <algorithm>
#include <limits>

#include "engine/registry.h"
#include "hosting/submit_task.h"
#include "tensor/tensor_task.h"

namespace kefu::hosting {
namespace {

constexpr std::size_t kMaxRows = 32;

runtime::BatchPolicy tensor_policy(const ModelSettings& settings, std::size_t max_batch_size) {
  runtime::BatchPolicy policy = common_policy(settings);
  policy.max_rows = std::max<std::size_t>(max_batch_size, 1);
  policy.max_tokens = std::numeric_limits<std::uint32_t>::max();
  policy.buckets = {1};
  return policy;
}

std::vector<oip::TensorMetadata> metadata_of(const std::vector<engine::TensorInfo>& tensors) {
  std::vector<oip::TensorMetadata> all;
  for (const engine::TensorInfo& tensor : tensors)
    all.push_back({tensor.name, tensor.type, tensor.shape, false});
  return all;
}

/// The outputs that were asked for, in the order of asking; all if none were.
Result<oip::InferReply> select_outputs(oip::InferReply reply, std::vector<oip::Tensor> outputs,
                                       const std::vector<oip::RequestedOutput>& wanted) {
  if (wanted.empty()) reply.outputs = std::move(outputs);
  for (const oip::RequestedOutput& output : wanted)
    reply.outputs.push_back(*std::ranges::find(outputs, output.name, &oip::Tensor::name));
  return reply;
}

class ServedTensor final : public ServedModel, public std::enable_shared_from_this<ServedTensor> {
 public:
  ServedTensor(std::shared_ptr<const tensor::TensorModel> model, ModelDescription description,
               std::unique_ptr<runtime::InstancePool> pool)
      : ServedModel(0),
        model_(std::move(model)),
        description_(std::move(description)),
        pool_(std::move(pool)) {}

  const ModelDescription& description() const override { return description_; }
  runtime::StatisticsSnapshot statistics() const override { return pool_->statistics().snapshot(); }

  void infer(oip::InferRequest request, const runtime::Call& call, InferDone done) override {
    if (auto checked = check_outputs(request); !checked) return done(tl::unexpected(checked.error()));
    const auto rows = model_->check(request);
    if (!rows) return done(tl::unexpected(rows.error()));
    if (*rows > oip::kMaxRows) {
      return done(
          fail(Code::kOutOfRange, "the request has {} rows; at most {} are read", *rows, oip::kMaxRows));
    }
    oip::InferReply reply{description_.name(), description_.version(), request.id, {}, {}};
    const auto wanted = request.outputs;
    auto task = std::make_shared<tensor::TensorTask>(
        model_, std::move(request), *rows, call,
        [self = shared_from_this(), reply = std::move(reply), wanted,
         done = std::move(done)](Result<std::vector<oip::Tensor>> outputs) {
          if (!outputs) return done(tl::unexpected(outputs.error()));
          done(select_outputs(reply, *std::move(outputs), wanted));
        });
    if (*rows == 0) return finish_empty(*task);
    submit_task(*pool_, std::move(task), call, weak_from_this());
  }

  void parse(std::vector<nlu::ParseRequest> /*texts*/, const runtime::Call& /*call*/,
             nlu::ParseDone done) override {
    done(reads_no_text());
  }

  void embed(std::vector<std::string> /*texts*/, const runtime::Call& /*call*/,
             nlu::EmbedDone done) override {
    done(reads_no_text());
  }

 private:
  tl::unexpected<Error> reads_no_text() const {
    return fail(Code::kInvalidArgument, "model '{}' reads tensors, not text; ask /v2/models/{}/infer",
                description_.name(), description_.name());
  }

  Result<void> check_outputs(const oip::InferRequest& request) const {
    for (const oip::RequestedOutput& output : request.outputs) {
      if (std::ranges::find(model_->info().outputs, output.name, &engine::TensorInfo::name) ==
          model_->info().outputs.end()) {
        return fail(Code::kInvalidArgument, "unexpected inference output '{}' for model '{}'", output.name,
                    description_.name());
      }
    }
    return {};
  }

  void finish_empty(tensor::TensorTask& task) const {
    task.take_all(engine::empty_outputs(model_->info()));
    task.finish({});
  }

  std::shared_ptr<const tensor::TensorModel> model_;
  ModelDescription description_;
  std::unique_ptr<runtime::InstancePool> pool_;
};

}  // namespace

Result<ModelRef> serve_tensor(const model::TensorPackage& package, const engine::EngineOptions& options,
                              ModelSettings settings, Reaper& reaper) {
  KEFU_ASSIGN(auto engine, engine::load_engine(package.engine, package.plan, options));
  const std::size_t max_batch_size =
      settings.max_batch_size.value_or(tensor::TensorModel::can_batch(engine->info()) ? kMaxRows : 0);
  KEFU_ASSIGN(auto model, tensor::TensorModel::create(std::move(engine), max_batch_size));
  KEFU_ASSIGN(auto pool,
              runtime::InstancePool::start(tensor_policy(settings, max_batch_size), instances_of(settings),
                                           [model] { return tensor::TensorInstance::create(model); }));
  ModelDescription description{
      .digest = package.digest, .settings = std::move(settings), .max_batch_size = max_batch_size};
  description.metadata = {package.id.name,
                          {std::to_string(package.id.version)},
                          model->info().engine,
                          metadata_of(model->info().inputs),
                          metadata_of(model->info().outputs)};
  return reaper.own(
      std::make_unique<ServedTensor>(std::move(model), std::move(description), std::move(pool)));
}

}  // namespace kefu::hosting
