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

/// One after another; answers that are missing differ.
template <typename Intents>
Agreement compare_intents(const Intents& a, const Intents& b) {
  Agreement all;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
    ++(i < a.size() && i < b.size() && a[i] == b[i] ? all.agreed : all.differed);
  return all;
}

std::vector<std::string> intents_of(const std::vector<nlu::ParseReply>& replies) {
  std::vector<std::string> intents;
  for (const nlu::ParseReply& reply : replies) intents.push_back(reply.intent.name);
  return intents;
}

const ModelRef& canary_of(const Selection& chosen) {
  return chosen.label == kCanaryLabel ? chosen.model : chosen.shadow;
}

void keep(Record& record, const Agreement& seen) {
  record.shadowed(Shadowed::kAgreed, seen.agreed);
  record.shadowed(Shadowed::kDiffered, seen.differed);
}

}  // namespace

Agreement compare(const oip::InferReply& a, const oip::InferReply& b) {
  const auto intent = std::ranges::find(a.outputs, "intent", &oip::Tensor::name);
  const auto other = std::ranges::find(b.outputs, "intent", &oip::Tensor::name);
  if (intent != a.outputs.end() && other != b.outputs.end())
    return compare_intents(oip::bytes_elements(*intent), oip::bytes_elements(*other));
  const bool agrees = std::ranges::equal(
      a.outputs, b.outputs, [](const oip::Tensor& one, const oip::Tensor& two) { return agree(one, two); });
  return agrees ? Agreement{.agreed = 1} : Agreement{.differed = 1};
}

InferDone with_shadow(const Selection& chosen, const oip::InferRequest& request, InferDone done) {
  if (!chosen.shadow) return done;
  return [shadow = chosen.shadow, canary = canary_of(chosen), room = chosen.shadow_room, copy = request,
          done = std::move(done)](Result<oip::InferReply> reply) {
    if (!reply) return done(std::move(reply));
    const auto heard = std::make_shared<const oip::InferReply>(*reply);
    done(std::move(reply));
    shadow->infer(copy, shadow_call(shadow), [canary, room, heard](const Result<oip::InferReply>& unheard) {
      if (!unheard) return canary->record().shadowed(Shadowed::kFailed, 1);
      keep(canary->record(), compare(*heard, *unheard));
    });
  };
}

nlu::ParseDone with_shadow(const Selection& chosen, const std::vector<nlu::ParseRequest>& texts,
                           nlu::ParseDone done) {
  if (!chosen.shadow) return done;
  return [shadow = chosen.shadow, canary = canary_of(chosen), room = chosen.shadow_room, copy = texts,
          done = std::move(done)](Result<std::vector<nlu::ParseReply>> replies) {
    if (!replies) return done(std::move(replies));
    const std::vector<std::string> heard = intents_of(*replies);
    done(std::move(replies));
    shadow->parse(copy, shadow_call(shadow),
                  [canary, room, heard](const Result<std::vector<nlu::ParseReply>>& unheard) {
                    if (!unheard) return canary->record().shadowed(Shadowed::kFailed, heard.size());
                    keep(canary->record(), compare_intents(heard, intents_of(*unheard)));
                  });
  };
}

}  // namespace kefu::hosting
