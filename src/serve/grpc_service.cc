#include "serve/grpc_service.h"

#include <google/protobuf/util/json_util.h>

#include "base/version.h"
#include "hosting/model_config.h"
#include "hosting/order_log.h"
#include "oip/server_metadata.h"
#include "serve/grpc_infer.h"
#include "serve/v2_model_json.h"

namespace kefu::serve {
namespace {

using grpc::Status;
using grpc::StatusCode;
using Reactor = GrpcService::Reactor;

Reactor* finish(grpc::CallbackServerContext* context, const Status& status = Status::OK) {
  Reactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

/// Fills a message from JSON with its members' names: one description serves both transports.
Status fill(const Json& json, google::protobuf::Message& message) {
  const auto parsed = google::protobuf::util::JsonStringToMessage(json.dump(), &message);
  return parsed.ok() ? Status::OK : Status(StatusCode::INTERNAL, "the server could not describe the model");
}

/// Answers with what `fill` makes of a model.
template <typename Request, typename Fill>
Reactor* about_model(const hosting::ModelTable& models, grpc::CallbackServerContext* context,
                     const Request& request, const Fill& fill) {
  const auto model = models.find(request.name(), request.version());
  return finish(context, model ? fill(**model) : grpc_status(model.error()));
}

/// The parameters of a load: the configuration; null: none.
Result<Json> read_config(
    const google::protobuf::Map<std::string, inference::ModelRepositoryParameter>& parameters) {
  Json config;
  for (const auto& [name, value] : parameters) {
    if (name == "config") {
      config = Json::parse(value.string_param(), nullptr, false);
      if (config.is_discarded()) return fail(Code::kInvalidArgument, "\"config\" does not hold JSON");
    } else if (name.starts_with("file:")) {
      constexpr std::size_t kLongestName = 255;  // of a file
      if (name.size() > kLongestName) return fail(Code::kInternal, "the name of a file is too long");
      return fail(Code::kUnimplemented,
                  "models cannot be sent with the load; publish them in the repository");
    } else if (name != "unload_dependents") {
      return fail(Code::kInvalidArgument, "there is no parameter \"{}\"; known: config", name);
    }
  }
  return config;
}

hosting::ModelTable::Done finishing(Reactor* reactor, bool is_load, const std::string& name) {
  return [reactor, is_load, name](const Result<void>& outcome) {
    hosting::log_order(is_load, name, outcome);
    reactor->Finish(outcome ? Status::OK : grpc_status(outcome.error()));
  };
}

}  // namespace

Status grpc_status(const Error& error) {
  StatusCode code = StatusCode::UNKNOWN;
  switch (error.code) {
    case Code::kCancelled:
      code = StatusCode::CANCELLED;
      break;
    case Code::kUnknown:
      code = StatusCode::UNKNOWN;
      break;
    case Code::kInvalidArgument:
    case Code::kOutOfRange:
      code = StatusCode::INVALID_ARGUMENT;
      break;
    case Code::kDeadlineExceeded:
      code = StatusCode::DEADLINE_EXCEEDED;
      break;
    case Code::kNotFound:
      code = StatusCode::NOT_FOUND;
      break;
    case Code::kAlreadyExists:
      code = StatusCode::ALREADY_EXISTS;
      break;
    case Code::kPermissionDenied:
      code = StatusCode::PERMISSION_DENIED;
      break;
    case Code::kResourceExhausted:
      code = StatusCode::RESOURCE_EXHAUSTED;
      break;
    case Code::kFailedPrecondition:
      code = StatusCode::FAILED_PRECONDITION;
      break;
    case Code::kAborted:
      code = StatusCode::ABORTED;
      break;
    case Code::kUnimplemented:
      code = StatusCode::UNIMPLEMENTED;
      break;
    case Code::kInternal:
      code = StatusCode::INTERNAL;
      break;
    case Code::kUnavailable:
      code = StatusCode::UNAVAILABLE;
      break;
    case Code::kDataLoss:
      code = StatusCode::DATA_LOSS;
      break;
    case Code::kUnauthenticated:
      code = StatusCode::UNAUTHENTICATED;
      break;
  }
  return {code, error.message};
}

/// OK if the caller may.
Status GrpcService::refusal(const Context& context, auth::Scope needed) const {
  const auto caller = admit_caller(services_, context, needed);
  return caller ? Status::OK : grpc_status(caller.error());
}

Status GrpcService::admin_refusal(const Context& context) const {
  if (admin_) return refusal(context, auth::Scope::kAdmin);
  return {StatusCode::PERMISSION_DENIED, "this port takes no orders; set grpc.admin, or ask the admin port"};
}

Reactor* GrpcService::ServerLive(Context* context, const inference::ServerLiveRequest* /*request*/,
                                 inference::ServerLiveResponse* response) {
  response->set_live(true);
  return finish(context);
}

Reactor* GrpcService::ServerReady(Context* context, const inference::ServerReadyRequest* /*request*/,
                                  inference::ServerReadyResponse* response) {
  response->set_ready(services_.models.ready() && !services_.draining());
  return finish(context);
}

Reactor* GrpcService::ModelReady(Context* context, const inference::ModelReadyRequest* request,
                                 inference::ModelReadyResponse* response) {
  if (Status refused = refusal(*context, auth::Scope::kInfer); !refused.ok()) return finish(context, refused);
  const auto model = services_.models.find(request->name(), request->version());
  if (!model && model.error().code == Code::kNotFound) return finish(context, grpc_status(model.error()));
  response->set_ready(model.has_value());
  return finish(context);
}

Reactor* GrpcService::ServerMetadata(Context* context, const inference::ServerMetadataRequest* /*request*/,
                                     inference::ServerMetadataResponse* response) {
  response->set_name(services_.name);
  response->set_version(std::string(version()));
  for (const std::string_view extension : oip::kExtensions) response->add_extensions(std::string(extension));
  return finish(context);
}

Reactor* GrpcService::ModelMetadata(Context* context, const inference::ModelMetadataRequest* request,
                                    inference::ModelMetadataResponse* response) {
  if (Status refused = refusal(*context, auth::Scope::kInfer); !refused.ok()) return finish(context, refused);
  return about_model(services_.models, context, *request, [&](const hosting::ServedModel& model) {
    return fill(model_metadata_json(model.description().metadata), *response);
  });
}

Reactor* GrpcService::ModelInfer(Context* context, const inference::ModelInferRequest* request,
                                 inference::ModelInferResponse* response) {
  const auto caller = admit_caller(services_, *context, auth::Scope::kInfer);
  if (!caller) return finish(context, grpc_status(caller.error()));
  return start_infer({services_, *context, caller->tenant}, *request, *response);
}

grpc::ServerBidiReactor<inference::ModelInferRequest, inference::ModelStreamInferResponse>*
GrpcService::ModelStreamInfer(Context* context) {
  return start_infer_stream(services_, *context, streams_);
}

Reactor* GrpcService::ModelConfig(Context* context, const inference::ModelConfigRequest* request,
                                  inference::ModelConfigResponse* response) {
  if (Status refused = refusal(*context, auth::Scope::kInfer); !refused.ok()) return finish(context, refused);
  return about_model(services_.models, context, *request, [&](const hosting::ServedModel& model) {
    return fill(hosting::model_config(model.description()), *response->mutable_config());
  });
}

Reactor* GrpcService::ModelStatistics(Context* context, const inference::ModelStatisticsRequest* request,
                                      inference::ModelStatisticsResponse* response) {
  if (Status refused = refusal(*context, auth::Scope::kInfer); !refused.ok()) return finish(context, refused);
  if (!request->name().empty()) {
    return about_model(services_.models, context, *request, [&](const hosting::ServedModel& model) {
      return fill(model_statistics_json(model), *response->add_model_stats());
    });
  }
  for (const hosting::ModelRef& model : services_.models.served()) {
    if (Status status = fill(model_statistics_json(*model), *response->add_model_stats()); !status.ok())
      return finish(context, status);
  }
  return finish(context);
}

Reactor* GrpcService::RepositoryIndex(Context* context, const inference::RepositoryIndexRequest* request,
                                      inference::RepositoryIndexResponse* response) {
  if (Status refused = admin_refusal(*context); !refused.ok()) return finish(context, refused);
  for (const hosting::IndexEntry& entry : services_.models.index()) {
    if (request->ready() && entry.state != hosting::State::kReady) continue;
    auto& row = *response->add_models();
    row.set_name(entry.name);
    if (entry.version.empty()) continue;
    row.set_version(entry.version);
    row.set_state(std::string(hosting::state_name(entry.state)));
    row.set_reason(entry.reason);
  }
  return finish(context);
}

Reactor* GrpcService::RepositoryModelLoad(Context* context,
                                          const inference::RepositoryModelLoadRequest* request,
                                          inference::RepositoryModelLoadResponse* /*response*/) {
  if (Status refused = admin_refusal(*context); !refused.ok()) return finish(context, refused);
  auto config = read_config(request->parameters());
  if (!config)
    return finish(context, grpc_status(hosting::load_error(request->model_name(), config.error())));
  Reactor* reactor = context->DefaultReactor();
  services_.models.load(request->model_name(), *std::move(config),
                        finishing(reactor, true, request->model_name()));
  return reactor;
}

Reactor* GrpcService::RepositoryModelUnload(Context* context,
                                            const inference::RepositoryModelUnloadRequest* request,
                                            inference::RepositoryModelUnloadResponse* /*response*/) {
  if (Status refused = admin_refusal(*context); !refused.ok()) return finish(context, refused);
  Reactor* reactor = context->DefaultReactor();
  services_.models.unload(request->model_name(), finishing(reactor, false, request->model_name()));
  return reactor;
}

Reactor* GrpcService::TraceSetting(Context* context, const inference::TraceSettingRequest* request,
                                   inference::TraceSettingResponse* response) {
  if (Status refused = refusal(*context, auth::Scope::kInfer); !refused.ok()) return finish(context, refused);
  if (!request->settings().empty())
    return finish(context, {StatusCode::UNIMPLEMENTED, "trace settings cannot be changed by a client"});
  auto& settings = *response->mutable_settings();
  settings["trace_level"].add_value("OFF");
  settings["trace_rate"].add_value("1000");
  settings["trace_count"].add_value("-1");
  settings["log_frequency"].add_value("0");
  settings["trace_file"].add_value("");
  settings["trace_mode"].add_value("triton");
  return finish(context);
}

Reactor* GrpcService::LogSettings(Context* context, const inference::LogSettingsRequest* request,
                                  inference::LogSettingsResponse* response) {
  if (Status refused = refusal(*context, auth::Scope::kInfer); !refused.ok()) return finish(context, refused);
  if (!request->settings().empty())
    return finish(context, {StatusCode::UNIMPLEMENTED, "log settings cannot be changed by a client"});
  auto& settings = *response->mutable_settings();
  settings["log_file"].set_string_param("");
  settings["log_info"].set_bool_param(true);
  settings["log_warning"].set_bool_param(true);
  settings["log_error"].set_bool_param(true);
  settings["log_verbose_level"].set_uint32_param(0);
  settings["log_format"].set_string_param("default");
  return finish(context);
}

}  // namespace kefu::serve
