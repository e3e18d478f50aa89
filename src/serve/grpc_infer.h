#pragma once
// ModelInfer and ModelStreamInfer. Internal to serve.

#include <grpcpp/grpcpp.h>
#include <inference.pb.h>

#include "hosting/entrance.h"

namespace kefu::serve {

/// Answers a request when the model has; cancelled if the caller goes, late if its deadline passes.
grpc::ServerUnaryReactor* start_infer(hosting::Entrance& entrance, grpc::CallbackServerContext& context,
                                      const inference::ModelInferRequest& request,
                                      inference::ModelInferResponse& response);

/// Answers each message of a stream, in the order in which answers come, errors as error_message with the id
/// of their request. At most kStreamRequests of a stream are under way.
grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>*
start_infer_stream(hosting::Entrance& entrance, grpc::CallbackServerContext& context);

inline constexpr std::size_t kStreamRequests = 64;

}  // namespace kefu::serve
