#include "train/evaluation_json.h"

namespace kefu::train {
namespace {

Json number(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

Json tally_json(const Tally& tally) {
  return {{"precision", number(tally.precision())},
          {"recall", number(tally.recall())},
          {"f1", number(tally.f1())},
          {"support", tally.support()},
          {"true_positives", tally.true_positives},
          {"false_positives", tally.false_positives},
          {"false_negatives", tally.false_negatives}};
}

Json tallies_json(const std::map<std::string, Tally>& tallies) {
  Json object = Json::object();
  for (const auto& [name, tally] : tallies) object[name] = tally_json(tally);
  return object;
}

Json intent_json(const IntentFigures& intent) {
  Json confusions = Json::array();
  for (const Confusion& pair : intent.confusions) {
    confusions.push_back({{"expected", pair.expected}, {"got", pair.got}, {"count", pair.count}});
  }
  return {{"accuracy", number(intent.accuracy)},
          {"macro_f1", number(intent.macro_f1)},
          {"intents", tallies_json(intent.intents)},
          {"confusions", std::move(confusions)}};
}

Json rejection_json(const Rejection& rejection) {
  return {{"out_of_scope_recall", number(rejection.out_of_scope_recall)},
          {"in_scope_kept", number(rejection.in_scope_kept)}};
}

Json calibration_json(const Figures& figures) {
  Json bins = Json::array();
  for (const ReliabilityBin& bin : figures.bins) {
    bins.push_back({{"count", bin.count},
                    {"least", bin.least},
                    {"most", bin.most},
                    {"confidence", bin.confidence},
                    {"accuracy", bin.accuracy}});
  }
  return {{"expected_calibration_error", number(figures.calibration_error)}, {"bins", std::move(bins)}};
}

Json figures_json(const Figures& figures) {
  return {{"texts", {{"in_scope", figures.in_scope}, {"out_of_scope", figures.out_of_scope}}},
          {"intent", intent_json(figures.intent)},
          {"slots",
           {{"overall", tally_json(figures.slots.overall)},
            {"with_role", tally_json(figures.slots.with_role)},
            {"entities", tallies_json(figures.slots.entities)}}},
          {"out_of_scope",
           {{"auroc", number(figures.scope_auroc)},
            {"decision", rejection_json(figures.decided)},
            {"at_threshold", rejection_json(figures.at_threshold)}}},
          {"calibration", calibration_json(figures)}};
}

}  // namespace

Json evaluation_json(const Evaluation& evaluation) {
  Json languages = Json::object();
  for (const auto& [language, figures] : evaluation.languages) languages[language] = figures_json(figures);
  return {{"threshold",
           {{"value", number(evaluation.threshold)},
            {"source", to_string(evaluation.threshold_source)},
            {"share_kept", evaluation.share_kept}}},
          {"overall", figures_json(evaluation.overall)},
          {"languages", std::move(languages)}};
}

std::string evaluation_json_text(const Evaluation& evaluation) {
  return evaluation_json(evaluation).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kefu::train
