#pragma once
// A server that speaks the Open Inference Protocol over gRPC.

#include <string>
#include <vector>

#include "loadgen/target.h"
#include "net/tls_settings.h"
#include "net/url.h"

namespace kefu::loadgen {

/// `messages` are serialised requests of inference.GRPCInferenceService/ModelInfer. A "connection" of the
/// plan is a call under way; calls share HTTP/2 connections.
std::unique_ptr<Target> make_grpc_target(const net::Url& url, const std::vector<std::string>& messages,
                                         std::size_t streams = kStreams,
                                         const net::TrustSettings& trust = {});

}  // namespace kefu::loadgen
