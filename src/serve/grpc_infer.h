#pragma once
// ModelInfer and ModelStreamInfer. Internal to serve.

#include <grpcpp/grpcpp.h>
#include <inference.pb.h>

#include "serve/open_streams.h"
#include "serve/services.h"

namespace kefu::serve {

/// A call, and whose it is; of a stream each message is asked for anew.
struct GrpcCaller {
  const Services& services;
  grpc::CallbackServerContext& context;
  std::string tenant;
  bool is_stream = false;
};

/// Answers a request when the model has; cancelled if the caller goes, late if its deadline passes.
grpc::ServerUnaryReactor* start_infer(const GrpcCaller& caller, const inference::ModelInferRequest& request,
                                      inference::ModelInferResponse& response);

/// Answers each message of a stream, in the order in which answers come, errors as error_message with the id
/// of their request. At most kStreamRequests of a stream are under way. `streams` holds the stream.
grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>*
start_infer_stream(const Services& services, grpc::CallbackServerContext& context, OpenStreams& streams);

/// The caller of a call that needs a scope; counted if it is refused.
Result<auth::Principal> admit_caller(const Services& services, const grpc::CallbackServerContext& context,
                                     auth::Scope needed);

/// A value of the call's metadata; empty if it is absent.
std::string_view metadata_value(const grpc::CallbackServerContext& context, const char* name);

inline constexpr std::size_t kStreamRequests = 64;

}  // namespace kefu::serve
