#include "hosting/shadow.h"

#include <algorithm>
#include <cstring>

namespace kefu::hosting {
namespace {

/// Behind all others, and of no use once those that came with it are forgotten.
runtime::Call shadow_call(const ModelRef& shadow) {
  runtime::Call call;
  call.level = shadow->description().settings.levels.size();
  call.deadline = call.received + std::chrono::seconds(10);
  return call;
}

std::size_t largest(const oip::Tensor& tensor) {
  std::vector<float> values(tensor.data.size() / sizeof(float));
  std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(float));
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

bool agree(const oip::Tensor& a, const oip::Tensor& b) {
  if (a.name != b.name || a.datatype != b.datatype || a.data.size() != b.data.size()) return false;
  if (a.datatype == oip::DataType::kFp32 && !a.data.empty()) return largest(a) == largest(b);
  return a.data == b.data;
}

void compare(Record& record, bool is_answered, bool agrees) {
  record.shadowed(!is_answered ? Shadowed::kFailed : agrees ? Shadowed::kAgreed : Shadowed::kDiffered);
}

}  // namespace

bool agree(const oip::InferReply& a, const oip::InferReply& b) {
  const auto intent = std::ranges::find(a.outputs, "intent", &oip::Tensor::name);
  if (intent != a.outputs.end()) {
    const auto other = std::ranges::find(b.outputs, "intent", &oip::Tensor::name);
    return other != b.outputs.end() && agree(*intent, *other);
  }
  return std::ranges::equal(a.outputs, b.outputs, [](const oip::Tensor& one, const oip::Tensor& other) {
    return agree(one, other);
  });
}

InferDone with_shadow(const Selection& chosen, const oip::InferRequest& request, InferDone done) {
  if (!chosen.shadow) return done;
  return [shadow = chosen.shadow, room = chosen.shadow_room, copy = request,
          done = std::move(done)](Result<oip::InferReply> reply) {
    if (!reply) return done(std::move(reply));
    const auto heard = std::make_shared<const oip::InferReply>(*reply);
    done(std::move(reply));
    shadow->infer(copy, shadow_call(shadow), [shadow, room, heard](const Result<oip::InferReply>& unheard) {
      compare(shadow->record(), unheard.has_value(), unheard && agree(*heard, *unheard));
    });
  };
}

nlu::ParseDone with_shadow(const Selection& chosen, const std::vector<nlu::ParseRequest>& texts,
                           nlu::ParseDone done) {
  if (!chosen.shadow) return done;
  return [shadow = chosen.shadow, room = chosen.shadow_room, copy = texts,
          done = std::move(done)](Result<std::vector<nlu::ParseReply>> replies) {
    if (!replies) return done(std::move(replies));
    std::vector<std::string> intents;
    for (const nlu::ParseReply& reply : *replies) intents.push_back(reply.intent.name);
    done(std::move(replies));
    shadow->parse(copy, shadow_call(shadow),
                  [shadow, room, intents](const Result<std::vector<nlu::ParseReply>>& unheard) {
                    const auto name = [](const nlu::ParseReply& reply) { return reply.intent.name; };
                    compare(shadow->record(), unheard.has_value(),
                            unheard && std::ranges::equal(intents, *unheard, {}, {}, name));
                  });
  };
}

}  // namespace kefu::hosting
