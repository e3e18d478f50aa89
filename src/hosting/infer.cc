#include "hosting/infer.h"

#include <algorithm>

#include "hosting/shadow.h"
#include "oip/classification.h"

namespace kefu::hosting {
namespace {

/// A parameter that is a whole number; none: it is absent.
Result<std::optional<std::uint64_t>> number_parameter(const oip::Parameters& parameters,
                                                      std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::nullopt;
  if (const auto* number = std::get_if<std::uint64_t>(&found->second)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&found->second); number != nullptr && *number >= 0)
    return static_cast<std::uint64_t>(*number);
  return fail(Code::kInvalidArgument, "the parameter {} must be a whole number of at least 0", name);
}

Result<void> refuse_sequences(const oip::Parameters& parameters) {
  for (const std::string_view name : {"sequence_id", "sequence_start", "sequence_end"}) {
    const auto found = parameters.find(name);
    if (found == parameters.end()) continue;
    const bool is_unset =
        found->second == oip::Parameter(false) || found->second == oip::Parameter(std::int64_t{0}) ||
        found->second == oip::Parameter(std::uint64_t{0}) || found->second == oip::Parameter(std::string());
    if (!is_unset) return fail(Code::kUnimplemented, "sequences are not offered; leave {} out", name);
  }
  return {};
}

Result<void> read_call(const oip::Parameters& parameters, runtime::Call& call) {
  KEFU_CHECK(refuse_sequences(parameters));
  KEFU_ASSIGN(const auto priority, number_parameter(parameters, "priority"));
  if (priority) call.level = *priority;
  constexpr std::uint64_t kDay = 86'400'000'000;
  KEFU_ASSIGN(const auto timeout, number_parameter(parameters, "timeout"));
  if (timeout) call.timeout = std::chrono::microseconds(std::min(*timeout, kDay));
  return {};
}

/// An output to be replaced by its largest values.
struct Classified {
  std::string output;
  std::size_t classes;
};

Result<std::vector<Classified>> read_classified(const oip::InferRequest& request) {
  std::vector<Classified> all;
  for (const oip::RequestedOutput& output : request.outputs) {
    KEFU_ASSIGN(const std::size_t classes, oip::classes_wanted(output));
    if (classes > 0) all.push_back({output.name, classes});
  }
  return all;
}

Result<oip::InferReply> classify(oip::InferReply reply, const std::vector<Classified>& wanted,
                                 const ModelDescription& model) {
  for (const Classified& one : wanted) {
    const auto output = std::ranges::find(reply.outputs, one.output, &oip::Tensor::name);
    const auto& labels = one.output == "scores" ? model.intents : std::vector<std::string>();
    KEFU_ASSIGN(*output, oip::classify(*output, one.classes, labels, model.max_batch_size > 0));
  }
  return reply;
}

/// A parameter that is a string; `otherwise` if it is absent.
Result<std::string_view> string_parameter(const oip::Parameters& parameters, std::string_view name,
                                          std::string_view otherwise) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return otherwise;
  if (const auto* text = std::get_if<std::string>(&found->second)) return *text;
  return fail(Code::kInvalidArgument, "the parameter {} must be a string", name);
}

InferDone telling_release(const Selection& chosen, InferDone done) {
  if (chosen.release.empty()) return done;
  return [label = std::string(chosen.label), release = chosen.release,
          done = std::move(done)](Result<oip::InferReply> reply) {
    if (reply) {
      reply->parameters["kefu_release"] = release;
      reply->parameters["kefu_label"] = label;
    }
    done(std::move(reply));
  };
}

}  // namespace

Result<Selector> with_parameters(Selector selector, const oip::Parameters& parameters) {
  KEFU_ASSIGN(selector.label, string_parameter(parameters, "kefu_label", selector.label));
  KEFU_ASSIGN(selector.key, string_parameter(parameters, "kefu_sticky_key", selector.key));
  return selector;
}

void infer(const Selection& chosen, oip::InferRequest request, runtime::Call call, InferDone done) {
  if (auto read = read_call(request.parameters, call); !read) return done(tl::unexpected(read.error()));
  auto classified = read_classified(request);
  if (!classified) return done(tl::unexpected(classified.error()));
  const ModelRef& model = chosen.model;
  done = telling_release(chosen, std::move(done));
  if (!classified->empty()) {
    done = [model, wanted = *std::move(classified), done = std::move(done)](Result<oip::InferReply> reply) {
      if (!reply) return done(std::move(reply));
      done(classify(*std::move(reply), wanted, model->description()));
    };
  }
  done = with_shadow(chosen, request, std::move(done));  // which compares what the models say
  model->infer(std::move(request), call, std::move(done));
}

}  // namespace kefu::hosting
