#include "hosting/nlu_infer.h"

#include <algorithm>

#include "nlu/entity_json.h"
#include "nlu/text_check.h"

namespace kefu::hosting {
namespace {

using oip::DataType;
using oip::Tensor;

/// An output and what it says of a reply.
struct Output {
  const char* name;
  DataType datatype;
  bool is_wide;  // [rows, intents] instead of [rows, 1]
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
         oip::append_bytes_element(nlu::write_entities(reply), data);
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
  if (count > oip::kMaxRows)
    return fail(Code::kOutOfRange, "input 'text' has {} rows; at most {} are read", count, oip::kMaxRows);
  for (const std::string_view element : oip::bytes_elements(*text)) {
    KEFU_CHECK(nlu::check_text(fmt::format("row {} of input 'text'", rows.size()), element, max_code_points));
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
      KEFU_ASSIGN(rows[row++].language, nlu::read_language_code(element));
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

oip::InferReply make_reply(const ModelDescription& model, std::string id,
                           const std::vector<const Output*>& wanted,
                           const std::vector<nlu::ParseReply>& replies) {
  oip::InferReply out{model.name(), model.version(), std::move(id), {}, {}};
  for (const Output* output : wanted) {
    const std::int64_t width = output->is_wide ? std::ssize(model.intents) : 1;
    Tensor tensor{output->name, output->datatype, {std::ssize(replies), width}, {}, {}};
    for (const nlu::ParseReply& reply : replies) output->append(reply, tensor.data);
    out.outputs.push_back(std::move(tensor));
  }
  return out;
}

}  // namespace

oip::ModelMetadata nlu_metadata(const std::string& name, const std::string& version, std::size_t intents) {
  oip::ModelMetadata metadata{name, {version}, "kefu_nlu", {}, {}};
  metadata.inputs = {{"text", DataType::kBytes, {-1, 1}, false},
                     {"language", DataType::kBytes, {-1, 1}, true}};
  for (const Output& output : outputs()) {
    const auto width = output.is_wide ? static_cast<std::int64_t>(intents) : 1;
    metadata.outputs.push_back({output.name, output.datatype, {-1, width}, false});
  }
  return metadata;
}

void infer_nlu(ServedModel& model, const oip::InferRequest& request, std::size_t max_code_points,
               const runtime::Call& call, InferDone done) {
  auto rows = read_rows(request, max_code_points);
  if (!rows) return done(tl::unexpected(rows.error()));
  auto wanted = wanted_outputs(request);
  if (!wanted) return done(tl::unexpected(wanted.error()));
  const ModelDescription& description = model.description();  // the model outlives its answers
  if (rows->empty()) return done(make_reply(description, request.id, *wanted, {}));
  model.parse(*std::move(rows), call,
              [&description, id = request.id, wanted = *std::move(wanted),
               done = std::move(done)](const Result<std::vector<nlu::ParseReply>>& replies) {
                if (!replies) return done(tl::unexpected(replies.error()));
                done(make_reply(description, id, wanted, *replies));
              });
}

}  // namespace kefu::hosting
