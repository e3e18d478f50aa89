#include "serve/nlu_infer.h"

#include <algorithm>

#include "serve/parse_reply.h"
#include "serve/parse_request.h"

namespace kefu::serve {
namespace {

using oip::DataType;
using oip::Tensor;

/// An output and what it says of a reply.
struct Output {
  const char* name;
  DataType datatype;
  bool is_wide;  // [rows, intents] instead of [rows]
  std::function<void(const nlu::ParseReply&, std::string& data)> append;
};

void append_float(float value, std::string& data) {
  data.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

const std::vector<Output>& outputs() {
  using nlu::ParseReply;
  static const std::vector<Output> all{
      {"intent", DataType::kBytes, false,
       [](const ParseReply& reply, std::string& data) {
         oip::append_bytes_element(reply.intent.name, data);
       }},
      {"confidence", DataType::kFp32, false,
       [](const ParseReply& reply, std::string& data) { append_float(reply.intent.confidence, data); }},
      {"scores", DataType::kFp32, true,  // calibrated probabilities, in the order of the package's labels
       [](const ParseReply& reply, std::string& data) {
         for (const float score : reply.scores) append_float(score, data);
       }},
      {"out_of_scope", DataType::kFp32, false,
       [](const ParseReply& reply, std::string& data) { append_float(reply.out_of_scope.score, data); }},
      {"language", DataType::kBytes, false,
       [](const ParseReply& reply, std::string& data) {
         oip::append_bytes_element(reply.language.code, data);
       }},
      {"slots", DataType::kBytes, false,  // JSON, as "entities" of /model/parse
       [](const ParseReply& reply, std::string& data) {
         oip::append_bytes_element(write_entities(reply), data);
       }},
  };
  return all;
}

Result<std::size_t> rows_of(const Tensor& tensor) {
  const auto& shape = tensor.shape;
  const bool is_column = shape.size() == 2 && shape[1] == 1;
  if (tensor.datatype != DataType::kBytes || (shape.size() != 1 && !is_column)) {
    return fail(Code::kInvalidArgument, "input '{}' must be BYTES of shape [rows] or [rows, 1]", tensor.name);
  }
  return static_cast<std::size_t>(shape[0]);
}

Result<std::vector<nlu::ParseRequest>> read_rows(const oip::InferRequest& request,
                                                 std::size_t max_code_points) {
  std::vector<nlu::ParseRequest> rows;
  const auto text = std::ranges::find(request.inputs, "text", &Tensor::name);
  if (text == request.inputs.end()) return fail(Code::kInvalidArgument, "the request has no input 'text'");
  KEFU_ASSIGN(const std::size_t count, rows_of(*text));
  if (count > kMaxInferRows)
    return fail(Code::kOutOfRange, "input 'text' has {} rows; at most {} are read", count, kMaxInferRows);
  for (const std::string_view element : oip::bytes_elements(*text)) {
    KEFU_CHECK(check_text(fmt::format("row {} of input 'text'", rows.size()), element, max_code_points));
    rows.push_back({std::string(element), ""});
  }
  for (const Tensor& input : request.inputs) {
    if (&input == &*text) continue;
    if (input.name != "language") {
      return fail(Code::kInvalidArgument, "there is no input '{}'; the model reads 'text' and 'language'",
                  input.name);
    }
    KEFU_ASSIGN(const std::size_t languages, rows_of(input));
    if (languages != count) {
      return fail(Code::kInvalidArgument, "input 'language' has {} rows, 'text' has {}", languages, count);
    }
    std::size_t row = 0;
    for (const std::string_view element : oip::bytes_elements(input)) {
      KEFU_ASSIGN(rows[row++].language, read_language_code(element));
    }
  }
  return rows;
}

Result<std::vector<const Output*>> wanted_outputs(const oip::InferRequest& request) {
  std::vector<const Output*> wanted;
  for (const oip::RequestedOutput& name : request.outputs) {
    const auto found = std::ranges::find(outputs(), name.name, &Output::name);
    if (found == outputs().end()) {
      return fail(Code::kInvalidArgument, "unexpected inference output '{}' for model '{}'", name.name,
                  request.model);
    }
    wanted.push_back(&*found);
  }
  if (request.outputs.empty()) {
    for (const Output& output : outputs()) wanted.push_back(&output);
  }
  return wanted;
}

oip::InferReply make_reply(const nlu::ModelDescription& model, std::string id,
                           const std::vector<const Output*>& wanted,
                           const std::vector<nlu::ParseReply>& replies) {
  oip::InferReply out{model.name.name, model.name.version, std::move(id), {}, {}};
  for (const Output* output : wanted) {
    Tensor tensor{output->name, output->datatype, {std::ssize(replies)}, {}, {}};
    if (output->is_wide) tensor.shape.push_back(std::ssize(model.intents));
    for (const nlu::ParseReply& reply : replies) output->append(reply, tensor.data);
    out.outputs.push_back(std::move(tensor));
  }
  return out;
}

}  // namespace

oip::ModelMetadata nlu_metadata(const nlu::ModelDescription& model) {
  oip::ModelMetadata metadata{model.name.name, {model.name.version}, "kefu_nlu", {}, {}};
  metadata.inputs = {{"text", DataType::kBytes, {-1}}, {"language", DataType::kBytes, {-1}}};
  for (const Output& output : outputs()) {
    std::vector<std::int64_t> shape{-1};
    if (output.is_wide) shape.push_back(static_cast<std::int64_t>(model.intents.size()));
    metadata.outputs.push_back({output.name, output.datatype, std::move(shape)});
  }
  return metadata;
}

void infer_nlu(nlu::NluService& service, const nlu::ModelDescription& model, const oip::InferRequest& request,
               std::size_t max_code_points, std::function<void(Result<oip::InferReply>)> done) {
  auto rows = read_rows(request, max_code_points);
  if (!rows) return done(tl::unexpected(rows.error()));
  auto wanted = wanted_outputs(request);
  if (!wanted) return done(tl::unexpected(wanted.error()));
  if (rows->empty()) return done(make_reply(model, request.id, *wanted, {}));
  service.parse(model.name.name, *std::move(rows),
                [model, id = request.id, wanted = *std::move(wanted),
                 done = std::move(done)](const Result<std::vector<nlu::ParseReply>>& replies) {
                  if (!replies) return done(tl::unexpected(replies.error()));
                  done(make_reply(model, id, wanted, *replies));
                });
}

}  // namespace kefu::serve
