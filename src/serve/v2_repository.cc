#include "serve/v2_repository.h"

#include <charconv>

#include "hosting/order_log.h"
#include "serve/error_reply.h"
#include "serve/json_body.h"
#include "serve/v2_reply.h"

namespace kefu::serve {
namespace {

Result<bool> flag(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return false;
  if (!found->is_boolean()) return fail(Code::kInvalidArgument, "\"{}\" must be true or false", key);
  return found->get<bool>();
}

HttpResponse index(const hosting::ModelTable& models, const HttpRequest& request) {
  const auto body = read_json_body(request);
  const auto ready = body ? flag(*body, "ready") : tl::unexpected(body.error());
  if (!ready) return error_response(request, ready.error());
  Json list = Json::array();
  for (const hosting::IndexEntry& entry : models.index()) {
    if (*ready && entry.state != hosting::State::kReady) continue;
    Json row{{"name", entry.name}};
    if (!entry.version.empty()) {
      row["version"] = entry.version;
      row["state"] = hosting::state_name(entry.state);
      row["reason"] = entry.reason;
    }
    list.push_back(std::move(row));
  }
  return json_response(list);
}

/// What a load asks for: {"parameters": {"config": "{…}", "kefu_async": bool}}.
struct LoadRequest {
  Json config;  // null: none
  bool is_async = false;
};

Result<LoadRequest> read_load(const HttpRequest& request) {
  KEFU_ASSIGN(const Json body, read_json_body(request));
  const Json parameters = body.value("parameters", Json::object());
  if (!parameters.is_object()) return fail(Code::kInvalidArgument, "\"parameters\" must be an object");
  LoadRequest load;
  for (const auto& [key, value] : parameters.items()) {
    if (key == "config") {
      if (!value.is_string())
        return fail(Code::kInvalidArgument, "\"config\" must be a string that holds JSON");
      load.config = Json::parse(value.get_ref<const std::string&>(), nullptr, false);
      if (load.config.is_discarded()) return fail(Code::kInvalidArgument, "\"config\" does not hold JSON");
    } else if (key == "kefu_async") {
      KEFU_ASSIGN(load.is_async, flag(parameters, "kefu_async"));
    } else if (key.starts_with("file:")) {
      return fail(Code::kUnimplemented,
                  "models cannot be sent with the load; publish them in the repository");
    } else if (key != "unload_dependents") {
      return fail(Code::kInvalidArgument, "there is no parameter \"{}\"; known: config, kefu_async", key);
    }
  }
  return load;
}

HttpResponse accepted(std::uint64_t operation) {
  HttpResponse response = json_response({{"operation", std::to_string(operation)}}, 202);
  response.headers.emplace_back("Location", "/kefu/v1/operations/" + std::to_string(operation));
  return response;
}

/// Loads or unloads the model of the path, and answers when that is done, or at once if so asked.
void change(hosting::ModelTable& models, bool is_load, const RequestPtr& request, const Respond& respond) {
  auto load = read_load(*request);
  const std::string& name = request->path_values.at(0);
  if (!load) {
    const Error error = is_load ? hosting::load_error(name, load.error()) : load.error();
    return respond([request, error] { return error_response(*request, error); });
  }
  hosting::ModelTable::Done done = [is_load, name](const Result<void>& outcome) {
    hosting::log_order(is_load, name, outcome);
  };
  if (!load->is_async) {
    done = [is_load, name, request, respond](const Result<void>& outcome) {
      hosting::log_order(is_load, name, outcome);
      respond([request, outcome] {
        return outcome ? json_response(Json::object()) : error_response(*request, outcome.error());
      });
    };
  }
  const std::uint64_t operation = is_load ? models.load(name, std::move(load->config), std::move(done))
                                          : models.unload(name, std::move(done));
  if (load->is_async) respond([operation] { return accepted(operation); });
}

std::string_view phase_name(hosting::Operation::Phase phase) {
  switch (phase) {
    case hosting::Operation::Phase::kPending:
      return "pending";
    case hosting::Operation::Phase::kRunning:
      return "running";
    case hosting::Operation::Phase::kSucceeded:
      return "succeeded";
    case hosting::Operation::Phase::kFailed:
      return "failed";
  }
  return "";
}

HttpResponse operation(const hosting::ModelTable& models, const HttpRequest& request) {
  const std::string& text = request.path_values.at(0);
  std::uint64_t id = 0;
  std::from_chars(text.data(), text.data() + text.size(), id);
  const auto found = models.operation(id);
  if (!found) return error_response(request, 404, "there is no such operation; the last 256 are kept");
  Json body{{"id", std::to_string(found->id)},
            {"kind", found->is_load ? "load" : "unload"},
            {"model", found->model},
            {"state", phase_name(found->phase)}};
  if (found->error) body["error"] = found->error->message;
  return json_response(body);
}

Handler changing(hosting::ModelTable& models, bool is_load) {
  return [&models, is_load](const RequestPtr& request, const Respond& respond) {
    change(models, is_load, request, respond);
  };
}

HttpResponse one_repository(const HttpRequest& request) {
  return error_response(request, 501, "there is one repository; leave its name out of the path");
}

}  // namespace

std::vector<Route> repository_routes(hosting::ModelTable& models) {
  return {
      {"POST", "/v2/repository/index",
       answering([&models](const HttpRequest& request) { return index(models, request); }),
       "Models of the repository and the state of their versions"},
      {"POST", "/v2/repository/models/{model}/load", changing(models, true),
       "Bring a model, or its newer versions, into service"},
      {"POST", "/v2/repository/models/{model}/unload", changing(models, false),
       "Take a model out of service"},
      {"POST", "/v2/repository/{repository}/index", answering(one_repository), "Not offered"},
      {"POST", "/v2/repository/{repository}/models/{model}/load", answering(one_repository), "Not offered"},
      {"POST", "/v2/repository/{repository}/models/{model}/unload", answering(one_repository), "Not offered"},
      {"GET", "/kefu/v1/operations/{operation}",
       answering([&models](const HttpRequest& request) { return operation(models, request); }),
       "What a load or an unload has come to"},
  };
}

}  // namespace kefu::serve
