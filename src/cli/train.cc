#include <chrono>
#include <iostream>

#include <unistd.h>

#include "base/version.h"
#include "cli/command.h"
#include "cli/read_data.h"
#include "train/trainer.h"

namespace kefu::cli {
namespace {

struct TrainOptions {
  std::vector<std::string> data;
  std::string name;
  std::string encoder;
  train::TrainSettings settings;
  bool lenient = false;
  bool if_changed = false;
};

/// A bar on a terminal, a line a phase elsewhere.
void show_progress(std::string_view phase, std::size_t done, std::size_t all) {
  constexpr std::size_t kWidth = 32;
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) {
    const std::size_t filled = done * kWidth / all;
    std::cerr << fmt::format("\r{:<8} [{:#<{}}{:.<{}}] {}/{} {}", phase, "", filled, "", kWidth - filled,
                             done, all, done == all ? "\n" : "");
  } else if (done == all) {
    std::cerr << fmt::format("{}: {} done\n", phase, all);
  }
}

/// Of everything the package depends on: texts, labels, spans, settings, encoder.
std::string source_digest(const train::Dataset& data, const TrainOptions& options,
                          const model::EncoderPackage& encoder) {
  std::string all = fmt::format("{} {} {} {} {} {} {}\n", version(), model::kNluFormat, train::kRevision,
                                encoder.manifest.digest, options.settings.intents.seed,
                                options.settings.intents.folds, options.settings.intents.kept);
  for (const train::Example& example : data.examples) {
    all += Json({example.text, example.intent, example.domain, example.language})
               .dump(-1, ' ', false, Json::error_handler_t::replace);
    for (const train::Entity& e : example.entities) {
      all += fmt::format("|{} {} {} {} {} {}", e.name, e.role, e.group, e.value, e.span.begin, e.span.end);
    }
    all += '\n';
  }
  for (const auto& [form, value] : data.synonyms) all += fmt::format("{}={}\n", form, value);
  all += Json{{"lookups", data.lookups}, {"regexes", data.regexes}}.dump(-1, ' ', false,
                                                                         Json::error_handler_t::replace);
  return sha256_hex(all);
}

/// True if the newest version of the model was made from the same.
bool is_current(const Settings& settings, const std::string& name, const std::string& digest) {
  const auto id = model::find_package(settings.repository, name);
  if (!id) return false;
  const auto manifest = read_json(id->folder / "manifest.json");
  return manifest && manifest->value("source_digest", "") == digest;
}

Result<void> train_model(const SettingsSource& source, const TrainOptions& options) {
  KEFU_ASSIGN(const Settings settings, load_settings(source));
  const std::string name = options.name.empty() ? settings.default_model : options.name;
  const auto started = std::chrono::steady_clock::now();
  KEFU_ASSIGN(const auto languages, text::LanguageIdentifier::load(settings.language_model));
  KEFU_ASSIGN(const train::Dataset data, read_training_data(options.data, *languages, options.lenient));
  KEFU_ASSIGN(auto encoder_package,
              model::load_encoder_package(options.encoder.empty() ? settings.encoder : options.encoder));
  const std::string digest = source_digest(data, options, encoder_package);
  if (options.if_changed && is_current(settings, name, digest)) {
    std::cout << fmt::format("model {} is up to date\n", name);
    return {};
  }
  const std::filesystem::path encoder_folder = encoder_package.folder;
  KEFU_ASSIGN(const auto encoder,
              nlu::TextEncoder::load(std::move(encoder_package), settings.engine, settings.engine_options));
  KEFU_ASSIGN(train::Trained trained, train::train_heads(*encoder, data, options.settings, show_progress));
  trained.details["kefu"] = version();
  trained.details["seed"] = options.settings.intents.seed;
  KEFU_ASSIGN(const model::PackageId id,
              model::publish_package(settings.repository, name,
                                     {.labels = nlu::labels_to_json(trained.heads),
                                      .heads = nlu::heads_to_tensors(trained.heads),
                                      .details = trained.details,
                                      .source_digest = digest,
                                      .encoder = encoder_folder}));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  std::cout << fmt::format("model {} version {}: {} texts, held-out accuracy {:.1f} %, {:.1f} s, in {}\n",
                           id.name, id.version, data.examples.size(),
                           100 * trained.details.value("held_out_accuracy", 0.0), seconds.count(),
                           id.folder.string());
  return {};
}

}  // namespace

void add_train(CLI::App& app, Result<void>& outcome) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = app.add_subcommand("train", "Train a model from domain folders or labelled files");
  command
      ->add_option("data", options->data,
                   "domain folders, or FORMAT:PATH[#SPLIT]: rasa, banking, bitext, clinc, conll, snips")
      ->required();
  command->add_option("--name", options->name, "model name; models.default if not given");
  command->add_option("--encoder", options->encoder, "encoder folder; models.encoder if not given");
  command->add_option("--seed", options->settings.intents.seed, "seed of folds and slot training")
      ->capture_default_str();
  command->add_option("--folds", options->settings.intents.folds, "cross-validation folds")
      ->check(CLI::Range(2, 20))
      ->capture_default_str();
  command
      ->add_option("--keep", options->settings.intents.kept,
                   "share of in-scope texts the out-of-scope threshold keeps")
      ->check(CLI::Range(0.5, 1.0))
      ->capture_default_str();
  command->add_flag("--lenient", options->lenient, "train in spite of complaints about the data");
  command->add_flag("--if-changed", options->if_changed,
                    "do nothing if the newest version was made from the same data");
  auto source = add_settings_options(*command);
  command->callback([=, &outcome] { outcome = train_model(*source, *options); });
}

}  // namespace kefu::cli
