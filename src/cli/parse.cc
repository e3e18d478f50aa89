#include <iostream>

#include "cli/command.h"
#include "cli/load_model.h"
#include "serve/parse_reply.h"

namespace kefu::cli {
namespace {

struct ParseOptions {
  std::vector<std::string> texts;
  std::string model;
  std::string language;
};

Result<void> parse_line(Parser& parser, const ParseOptions& options, std::string text) {
  const auto started = std::chrono::steady_clock::now();
  KEFU_ASSIGN(const nlu::ParseReply reply, parser.parse({std::move(text), options.language}));
  const auto total = std::chrono::steady_clock::now() - started;
  std::cout << serve::write_parse_reply(reply, std::chrono::duration_cast<std::chrono::microseconds>(total))
            << std::endl;
  return {};
}

Result<void> parse(const SettingsSource& source, const ParseOptions& options) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  KEFU_ASSIGN(auto model,
              load_model(settings, options.model.empty() ? settings.default_model : options.model));
  KEFU_ASSIGN(Parser parser, Parser::create(std::move(model)));
  for (const std::string& text : options.texts) {
    if (text != "-") {
      KEFU_CHECK(parse_line(parser, options, text));
      continue;
    }
    for (std::string line; std::getline(std::cin, line);)
      KEFU_CHECK(parse_line(parser, options, std::move(line)));
  }
  return {};
}

}  // namespace

void add_parse(CLI::App& app, Result<void>& outcome) {
  auto options = std::make_shared<ParseOptions>();
  CLI::App* command = app.add_subcommand("parse", "Parse texts; write a JSON line for each");
  command->add_option("text", options->texts, "texts; - reads them from standard input, one a line")
      ->required();
  command->add_option("--model", options->model, "model name; models.default if not given");
  command->add_option("--language", options->language,
                      "language of the texts (ISO 639-1); identified if not given");
  auto source = add_settings_options(*command);
  command->callback([=, &outcome] { outcome = parse(*source, *options); });
}

}  // namespace kefu::cli
