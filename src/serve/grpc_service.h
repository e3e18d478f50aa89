#pragma once
// inference.GRPCInferenceService: the Open Inference Protocol v2 with Triton's extensions over gRPC.

#include <inference.grpc.pb.h>

#include "serve/open_streams.h"
#include "serve/services.h"

namespace kefu::serve {

/// Callback service. Thread-safe.
class GrpcService final : public inference::GRPCInferenceService::CallbackService {
 public:
  /// `admin`: whether it takes orders, to load and unload.
  GrpcService(Services services, bool admin) : services_(std::move(services)), admin_(admin) {}

  /// Streams end once what they have sent is answered, those to come at once.
  void leave() { streams_.leave_all(); }

  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  Reactor* ServerLive(Context* context, const inference::ServerLiveRequest* request,
                      inference::ServerLiveResponse* response) override;
  Reactor* ServerReady(Context* context, const inference::ServerReadyRequest* request,
                       inference::ServerReadyResponse* response) override;
  Reactor* ModelReady(Context* context, const inference::ModelReadyRequest* request,
                      inference::ModelReadyResponse* response) override;
  Reactor* ServerMetadata(Context* context, const inference::ServerMetadataRequest* request,
                          inference::ServerMetadataResponse* response) override;
  Reactor* ModelMetadata(Context* context, const inference::ModelMetadataRequest* request,
                         inference::ModelMetadataResponse* response) override;
  Reactor* ModelInfer(Context* context, const inference::ModelInferRequest* request,
                      inference::ModelInferResponse* response) override;
  grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>*
  ModelStreamInfer(Context* context) override;
  Reactor* ModelConfig(Context* context, const inference::ModelConfigRequest* request,
                       inference::ModelConfigResponse* response) override;
  Reactor* ModelStatistics(Context* context, const inference::ModelStatisticsRequest* request,
                           inference::ModelStatisticsResponse* response) override;
  Reactor* RepositoryIndex(Context* context, const inference::RepositoryIndexRequest* request,
                           inference::RepositoryIndexResponse* response) override;
  Reactor* RepositoryModelLoad(Context* context, const inference::RepositoryModelLoadRequest* request,
                               inference::RepositoryModelLoadResponse* response) override;
  Reactor* RepositoryModelUnload(Context* context, const inference::RepositoryModelUnloadRequest* request,
                                 inference::RepositoryModelUnloadResponse* response) override;
  Reactor* TraceSetting(Context* context, const inference::TraceSettingRequest* request,
                        inference::TraceSettingResponse* response) override;
  Reactor* LogSettings(Context* context, const inference::LogSettingsRequest* request,
                       inference::LogSettingsResponse* response) override;

 private:
  grpc::Status refusal(const Context& context, auth::Scope needed) const;
  grpc::Status admin_refusal(const Context& context) const;

  const Services services_;
  const bool admin_;
  OpenStreams streams_;
};

/// The code and sentence of an error, as gRPC has them.
grpc::Status grpc_status(const Error& error);

}  // namespace kefu::serve
