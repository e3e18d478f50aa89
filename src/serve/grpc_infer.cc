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

/// What is asked, of whom; how large it is.
struct AskedMessage {
  hosting::Selection chosen;
  oip::InferRequest request;
  runtime::Permit room;
};

Result<AskedMessage> read_asked(const GrpcCaller& caller, inference::ModelInferRequest& message,
                                const hosting::VisitPtr& visit) {
  AskedMessage asked;
  const std::size_t bytes = message.ByteSizeLong();
  KEFU_ASSIGN(asked.room, caller.services.entrance.admit_body(bytes));
  hosting::Selector wanted{.model = message.model_name(),
                           .version = message.model_version(),
                           .label = metadata_value(caller.context, "kefu-label"),
                           .key = metadata_value(caller.context, "kefu-sticky-key")};
  KEFU_ASSIGN(asked.request, oip::read_infer_proto(message, {}));
  KEFU_ASSIGN(wanted, hosting::with_parameters(wanted, asked.request.parameters));
  KEFU_ASSIGN(asked.chosen, visit->select(caller.services.models, wanted, bytes));
  return asked;
}

/// Of two traceparents neither counts, as over HTTP.
tracing::TraceFields trace_fields(const grpc::CallbackServerContext& context) {
  const auto [first, last] = context.client_metadata().equal_range("traceparent");
  if (first == last) return {};
  if (std::next(first) != last) return {.traceparent = ","};  // which is not valid
  return {{first->second.data(), first->second.size()}, metadata_value(context, "tracestate")};
}

/// Answers a message, whose tensors are taken, not copied.
void infer_message(const GrpcCaller& caller, inference::ModelInferRequest& message,
                   std::shared_ptr<runtime::Cancellation> cancellation, hosting::InferDone done) {
  const auto visit = caller.services.entrance.enter(hosting::Entry::kV2Grpc, std::chrono::steady_clock::now(),
                                                    trace_fields(caller.context));
  if (!visit) return done(tl::unexpected(visit.error()));
  const std::optional<tracing::TraceContext>& trace = (*visit)->trace();
  if (trace && !caller.is_stream)
    caller.context.AddTrailingMetadata("traceparent", tracing::to_traceparent(*trace));
  const hosting::InferDone ending = [visit = *visit, done = std::move(done)](Result<oip::InferReply> reply) {
    const auto failure = reply ? std::nullopt : std::optional(reply.error().code);
    visit->end(failure);
    done(std::move(reply));
  };
  auto asked = read_asked(caller, message, *visit);
  if (!asked) return ending(tl::unexpected(asked.error()));
  runtime::Call call = hosting::call_of(*visit);
  call.deadline = deadline_of(caller.context);
  call.tenant = caller.tenant;
  call.is_judged = asked->chosen.by_share;
  call.cancellation = std::move(cancellation);
  hosting::infer(asked->chosen, std::move(asked->request), call,
                 [ending, room = std::make_shared<runtime::Permit>(std::move(asked->room))](
                     Result<oip::InferReply> reply) { ending(std::move(reply)); });
}

class InferReactor final : public grpc::ServerUnaryReactor {
 public:
  void start(const GrpcCaller& caller, const inference::ModelInferRequest& request,
             inference::ModelInferResponse& response) {
    // The message is this call's alone, and gRPC does not read it again: its tensors are taken, not copied.
    auto& message = const_cast<inference::ModelInferRequest&>(request);
    infer_message(caller, message, cancellation_, [this, &response](Result<oip::InferReply> reply) {
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
    : public grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>,
      public OpenStream,
      public std::enable_shared_from_this<StreamReactor> {
 public:
  StreamReactor(const Services& services, grpc::CallbackServerContext& context, OpenStreams& streams)
      : services_(services), context_(context), streams_(streams) {
    StartRead(&message_);
  }

  void leave() override {
    const std::lock_guard lock(mutex_);
    is_leaving_ = true;
    finish_if_done();
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
      if (is_finished_) return;  // it came when the server had left
      ++under_way_;
    }
    const hosting::InferDone done = [this, id = message_.id()](Result<oip::InferReply> reply) {
      inference::ModelStreamInferResponse answer;
      if (reply) {
        oip::write_infer_proto(*std::move(reply), *answer.mutable_infer_response());
      } else {
        answer.set_error_message(reply.error().message);
        answer.mutable_infer_response()->set_id(id);
      }
      send(std::move(answer));
    };
    if (auto caller = admit_caller(services_, context_, auth::Scope::kInfer)) {
      infer_message({services_, context_, caller->tenant, true}, message_, add_cancellation(), done);
    } else {
      done(tl::unexpected(caller.error()));
    }
    const std::lock_guard lock(mutex_);
    is_reading_ = under_way_ < kStreamRequests && !is_finished_;
    if (is_reading_) StartRead(&message_);
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    is_writing_ = false;
    answers_.pop_front();
    --under_way_;
    if (!ok) is_lost_ = true;
    if (!is_reading_ && !has_ended_ && !is_leaving_) {
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

  void OnDone() override { streams_.remove(shared_from_this()); }

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
    if ((!has_ended_ && !is_leaving_) || under_way_ > 0 || is_finished_) return;
    is_finished_ = true;
    if (is_lost_) return Finish({grpc::StatusCode::CANCELLED, "the caller has gone"});
    if (has_ended_) return Finish(Status::OK);
    Finish({grpc::StatusCode::UNAVAILABLE, "the server is shutting down"});
  }

  const Services& services_;
  grpc::CallbackServerContext& context_;
  OpenStreams& streams_;
  inference::ModelInferRequest message_;
  std::mutex mutex_;
  std::deque<inference::ModelStreamInferResponse> answers_;  // the first one is being written, or none
  std::vector<std::shared_ptr<runtime::Cancellation>> cancellations_;
  std::size_t under_way_ = 0;  // read, and not yet written
  bool is_reading_ = true;
  bool is_writing_ = false;
  bool has_ended_ = false;   // the caller sends no more
  bool is_leaving_ = false;  // the server reads no more
  bool is_lost_ = false;
  bool is_cancelled_ = false;
  bool is_finished_ = false;
};

}  // namespace

Result<auth::Principal> admit_caller(const Services& services, const grpc::CallbackServerContext& context,
                                     auth::Scope needed) {
  auto caller = services.gate.admit(metadata_value(context, "authorization"), {}, needed);
  if (!caller) services.entrance.count(hosting::Rejection::kAuth);
  return caller;
}

std::string_view metadata_value(const grpc::CallbackServerContext& context, const char* name) {
  const auto found = context.client_metadata().find(name);
  if (found == context.client_metadata().end()) return {};
  return {found->second.data(), found->second.size()};
}

grpc::ServerUnaryReactor* start_infer(const GrpcCaller& caller, const inference::ModelInferRequest& request,
                                      inference::ModelInferResponse& response) {
  auto* reactor = new InferReactor;  // ends itself in OnDone()
  reactor->start(caller, request, response);
  return reactor;
}

grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>*
start_infer_stream(const Services& services, grpc::CallbackServerContext& context, OpenStreams& streams) {
  const auto stream = std::make_shared<StreamReactor>(services, context, streams);
  streams.add(stream);
  return stream.get();  // held by `streams` until OnDone()
}

}  // namespace kefu::serve
