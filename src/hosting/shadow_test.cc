#include "hosting/shadow.h"

#include <gtest/gtest.h>

namespace kefu::hosting {
namespace {

oip::Tensor intents(const std::vector<std::string>& names) {
  oip::Tensor tensor{.name = "intent", .datatype = oip::DataType::kBytes};
  tensor.shape = {static_cast<std::int64_t>(names.size()), 1};
  for (const std::string& name : names) oip::append_bytes_element(name, tensor.data);
  return tensor;
}

oip::Tensor floats(const std::vector<float>& values) {
  oip::Tensor tensor{.name = "scores", .datatype = oip::DataType::kFp32};
  tensor.shape = {static_cast<std::int64_t>(values.size())};
  tensor.data.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return tensor;
}

oip::InferReply reply(std::vector<oip::Tensor> outputs) {
  oip::InferReply reply;
  reply.outputs = std::move(outputs);
  return reply;
}

TEST(Shadow, TextsAreComparedOneByOneByTheirIntents) {
  const auto three = reply({intents({"greet", "order", "refund"}), floats({0, 1})});
  EXPECT_EQ(compare(three, three), (Agreement{3, 0}));
  EXPECT_EQ(compare(three, reply({floats({1, 0}), intents({"greet", "refund", "refund"})})),
            (Agreement{2, 1}));
  EXPECT_EQ(compare(three, reply({intents({"greet"})})), (Agreement{1, 2}));
}

TEST(Shadow, OtherAnswersAgreeByTheirLargestFloatAndTheirBytes) {
  EXPECT_EQ(compare(reply({floats({1, 3, 2})}), reply({floats({0, 9, 8})})), (Agreement{1, 0}));
  EXPECT_EQ(compare(reply({floats({1, 3, 2})}), reply({floats({9, 3, 2})})), (Agreement{0, 1}));
  EXPECT_EQ(compare(reply({floats({1})}), reply({floats({1}), floats({1})})), (Agreement{0, 1}));
  EXPECT_EQ(compare(reply({intents({"a"})}), reply({floats({1})})), (Agreement{0, 1}));
}

/// Answers every text with its one intent.
class Parrot final : public ServedModel {
 public:
  explicit Parrot(std::string intent) : ServedModel(1), intent_(std::move(intent)) {
    description_.metadata = {"shop", {"1"}, "test", {}, {}};
  }
  const ModelDescription& description() const override { return description_; }
  runtime::StatisticsSnapshot statistics() const override { return {}; }
  void infer(oip::InferRequest, const runtime::Call&, InferDone done) override {
    done(reply({intents({intent_})}));
  }
  void parse(std::vector<nlu::ParseRequest> texts, const runtime::Call&, nlu::ParseDone done) override {
    std::vector<nlu::ParseReply> replies(texts.size());
    for (nlu::ParseReply& one : replies) one.intent.name = intent_;
    done(std::move(replies));
  }
  void embed(std::vector<std::string>, const runtime::Call&, nlu::EmbedDone) override {}

 private:
  ModelDescription description_;
  std::string intent_;
};

TEST(Shadow, WhatIsSeenGoesToTheCanaryWhicheverOfTheTwoItIs) {
  const auto stable = std::make_shared<Parrot>("greet");
  const auto canary = std::make_shared<Parrot>("refund");
  Selection to_stable{.model = stable, .label = kStableLabel, .shadow = canary};
  Selection to_canary{.model = canary, .label = kCanaryLabel, .shadow = stable};
  int heard = 0;
  with_shadow(to_stable, oip::InferRequest(),
              [&](const Result<oip::InferReply>&) { ++heard; })(reply({intents({"greet"})}));
  const std::vector<nlu::ParseRequest> two(2);
  std::vector<nlu::ParseReply> replies(2);
  replies[0].intent.name = "greet";
  replies[1].intent.name = "refund";
  with_shadow(to_canary, two, [&](const Result<std::vector<nlu::ParseReply>>&) { ++heard; })(replies);
  EXPECT_EQ(heard, 2);
  EXPECT_EQ(canary->record().snapshot().shadowed, (std::array<std::uint64_t, kShadowed>{1, 2, 0}));
  EXPECT_EQ(stable->record().snapshot().shadowed, (std::array<std::uint64_t, kShadowed>{}));
}

TEST(Shadow, ARequestThatFailedIsNotRepeated) {
  const auto stable = std::make_shared<Parrot>("greet");
  const auto canary = std::make_shared<Parrot>("refund");
  const Selection chosen{.model = stable, .label = kStableLabel, .shadow = canary};
  int failed = 0;
  with_shadow(chosen, oip::InferRequest(), [&](const Result<oip::InferReply>& outcome) {
    if (!outcome) ++failed;
  })(fail(Code::kUnavailable, "it is closed"));
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(canary->record().snapshot().shadowed, (std::array<std::uint64_t, kShadowed>{}));
}

}  // namespace
}  // namespace kefu::hosting
