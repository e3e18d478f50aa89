#include "serve/parse_reply.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/json.h"

namespace kefu::serve {
namespace {

using namespace std::chrono_literals;

TEST(ParseReply, RasaShapeWithAdditions) {
  nlu::ParseReply reply;
  reply.text = "Wo ist #12?";
  reply.intent = {"order_status", "ecommerce", 0.9f};
  reply.ranking = {{"order_status", "ecommerce", 0.9f}, {"refund", "ecommerce", 0.1f}};
  reply.entities = {{"order_id", "main", "", "12", {8, 10}, 0.75f}};
  reply.language = {"de", 0.5f};
  reply.out_of_scope = {0.25f, false};
  reply.model = "shop";
  reply.version = "3";
  reply.timings = {100us, 2us, 1500us, 40us};
  EXPECT_EQ(
      write_parse_reply(reply, 2500us),
      R"({"text":"Wo ist #12?","intent":{"name":"order_status","confidence":0.9},)"
      R"("entities":[{"entity":"order_id","start":8,"end":10,"confidence_entity":0.75,"value":"12",)"
      R"("extractor":"KefuCrf","role":"main"}],)"
      R"("intent_ranking":[{"name":"order_status","confidence":0.9},{"name":"refund","confidence":0.1}],)"
      R"("language":{"code":"de","confidence":0.5},"domain":"ecommerce",)"
      R"("model":{"name":"shop","version":"3"},"out_of_scope":{"score":0.25,"decision":false},)"
      R"("windows":1,"truncated":false,)"
      R"("timings_ms":{"tokenize":0.1,"queue":0.002,"infer":1.5,"heads":0.04,"total":2.5}})");
}

TEST(ParseReply, IsJsonWhateverTheNumbers) {
  nlu::ParseReply reply;
  reply.text = "a\"\n\x01";
  reply.intent.confidence = std::numeric_limits<float>::quiet_NaN();
  reply.out_of_scope.score = std::numeric_limits<float>::infinity();
  const auto json = parse_json(write_parse_reply(reply, 0us), "reply");
  ASSERT_TRUE(json.has_value());
  EXPECT_EQ((*json)["text"], "a\"\n\x01");
  EXPECT_EQ((*json)["intent"]["confidence"], 0.0);
}

}  // namespace
}  // namespace kefu::serve
