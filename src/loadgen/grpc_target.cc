#include "loadgen/grpc_target.h"

#include <optional>

#include <boost/asio/post.hpp>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "net/pem.h"

namespace kefu::loadgen {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

using Credentials = std::shared_ptr<grpc::ChannelCredentials>;

Result<Credentials> make_credentials(const net::Url& url, const net::TrustSettings& trust) {
  if (!url.is_secure) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  if (!trust.ca.empty()) {
    KEFU_ASSIGN(options.pem_root_certs, net::read_pem("--ca", trust.ca));
  }
  if (!trust.certificate.empty() || !trust.key.empty()) {
    KEFU_ASSIGN(options.pem_cert_chain, net::read_pem("--certificate", trust.certificate));
    KEFU_ASSIGN(options.pem_private_key, net::read_pem("--key", trust.key));
  }
  return grpc::SslCredentials(options);
}

std::shared_ptr<grpc::Channel> make_channel(const net::Url& url, const Credentials& credentials) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(url.authority(), credentials, arguments);
}

/// Blocks until it is connected, the first attempt has failed, or the deadline has passed.
bool connect(grpc::Channel& channel, std::chrono::system_clock::time_point deadline) {
  grpc_connectivity_state state = channel.GetState(true);
  while (state != GRPC_CHANNEL_READY) {
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || !channel.WaitForStateChange(state, deadline)) return false;
    state = channel.GetState(true);
  }
  return true;
}

/// A call, used again and again. gRPC's threads end it; the loop's thread tells the listener.
class GrpcCall final : public grpc::ClientUnaryReactor {
 public:
  GrpcCall(std::size_t number, const std::shared_ptr<grpc::Channel>& channel,
           std::shared_ptr<asio::io_context> loop, Listener& listener)
      : number_(number), stub_(channel), loop_(std::move(loop)), listener_(listener) {}

  /// `message` must live until the call has ended.
  void start(const grpc::ByteBuffer& message) {
    answer_ = {};
    answer_.sent_bytes = message.Length();
    reply_.Clear();
    context_.emplace();
    stub_.PrepareUnaryCall(&*context_, "/inference.GRPCInferenceService/ModelInfer", {}, &message, &reply_,
                           this);
    StartCall();
  }

  void cancel() {
    if (context_) context_->TryCancel();
  }

  void OnDone(const grpc::Status& status) override {
    answer_.ended = steady_clock::now();
    answer_.outcome = {Outcome::Kind::kGrpc, static_cast<int>(status.error_code())};
    answer_.received_bytes = reply_.Length();
    // The loop may have ended, and this call with it, when its post() returns here.
    const std::shared_ptr<asio::io_context> loop = loop_;
    asio::post(*loop, [this] { listener_.on_answer(number_, answer_); });
  }

 private:
  std::size_t number_;
  grpc::GenericStub stub_;
  std::shared_ptr<asio::io_context> loop_;
  Listener& listener_;
  std::optional<grpc::ClientContext> context_;
  grpc::ByteBuffer reply_;
  Answer answer_;
};

class GrpcTarget final : public Target {
 public:
  GrpcTarget(net::Url url, const std::vector<std::string>& messages, std::size_t streams,
             net::TrustSettings trust)
      : url_(std::move(url)), streams_(streams), trust_(std::move(trust)) {
    for (const std::string& message : messages) {
      const grpc::Slice slice(message);
      messages_.emplace_back(&slice, 1);
    }
  }

  std::size_t requests() const override { return messages_.size(); }
  Result<void> open(const std::shared_ptr<asio::io_context>& loop, const Plan& plan,
                    Listener& listener) override;
  void send(std::size_t connection, std::size_t request) override {
    calls_[connection]->start(messages_[request]);
  }
  void cancel(std::size_t connection) override { calls_[connection]->cancel(); }
  void close() override { calls_.clear(); }

 private:
  net::Url url_;
  std::size_t streams_;
  net::TrustSettings trust_;
  std::vector<grpc::ByteBuffer> messages_;
  std::vector<std::unique_ptr<GrpcCall>> calls_;
};

Result<void> GrpcTarget::open(const std::shared_ptr<asio::io_context>& loop, const Plan& plan,
                              Listener& listener) {
  KEFU_ASSIGN(const Credentials credentials, make_credentials(url_, trust_));
  std::shared_ptr<grpc::Channel> channel;
  const auto deadline = std::chrono::system_clock::now() + plan.timeout;
  for (std::size_t i = 0; i < plan.connections; ++i) {
    if (i % streams_ == 0) {
      channel = make_channel(url_, credentials);
      if (!connect(*channel, deadline)) {
        calls_.clear();
        return fail(Code::kUnavailable, "no gRPC server answers at {}; start it there, or check the address",
                    url_.text());
      }
    }
    calls_.push_back(std::make_unique<GrpcCall>(i, channel, loop, listener));
  }
  return {};
}

}  // namespace

std::unique_ptr<Target> make_grpc_target(const net::Url& url, const std::vector<std::string>& messages,
                                         std::size_t streams, const net::TrustSettings& trust) {
  return std::make_unique<GrpcTarget>(url, messages, streams, trust);
}

}  // namespace kefu::loadgen
