#include "serve/v2_infer_endpoint.h"

#include <algorithm>
#include <charconv>

#include "hosting/infer.h"
#include "oip/infer_json.h"
#include "serve/error_reply.h"
#include "serve/http_call.h"
#include "serve/http_fields.h"
#include "serve/v2_reply.h"
#include "serve/visit_headers.h"

namespace kefu::serve {
namespace {

/// The length of the JSON before the tensors; none: all of it.
Result<std::optional<std::size_t>> json_length(const HttpRequest& request) {
  const std::string& field = request.inference_header_length;
  if (field.empty()) return std::nullopt;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), length);
  if (error != std::errc() || end != field.data() + field.size()) {
    return fail(Code::kInvalidArgument, "Inference-Header-Content-Length must be a plain decimal number");
  }
  return std::optional(length);
}

/// The shape of an input that is all of a body of so many bytes.
Result<std::vector<std::int64_t>> raw_shape(const oip::TensorMetadata& input, std::size_t bytes,
                                            bool has_rows) {
  std::vector<std::int64_t> shape = input.shape;
  if (has_rows && !shape.empty()) shape[0] = 1;
  if (input.datatype == oip::DataType::kBytes) {
    std::ranges::replace(shape, -1, 1);
    return shape;
  }
  std::size_t known = oip::element_size(input.datatype);
  for (const std::int64_t dimension : shape) known *= dimension < 0 ? 1 : static_cast<std::size_t>(dimension);
  const auto open = std::ranges::find(shape, -1);
  if (open == shape.end()) return shape;
  if (std::ranges::count(shape, -1) > 1 || known == 0 || bytes % known != 0) {
    return fail(
        Code::kInvalidArgument,
        "a raw body of {} bytes does not tell the shape of input '{}'; send Inference-Header-Content-Length "
        "and JSON with the shape",
        bytes, input.name);
  }
  *open = static_cast<std::int64_t>(bytes / known);
  return shape;
}

/// A body that is the one input and nothing else.
Result<oip::InferRequest> raw_request(std::string_view body, const hosting::ModelDescription& model) {
  const auto& inputs = model.metadata.inputs;
  if (std::ranges::count_if(inputs, [](const auto& input) { return !input.optional; }) != 1) {
    return fail(Code::kInvalidArgument, "a raw body is one input, but the model '{}' has {}", model.name(),
                inputs.size());
  }
  const oip::TensorMetadata& input = inputs.front();
  oip::InferRequest request;
  request.parameters["binary_data_output"] = true;
  oip::Tensor tensor{input.name, input.datatype, {}, {}, {}};
  KEFU_ASSIGN(tensor.shape, raw_shape(input, body.size(), model.max_batch_size > 0));
  if (input.datatype == oip::DataType::kBytes) {
    oip::append_bytes_element(body, tensor.data);
  } else {
    tensor.data = body;
  }
  KEFU_ASSIGN(const std::size_t elements,
              oip::element_count(tensor.name, tensor.shape, oip::InferLimits().max_elements));
  KEFU_CHECK(oip::check_data(tensor, elements));
  request.inputs.push_back(std::move(tensor));
  return request;
}

Result<HttpResponse> infer_response(const Result<oip::InferReply>& reply, const oip::InferRequest& outputs) {
  KEFU_CHECK(reply);
  KEFU_ASSIGN(auto body, oip::write_infer_json(*reply, outputs));
  HttpResponse response;
  response.body = std::move(body.bytes);
  if (const std::optional<std::size_t> json_bytes = body.json_bytes) {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Inference-Header-Content-Length", std::to_string(*json_bytes));
  }
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

bool is_infer_media_type(std::string_view content_type) {
  return content_type.empty() || is_json_media_type(content_type) ||
         content_type.starts_with("application/octet-stream");
}

/// What is asked, of whom.
struct AskedInfer {
  hosting::Selection chosen;
  oip::InferRequest request;
  runtime::Call call;
};

Result<AskedInfer> read_asked(const Services& services, const HttpRequest& http,
                              const hosting::VisitPtr& visit) {
  hosting::Selector wanted{.model = http.path_values.at(0), .label = http.label, .key = http.sticky_key};
  if (http.path_values.size() > 1) wanted.version = http.path_values[1];
  AskedInfer asked;
  KEFU_ASSIGN(asked.call, call_of(http, visit));
  KEFU_ASSIGN(const auto length, json_length(http));
  if (length == 0U) {
    KEFU_ASSIGN(asked.chosen, visit->select(services.models, wanted, http.body.size()));
    KEFU_ASSIGN(asked.request, raw_request(http.body, asked.chosen.model->description()));
  } else {
    KEFU_ASSIGN(asked.request, oip::read_infer_json(http.body, length, {}));
    KEFU_ASSIGN(wanted, hosting::with_parameters(wanted, asked.request.parameters));
    KEFU_ASSIGN(asked.chosen, visit->select(services.models, wanted, http.body.size()));
  }
  asked.call.is_judged = asked.chosen.by_share;
  asked.request.model = asked.chosen.model->description().name();
  return asked;
}

void infer(const Services& services, const RequestPtr& http, const Respond& respond) {
  const auto visit = services.entrance.enter(hosting::Entry::kV2Http, http->received, trace_fields(*http));
  if (!visit) return respond([http, error = visit.error()] { return error_response(*http, error); });
  if (!is_infer_media_type(http->content_type)) {
    return respond(refused(*visit, Code::kInvalidArgument, [http] {
      return error_response(*http, 415, "send Content-Type: application/json or application/octet-stream");
    }));
  }
  auto asked = read_asked(services, *http, *visit);
  if (!asked) {
    return respond(refused(*visit, asked.error().code,
                           [http, error = asked.error()] { return error_response(*http, error); }));
  }
  oip::InferRequest form;  // of the reply: what the request says of it
  form.parameters = asked->request.parameters;
  form.outputs = asked->request.outputs;
  hosting::infer(
      asked->chosen, std::move(asked->request), asked->call,
      [http, visit = *visit, form = std::move(form), respond](Result<oip::InferReply> reply) mutable {
        respond([http, visit, form = std::move(form), reply = std::move(reply)] {
          auto written = infer_response(reply, form);
          visit->end(written ? std::nullopt : std::optional(written.error().code));
          HttpResponse response = written ? *std::move(written) : error_response(*http, written.error());
          add_visit_headers(*visit, response);
          return response;
        });
      });
}

}  // namespace

Handler make_infer_endpoint(const Services& services) {
  return [services](const RequestPtr& request, const Respond& respond) { infer(services, request, respond); };
}

}  // namespace kefu::serve
