#include "train/metrics.h"

#include <memory>

#include <gtest/gtest.h>

namespace kefu::train {
namespace {

struct Slot {
  const char* name;
  const char* role;
  text::Span span;
};

// Labelled texts with their verdicts; the examples live as long as this.
class Sheet {
 public:
  void add(const char* expected, const char* got, float confidence = 0.5F, float scope = 0,
           bool rejected = false) {
    Example& example = *examples_.emplace_back(std::make_unique<Example>());
    example.intent = expected;
    nlu::ParseReply reply;
    reply.ranking = {{nlu::kFallbackIntent, "", 0.99F}};
    if (*got != '\0') reply.ranking.push_back({got, "", confidence});
    reply.out_of_scope = {scope, rejected};
    judged.push_back(judge(example, reply));
  }

  void add_slots(const std::vector<Slot>& expected, const std::vector<Slot>& found) {
    add("a", "a");
    for (const Slot& slot : expected) {
      examples_.back()->entities.push_back({slot.name, slot.role, "", "", slot.span});
    }
    for (const Slot& slot : found) {
      judged.back().reply.entities.push_back({slot.name, slot.role, "", "", slot.span, 1});
    }
  }

  std::vector<Judged> judged;

 private:
  std::vector<std::unique_ptr<Example>> examples_;
};

TEST(Judge, TakesTheBestThatIsNotTheFallback) {
  const Example example;
  nlu::ParseReply reply;
  reply.ranking = {{"nlu_fallback", "", 0.9F}, {"a", "", 0.02F}, {"b", "", 0.08F}};
  const Judged judged = judge(example, reply);
  EXPECT_EQ(judged.in_scope_best, "b");
  EXPECT_FLOAT_EQ(judged.in_scope_confidence, 0.08F);
  EXPECT_EQ(judge(example, {}).in_scope_best, "");
}

TEST(IntentFigures, MacroF1CountsLabelsAndAnswersOnly) {
  Sheet sheet;
  sheet.add("a", "a");
  sheet.add("a", "a");
  sheet.add("a", "b");
  sheet.add("b", "b");
  sheet.add("b", "c");          // c is never right: F1 0, but it counts
  sheet.add(kOutOfScope, "d");  // not a class
  const IntentFigures figures = intent_figures(sheet.judged);
  EXPECT_DOUBLE_EQ(*figures.accuracy, 0.6);
  // a: 2 tp, 0 fp, 1 fn -> 4/5; b: 1, 1, 1 -> 1/2; c: 0, 1, 0 -> 0. Mean 1.3/3.
  EXPECT_DOUBLE_EQ(*figures.macro_f1, 1.3 / 3);
  EXPECT_EQ(figures.intents.size(), 3u);
  EXPECT_EQ(figures.intents.at("a"), (Tally{2, 0, 1}));
  EXPECT_EQ(figures.intents.at("b"), (Tally{1, 1, 1}));
  EXPECT_EQ(figures.intents.at("c"), (Tally{0, 1, 0}));
  EXPECT_FALSE(figures.intents.at("c").recall());
  EXPECT_DOUBLE_EQ(*figures.intents.at("c").precision(), 0);
}

TEST(IntentFigures, NoAnswerIsAMissAndNoClass) {
  Sheet sheet;
  sheet.add("a", "");
  sheet.add("a", "a");
  const IntentFigures figures = intent_figures(sheet.judged);
  EXPECT_DOUBLE_EQ(*figures.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(*figures.macro_f1, 2.0 / 3);
  EXPECT_EQ(figures.intents.size(), 1u);
  EXPECT_EQ(figures.confusions, (std::vector<Confusion>{{"a", "", 1}}));
}

TEST(IntentFigures, ConfusionsByCountThenName) {
  Sheet sheet;
  for (const char* got : {"c", "b", "c", "d"}) sheet.add("a", got);
  EXPECT_EQ(intent_figures(sheet.judged).confusions,
            (std::vector<Confusion>{{"a", "c", 2}, {"a", "b", 1}, {"a", "d", 1}}));
  EXPECT_FALSE(intent_figures({}).accuracy);
  EXPECT_FALSE(intent_figures({}).macro_f1);
}

struct SlotCase {
  const char* name;
  std::vector<Slot> expected;
  std::vector<Slot> found;
  Tally overall;
  Tally with_role;
};

TEST(SlotFigures, CountsAsSeqevalDoes) {
  const std::vector<SlotCase> cases = {
      {"right", {{"city", "", {0, 3}}}, {{"city", "", {0, 3}}}, {1, 0, 0}, {1, 0, 0}},
      {"one end off is a miss and a false alarm",
       {{"city", "", {0, 3}}},
       {{"city", "", {0, 4}}},
       {0, 1, 1},
       {0, 1, 1}},
      {"other entity", {{"city", "", {0, 3}}}, {{"date", "", {0, 3}}}, {0, 1, 1}, {0, 1, 1}},
      {"one for two neighbours",
       {{"city", "", {0, 3}}, {"city", "", {3, 6}}},
       {{"city", "", {0, 6}}},
       {0, 1, 2},
       {0, 1, 2}},
      {"wrong role", {{"city", "from", {0, 3}}}, {{"city", "to", {0, 3}}}, {1, 0, 0}, {0, 1, 1}},
      {"missing role", {{"city", "from", {0, 3}}}, {{"city", "", {0, 3}}}, {1, 0, 0}, {0, 1, 1}},
      {"found twice counts once",
       {{"city", "", {0, 3}}},
       {{"city", "", {0, 3}}, {"city", "", {0, 3}}},
       {1, 0, 0},
       {1, 0, 0}},
      {"nothing there", {}, {}, {0, 0, 0}, {0, 0, 0}},
      {"false alarm", {}, {{"city", "", {0, 3}}}, {0, 1, 0}, {0, 1, 0}},
  };
  for (const SlotCase& one : cases) {
    Sheet sheet;
    sheet.add_slots(one.expected, one.found);
    const SlotFigures figures = slot_figures(sheet.judged);
    EXPECT_EQ(figures.overall, one.overall) << one.name;
    EXPECT_EQ(figures.with_role, one.with_role) << one.name;
  }
}

TEST(SlotFigures, MicroOverTextsAndByEntity) {
  Sheet sheet;
  sheet.add_slots({{"city", "", {0, 3}}, {"date", "", {5, 9}}}, {{"city", "", {0, 3}}});
  // The same span in another text is another slot.
  sheet.add_slots({{"city", "", {4, 6}}}, {{"city", "", {0, 3}}, {"city", "", {4, 6}}});
  sheet.add(kOutOfScope, "a");
  sheet.judged.back().reply.entities = {{"city", "", "", "", {0, 3}, 1}};  // not labelled, not counted
  const SlotFigures figures = slot_figures(sheet.judged);
  EXPECT_EQ(figures.overall, (Tally{2, 1, 1}));
  EXPECT_DOUBLE_EQ(*figures.overall.f1(), 2.0 / 3);
  EXPECT_EQ(figures.entities.at("city"), (Tally{2, 1, 0}));
  EXPECT_EQ(figures.entities.at("date"), (Tally{0, 0, 1}));
  EXPECT_FALSE(figures.entities.at("date").precision());
  EXPECT_FALSE(slot_figures({}).overall.f1());
}

TEST(SlotErrors, AWrongRoleIsOneOfEach) {
  Sheet sheet;
  sheet.add_slots({{"date", "", {8, 9}}, {"city", "from", {0, 3}}},
                  {{"city", "to", {0, 3}}, {"date", "", {8, 9}}});
  const std::vector<SlotError> errors = slot_errors(sheet.judged[0]);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_TRUE(errors[0].missed);
  EXPECT_EQ(errors[0].role, "from");
  EXPECT_FALSE(errors[1].missed);
  EXPECT_EQ(errors[1].role, "to");
  EXPECT_EQ(errors[1].span, (text::Span{0, 3}));
}

TEST(Auroc, ATieCountsOneHalf) {
  using List = std::vector<double>;
  const struct {
    List positives, negatives;
    double expected;
  } cases[] = {
      {{0.9, 0.8}, {0.1, 0.2}, 1},
      {{0.1}, {0.9}, 0},
      {{0.5, 0.5}, {0.5}, 0.5},
      // Pairs: .8>.4 .8>.5 .8>.1 | .5>.4 .5=.5 .5>.1 | .3<.4 .3<.5 .3>.1 -> 6.5 of 9
      {{0.8, 0.5, 0.3}, {0.4, 0.5, 0.1}, 6.5 / 9},
  };
  for (const auto& one : cases) EXPECT_DOUBLE_EQ(*auroc(one.positives, one.negatives), one.expected);
  EXPECT_FALSE(auroc({}, List{1}));
  EXPECT_FALSE(auroc(List{1}, {}));
}

TEST(Rejection, ByDecisionAndByThreshold) {
  Sheet sheet;
  sheet.add("a", "a", 0.5F, 0.25F, false);
  sheet.add("a", "a", 0.5F, 0.5F, true);
  sheet.add("a", "b", 0.5F, 0.125F, false);
  sheet.add("a", "b", 0.5F, 0.375F, false);
  sheet.add(kOutOfScope, "a", 0.5F, 0.75F, true);
  sheet.add(kOutOfScope, "a", 0.5F, 0.25F, false);
  const Rejection decided = rejection_by_decision(sheet.judged);
  EXPECT_DOUBLE_EQ(*decided.out_of_scope_recall, 0.5);
  EXPECT_DOUBLE_EQ(*decided.in_scope_kept, 0.75);
  const struct {
    double share, threshold, recall, kept;
  } cases[] = {{0, 0.125, 1, 0.25},
               {0.5, 0.25, 0.5, 0.5},
               {0.51, 0.375, 0.5, 0.75},
               {0.75, 0.375, 0.5, 0.75},
               {1, 0.5, 0.5, 1}};
  for (const auto& one : cases) {
    EXPECT_EQ(*threshold_keeping(sheet.judged, one.share), one.threshold);
    const Rejection at = rejection_at(sheet.judged, one.threshold);
    EXPECT_DOUBLE_EQ(*at.out_of_scope_recall, one.recall) << one.share;
    EXPECT_DOUBLE_EQ(*at.in_scope_kept, one.kept) << one.share;
  }
  EXPECT_FALSE(threshold_keeping({}, 0.5));
  EXPECT_FALSE(rejection_by_decision({}).in_scope_kept);
}

TEST(Calibration, EqualMassBins) {
  const std::vector<Forecast> forecasts = {{0.9, true}, {0.2, false}, {0.6, true}, {0.7, false}, {0.4, true}};
  // Two bins: {0.2, 0.4} confidence 0.3, accuracy 0.5; {0.6, 0.7, 0.9} confidence 2.2/3, accuracy 2/3.
  const std::vector<ReliabilityBin> bins = reliability_bins(forecasts, 2);
  ASSERT_EQ(bins.size(), 2u);
  EXPECT_EQ(bins[0].count, 2u);
  EXPECT_DOUBLE_EQ(bins[0].confidence, 0.3);
  EXPECT_DOUBLE_EQ(bins[0].accuracy, 0.5);
  EXPECT_DOUBLE_EQ(bins[1].least, 0.6);
  EXPECT_DOUBLE_EQ(bins[1].most, 0.9);
  EXPECT_NEAR(*calibration_error(bins), 0.4 * 0.2 + 0.6 * (0.2 / 3), 1e-12);
}

TEST(Calibration, EqualConfidencesShareABin) {
  const std::vector<Forecast> forecasts = {{1, true},  {1, true}, {0.5, true},
                                           {1, false}, {1, true}, {1, true}};
  const std::vector<ReliabilityBin> bins = reliability_bins(forecasts, 3);
  ASSERT_EQ(bins.size(), 1u);  // the first bin, {0.5, 1}, takes the other ones too
  EXPECT_EQ(bins[0].count, 6u);
  EXPECT_NEAR(*calibration_error(bins), 5.5 / 6 - 5.0 / 6, 1e-12);
  EXPECT_EQ(reliability_bins({{0.25, true}, {0.5, false}}, 15).size(), 2u);
  EXPECT_TRUE(reliability_bins({}, 15).empty());
  EXPECT_FALSE(calibration_error({}));
}

}  // namespace
}  // namespace kefu::train
