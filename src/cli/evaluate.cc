#include <iostream>

#include "base/file.h"
#include "cli/command.h"
#include "cli/load_model.h"
#include "cli/read_data.h"
#include "train/evaluation_html.h"
#include "train/evaluation_json.h"
#include "train/evaluation_table.h"

namespace kefu::cli {
namespace {

struct EvaluateOptions {
  std::vector<std::string> data;
  std::vector<std::string> validation;
  std::vector<std::string> exclude;
  std::string model;
  std::string json;
  std::string html;
  double kept = 0.96;
};

Result<std::vector<train::Judged>> judge_all(Parser& parser, const train::Dataset& data) {
  std::vector<train::Judged> judged;
  for (const train::Example& example : data.examples) {
    KEFU_ASSIGN(nlu::ParseReply reply, parser.parse({example.text, ""}));
    judged.push_back(train::judge(example, std::move(reply)));
  }
  return judged;
}

Result<train::Dataset> read_unseen(const EvaluateOptions& options) {
  KEFU_ASSIGN(train::Dataset data, read_test_data(options.data));
  if (options.exclude.empty()) return data;
  KEFU_ASSIGN(const train::Dataset seen, read_seen_data(options.exclude));
  const std::size_t removed = train::remove_seen(seen, data);
  std::cout << fmt::format("left out {} texts that occur in the excluded data; {} remain\n", removed,
                           data.examples.size());
  return data;
}

Result<void> evaluate(const SettingsSource& source, const EvaluateOptions& options) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  KEFU_ASSIGN(auto model,
              load_model(settings, options.model.empty() ? settings.default_model : options.model));
  KEFU_ASSIGN(Parser parser, Parser::create(std::move(model)));
  KEFU_ASSIGN(const train::Dataset data, read_unseen(options));
  KEFU_ASSIGN(const std::vector<train::Judged> judged, judge_all(parser, data));
  KEFU_ASSIGN(const train::Dataset validation_data, read_test_data(options.validation));
  KEFU_ASSIGN(const std::vector<train::Judged> validation, judge_all(parser, validation_data));
  const train::Evaluation evaluation =
      train::evaluate(judged, {.share_kept = options.kept, .threshold = {}, .validation = validation});
  std::cout << train::evaluation_table(evaluation);
  if (!options.json.empty()) KEFU_CHECK(write_file(options.json, train::evaluation_json_text(evaluation)));
  if (!options.html.empty()) KEFU_CHECK(write_file(options.html, train::evaluation_html(evaluation, judged)));
  return {};
}

}  // namespace

void add_evaluate(CLI::App& app, Result<void>& outcome) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command = app.add_subcommand("evaluate", "Measure a model on labelled texts");
  command
      ->add_option("data", options->data,
                   "domain folders, or FORMAT:PATH[#SPLIT]: rasa, banking, bitext, clinc, conll, snips")
      ->required();
  command->add_option("--validation", options->validation,
                      "data the out-of-scope threshold is taken from; the test data if not given");
  command->add_option(
      "--exclude", options->exclude,
      "leave out texts that occur in this data, or translate one that does: the training data");
  command->add_option("--model", options->model, "model name; models.default if not given");
  command->add_option("--keep", options->kept, "share of in-scope texts kept")
      ->check(CLI::Range(0.5, 1.0))
      ->capture_default_str();
  command->add_option("--json", options->json, "write the figures to this file");
  command->add_option("--html", options->html, "write a report to this file");
  auto source = add_settings_options(*command);
  command->callback([=, &outcome] { outcome = evaluate(*source, *options); });
}

}  // namespace kefu::cli
