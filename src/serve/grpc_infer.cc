#include "serve/grpc_infer.h"

#include <deque>
#include <mutex>

#include "hosting/infer.h"
#include "oip/infer_proto.h"
#include "serve/grpc_service.h"

namespace kefu::serve {
namespace {

using grpc::Status;

/// The deadline on the clock that never jumps; none: the caller set none.
std::optional<runtime::Time> deadline_of(const grpc::CallbackServerContext& context) {
  const auto deadline = context.deadline();
  const auto left = deadline - std::chrono::system_clock::now();
  constexpr auto kForever = std::chrono::hours(24 * 365);  // gRPC says "none" by a time far away
  if (left > kForever) return std::nullopt;
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<runtime::Duration>(left);
}

void infer_message(const hosting::ModelTable& models, inference::ModelInferRequest& message,
                   const runtime::Call& call, const hosting::InferDone& done) {
  const auto model = models.find(message.model_name(), message.model_version());
  if (!model) return done(tl::unexpected(model.error()));
  auto request = oip::read_infer_proto(message, {});
  if (!request) return done(tl::unexpected(request.error()));
  hosting::infer(*model, *std::move(request), call, done);
}

class InferReactor final : public grpc::ServerUnaryReactor {
 public:
  void start(const hosting::ModelTable& models, grpc::CallbackServerContext& context,
             const inference::ModelInferRequest& request, inference::ModelInferResponse& response) {
    // The message is this call's alone, and gRPC does not read it again: its tensors are taken, not copied.
    auto& message = const_cast<inference::ModelInferRequest&>(request);
    const runtime::Call call{.deadline = deadline_of(context), .cancellation = cancellation_};
    infer_message(models, message, call, [this, &response](Result<oip::InferReply> reply) {
      if (!reply) return Finish(grpc_status(reply.error()));
      oip::write_infer_proto(*std::move(reply), response);
      Finish(Status::OK);
    });
  }

  void OnCancel() override { cancellation_->cancel(); }
  void OnDone() override { delete this; }

 private:
  std::shared_ptr<runtime::Cancellation> cancellation_ = std::make_shared<runtime::Cancellation>();
};

/// Reads while there is room, answers as answers come, and ends when both sides have.
class StreamReactor final
    : public grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse> {
 public:
  StreamReactor(const hosting::ModelTable& models, grpc::CallbackServerContext& context)
      : models_(models), context_(context) {
    StartRead(&message_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
      finish_if_done();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      ++under_way_;
    }
    const runtime::Call call{.deadline = deadline_of(context_), .cancellation = add_cancellation()};
    const std::string id = message_.id();
    infer_message(models_, message_, call, [this, id](Result<oip::InferReply> reply) {
      inference::ModelStreamInferResponse answer;
      if (reply) {
        oip::write_infer_proto(*std::move(reply), *answer.mutable_infer_response());
      } else {
        answer.set_error_message(reply.error().message);
        answer.mutable_infer_response()->set_id(id);
      }
      send(std::move(answer));
    });
    const std::lock_guard lock(mutex_);
    is_reading_ = under_way_ < kStreamRequests;
    if (is_reading_) StartRead(&message_);
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
    answers_.pop_front();
    --under_way_;
    if (!ok) is_lost_ = true;
    if (!is_reading_ && !has_ended_) {
      is_reading_ = true;
      StartRead(&message_);
    }
    write_next();
    finish_if_done();
  }

  void OnCancel() override {
    std::vector<std::shared_ptr<runtime::Cancellation>> all;
    {
      const std::lock_guard lock(mutex_);
      is_cancelled_ = true;
      all.swap(cancellations_);
    }
    for (const auto& cancellation : all) cancellation->cancel();
  }

  void OnDone() override { delete this; }

 private:
  std::shared_ptr<runtime::Cancellation> add_cancellation() {
    auto added = std::make_shared<runtime::Cancellation>();
    const std::lock_guard lock(mutex_);
    if (is_cancelled_) {
      added->cancel();
    } else {
      std::erase_if(cancellations_, [](const auto& one) { return one.use_count() == 1; });  // answered
      cancellations_.push_back(added);
    }
    return added;
  }

  void send(inference::ModelStreamInferResponse answer) {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
    write_next();
  }

  /// With the lock held, as the next.
  void write_next() {
    if (is_writing_ || answers_.empty()) return;
    is_writing_ = true;
    StartWrite(&answers_.front());
  }

  void finish_if_done() {
    if (!has_ended_ || under_way_ > 0 || is_finished_) return;
    is_finished_ = true;
    Finish(is_lost_ ? Status(grpc::StatusCode::CANCELLED, "the caller has gone") : Status::OK);
  }

  const hosting::ModelTable& models_;
  grpc::CallbackServerContext& context_;
  inference::ModelInferRequest message_;
  std::mutex mutex_;
  std::deque<inference::ModelStreamInferResponse> answers_;  // the first one is being written, or none
  std::vector<std::shared_ptr<runtime::Cancellation>> cancellations_;
  std::size_t under_way_ = 0;  // read, and not yet written
  bool is_reading_ = true;
  bool is_writing_ = false;
  bool has_ended_ = false;  // the caller sends no more
  bool is_lost_ = false;
  bool is_cancelled_ = false;
  bool is_finished_ = false;
};

}  // namespace

grpc::ServerUnaryReactor* start_infer(const hosting::ModelTable& models, grpc::CallbackServerContext& context,
                                      const inference::ModelInferRequest& request,
                                      inference::ModelInferResponse& response) {
  auto* reactor = new InferReactor;  // ends itself in OnDone()
  reactor->start(models, context, request, response);
  return reactor;
}

grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>*
start_infer_stream(const hosting::ModelTable& models, grpc::CallbackServerContext& context) {
  return new StreamReactor(models, context);
}

}  // namespace kefu::serve
