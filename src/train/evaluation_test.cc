#include "train/evaluation.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "train/evaluation_html.h"
#include "train/evaluation_json.h"
#include "train/evaluation_table.h"

namespace kefu::train {
namespace {

using testing::HasSubstr;
using testing::Not;

// Labelled texts with their verdicts; the examples live as long as this.
class EvaluationSheet {
 public:
  void add(const char* language, const char* expected, const char* got, float confidence, float scope,
           bool rejected = false) {
    Example& example = *examples_.emplace_back(std::make_unique<Example>());
    example.language = language;
    example.intent = expected;
    nlu::ParseReply reply;
    reply.ranking = {{got, "", confidence}};
    reply.out_of_scope = {scope, rejected};
    judged.push_back(judge(example, reply));
  }

  Example& last() { return *examples_.back(); }

  std::vector<Judged> judged;

 private:
  std::vector<std::unique_ptr<Example>> examples_;
};

EvaluationSheet two_languages() {
  EvaluationSheet sheet;
  sheet.add("en", "a", "a", 0.75F, 0.25F);
  sheet.add("en", kOutOfScope, "a", 0.5F, 0.5F, true);
  sheet.add("zh", "a", "b", 0.25F, 0.5F);
  return sheet;
}

TEST(Evaluate, OverallAndByLanguageAtOneThreshold) {
  const EvaluationSheet sheet = two_languages();
  const Evaluation result = evaluate(sheet.judged, {.share_kept = 0.5});
  EXPECT_EQ(result.threshold_source, ThresholdSource::kTest);
  EXPECT_EQ(*result.threshold, 0.25);
  EXPECT_DOUBLE_EQ(*result.overall.intent.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(*result.overall.scope_auroc, 0.75);
  EXPECT_DOUBLE_EQ(*result.overall.at_threshold.in_scope_kept, 0.5);
  EXPECT_DOUBLE_EQ(*result.overall.calibration_error, 0.25);
  ASSERT_EQ(result.languages.size(), 2u);
  EXPECT_DOUBLE_EQ(*result.languages.at("en").intent.accuracy, 1);
  EXPECT_DOUBLE_EQ(*result.languages.at("en").at_threshold.out_of_scope_recall, 1);
  EXPECT_DOUBLE_EQ(*result.languages.at("zh").at_threshold.in_scope_kept, 0);
  EXPECT_FALSE(result.languages.at("zh").scope_auroc);

  const Evaluation given = evaluate(sheet.judged, {.threshold = 0.9, .validation = sheet.judged});
  EXPECT_EQ(given.threshold_source, ThresholdSource::kGiven);
  EXPECT_DOUBLE_EQ(*given.overall.at_threshold.in_scope_kept, 1);
  const Evaluation validated = evaluate({}, {.share_kept = 1, .validation = sheet.judged});
  EXPECT_EQ(validated.threshold_source, ThresholdSource::kValidation);
  EXPECT_EQ(*validated.threshold, 0.5);
  EXPECT_FALSE(evaluate({}).threshold);
}

TEST(EvaluationJson, FiguresAndNulls) {
  const Json json = evaluation_json(evaluate(two_languages().judged));
  EXPECT_EQ(json["threshold"]["source"], "test");
  EXPECT_EQ(json["overall"]["texts"]["in_scope"], 2);
  EXPECT_EQ(json["overall"]["intent"]["accuracy"], 0.5);
  EXPECT_EQ(json["overall"]["intent"]["confusions"][0]["got"], "b");
  EXPECT_EQ(json["overall"]["calibration"]["bins"].size(), 2u);
  EXPECT_TRUE(json["languages"]["zh"]["out_of_scope"]["auroc"].is_null());
  EXPECT_TRUE(json["overall"]["slots"]["overall"]["f1"].is_null());

  EvaluationSheet broken;
  broken.add("", "\xFF", "a", 1, 0);
  EXPECT_NE(evaluation_json_text(evaluate(broken.judged)).find("\xEF\xBF\xBD"), std::string::npos);
}

TEST(EvaluationTable, ALinePerLanguageAndOneForAll) {
  const std::string table = evaluation_table(evaluate(two_languages().judged, {.threshold = 0.4}));
  EXPECT_EQ(table,
            R"(          texts       intent         slot  +role  calib.    oos  decided         at thr.
language     in  out     acc    mF1    F1     F1     ECE  AUROC   recall   kept   recall   kept
-----------------------------------------------------------------------------------------------
en            1    1   100.0  100.0     -      -    25.0  100.0    100.0  100.0    100.0  100.0
zh            1    0     0.0    0.0     -      -    25.0      -        -  100.0        -    0.0
-----------------------------------------------------------------------------------------------
all           2    1    50.0   33.3     -      -    25.0   75.0    100.0  100.0    100.0   50.0
in per cent; threshold 0.4000 (given)
)");
}

TEST(EvaluationHtml, EscapesAllThatComesFromData) {
  EvaluationSheet sheet;
  sheet.add("<l>", "<script>a&b</script>", "\"><img src=x onerror='1'>", 0.5F, 0.1F);
  sheet.last().text = "<b>\"it's\" &amp; \xE2\x80\xAE\x01\xFF</b><!--";
  sheet.last().origin = {"<f>.yml", 7};
  sheet.last().entities = {{"<e>", "<r>", "", "", {0, 3}}};
  const std::string html =
      evaluation_html(evaluate(sheet.judged), sheet.judged, {.title = "<t>", .data = "<d>"});
  for (const char* bad : {"<b>\"", "<script>a", "<img", "<l>", "<f>", "<e>", "<r>", "<t>", "<d>", "&amp;lt;",
                          "onerror='", "<!--", "\xFF", "\x01"}) {
    EXPECT_THAT(html, Not(HasSubstr(bad)));
  }
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;&quot;it&#39;s&quot; &amp;amp; "));
  EXPECT_THAT(html, HasSubstr("&lt;f&gt;.yml:7"));
}

TEST(EvaluationHtml, NeedsNothingFromOutside) {
  const EvaluationSheet sheet = two_languages();
  const std::string html = evaluation_html(evaluate(sheet.judged), sheet.judged);
  for (const char* outside : {"http:", "https:", "src=", "href=\"/", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(evaluation_html(evaluate({}), {}), HasSubstr("</html>"));
}

TEST(EvaluationHtml, ListsEveryKindOfErrorUpToTheLimit) {
  EvaluationSheet sheet;
  sheet.add("en", "a", "b", 0.5F, 0);
  sheet.add("en", "a", "a", 0.5F, 1, true);
  sheet.add("en", kOutOfScope, "a", 0.5F, 0);
  sheet.add("en", "a", "a", 0.5F, 0);
  sheet.last().text = "to 北京 now";
  sheet.last().entities = {{"city", "to", "", "", {3, 5}}};
  sheet.add("en", "a", "a", 0.5F, 0);
  sheet.last().text = "all right";
  const std::string html = evaluation_html(evaluate(sheet.judged), sheet.judged);
  for (const char* kind : {"wrong intent", "rejected", "accepted", "slots"}) {
    EXPECT_THAT(html, HasSubstr(fmt::format("<span class=\"kind\">{}</span>", kind)));
  }
  EXPECT_THAT(html, HasSubstr("北京"));
  EXPECT_THAT(html, HasSubstr("4 of 5 texts"));
  EXPECT_THAT(html, Not(HasSubstr("all right")));
  EXPECT_THAT(evaluation_html(evaluate(sheet.judged), sheet.judged, {.most_errors = 2}),
              HasSubstr("the first 2 are listed"));
}

}  // namespace
}  // namespace kefu::train
