#include "tracing/otlp_json.h"

#include <iterator>

#include "base/json_write.h"
#include "base/version.h"

namespace kefu::tracing {
namespace {

enum Kind { kInternal = 1, kServer = 2 };
enum Status { kUnset = 0, kError = 2 };

struct Stage {
  const char* name;
  runtime::Time runtime::Moments::* begin;
  runtime::Time runtime::Moments::* end;  // null: the request's
};
constexpr Stage kStages[] = {
    {"tokenize", &runtime::Moments::received, &runtime::Moments::queued},
    {"queue", &runtime::Moments::queued, &runtime::Moments::taken},
    {"compute_input", &runtime::Moments::taken, &runtime::Moments::copied_in},
    {"compute_infer", &runtime::Moments::copied_in, &runtime::Moments::computed},
    {"compute_output", &runtime::Moments::computed, &runtime::Moments::copied_out},
    {"postprocess", &runtime::Moments::copied_out, nullptr},
};

/// The id of a request's stage: that of the request, well mixed (SplitMix64). Never 0.
std::uint64_t stage_id(std::uint64_t span, std::size_t stage) {
  std::uint64_t id = span + (stage + 1) * 0x9E3779B97F4A7C15U;
  id = (id ^ (id >> 30U)) * 0xBF58476D1CE4E5B9U;
  id = (id ^ (id >> 27U)) * 0x94D049BB133111EBU;
  id ^= id >> 31U;
  return id == 0 ? 1 : id;
}

/// As the front end answers it, which has no code of its own for what is too large.
int grpc_status(std::optional<Code> failure) {
  if (!failure) return 0;
  return static_cast<int>(*failure == Code::kOutOfRange ? Code::kInvalidArgument : *failure) + 1;
}

class Writer {
 public:
  Writer(JsonWriter& json, std::chrono::nanoseconds wall) : json_(json), wall_(wall) {}

  void write(const Span& span) {
    begin(span.context, span.context.span, span.parent, name_of(span), kServer, span.moments.received,
          span.ended);
    if (!span.state.empty()) write_member(json_, "traceState", span.state);
    json_.Key("attributes");
    json_.StartArray();
    attribute("kefu.api", span.api);
    if (!span.model.empty()) attribute("kefu.model", span.model);
    if (!span.version.empty()) attribute("kefu.version", span.version);
    if (span.interface == "grpc") {
      attribute("rpc.system", "grpc");
      attribute("rpc.service", "inference.GRPCInferenceService");
      attribute("rpc.method", "ModelInfer");
      attribute("rpc.grpc.status_code", grpc_status(span.failure));
    } else {
      attribute("http.request.method", "POST");
      attribute("http.route", route_of(span.api));
      attribute("http.response.status_code", span.failure ? http_status(*span.failure) : 200);
    }
    if (span.failure) attribute("error.type", code_name(*span.failure));
    json_.EndArray();
    json_.Key("status");
    json_.StartObject();
    json_.Key("code");
    json_.Int(span.failure && http_status(*span.failure) >= 500 ? kError : kUnset);
    json_.EndObject();
    json_.EndObject();
    for (std::size_t stage = 0; stage < std::size(kStages); ++stage) write(span, stage);
  }

 private:
  static std::string_view route_of(std::string_view api) {
    if (api == "native") return "/model/parse";
    return api == "openai" ? "/v1/embeddings" : "/v2/models/{model}/infer";
  }

  static std::string name_of(const Span& span) {
    if (span.interface == "grpc") return "inference.GRPCInferenceService/ModelInfer";
    return "POST " + std::string(route_of(span.api));
  }

  void write(const Span& span, std::size_t number) {
    const Stage& stage = kStages[number];
    const runtime::Time from = span.moments.*stage.begin;
    runtime::Time to = stage.end != nullptr ? span.moments.*stage.end : span.ended;
    if (from == runtime::Time()) return;  // not reached
    if (to == runtime::Time()) {
      if (number == 0) return;  // what was refused before it waited was not tokenised
      to = span.ended;          // it waited to its end
    }
    begin(span.context, stage_id(span.context.span, number), span.context.span, stage.name, kInternal, from,
          to);
    json_.EndObject();
  }

  /// All but the closing bracket.
  void begin(const TraceContext& trace, std::uint64_t id, std::uint64_t parent, std::string_view name,
             Kind kind, runtime::Time from, runtime::Time to) {
    json_.StartObject();
    write_member(json_, "traceId", fmt::format("{:016x}{:016x}", trace.trace_high, trace.trace_low));
    write_member(json_, "spanId", fmt::format("{:016x}", id));
    if (parent != 0) write_member(json_, "parentSpanId", fmt::format("{:016x}", parent));
    write_member(json_, "name", name);
    json_.Key("kind");
    json_.Int(kind);
    write_member(json_, "startTimeUnixNano", nanoseconds(from));
    write_member(json_, "endTimeUnixNano", nanoseconds(to));
  }

  /// 64-bit integers are text in Protobuf's JSON.
  std::string nanoseconds(runtime::Time time) const {
    return std::to_string((std::chrono::nanoseconds(time.time_since_epoch()) + wall_).count());
  }

  void attribute(std::string_view key, std::string_view value) { attribute(key, "stringValue", value); }
  void attribute(std::string_view key, int value) { attribute(key, "intValue", std::to_string(value)); }

  void attribute(std::string_view key, std::string_view type, std::string_view value) {
    json_.StartObject();
    write_member(json_, "key", key);
    json_.Key("value");
    json_.StartObject();
    write_member(json_, type, value);
    json_.EndObject();
    json_.EndObject();
  }

  JsonWriter& json_;
  std::chrono::nanoseconds wall_;
};

void write_resource(JsonWriter& json, std::string_view service_name) {
  json.Key("resource");
  json.StartObject();
  json.Key("attributes");
  json.StartArray();
  for (const auto& [key, value] :
       {std::pair<std::string_view, std::string_view>{"service.name", service_name},
        {"service.version", version()}}) {
    json.StartObject();
    write_member(json, "key", key);
    json.Key("value");
    json.StartObject();
    write_member(json, "stringValue", value);
    json.EndObject();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

std::string write_otlp(std::span<const Span> spans, std::string_view service_name,
                       std::chrono::nanoseconds wall) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  json.Key("resourceSpans");
  json.StartArray();
  json.StartObject();
  write_resource(json, service_name);
  json.Key("scopeSpans");
  json.StartArray();
  json.StartObject();
  json.Key("scope");
  json.StartObject();
  write_member(json, "name", "kefu");
  json.EndObject();
  json.Key("spans");
  json.StartArray();
  Writer writer(json, wall);
  for (const Span& span : spans) writer.write(span);
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.EndObject();
  return written.str();
}

}  // namespace kefu::tracing
