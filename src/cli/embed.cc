#include <iostream>

#include <fmt/ranges.h>

#include "cli/command.h"
#include "nlu/text_encoder.h"

namespace kefu::cli {
namespace {

struct EmbedOptions {
  std::string encoder = "models/encoders/e5-small";
  std::string engine = "openvino";
  engine::EngineOptions engine_options;
  std::size_t batch = 32;
};

Result<void> embed_batch(const nlu::TextEncoder& encoder, engine::EncoderSession& session,
                         const std::vector<std::string>& lines) {
  engine::TokenBatch batch;
  for (const std::string& line : lines) {
    const nlu::TokenizedText text = encoder.tokenize(line);
    if (text.ids.size() > encoder.window_capacity()) {
      return fail(Code::kOutOfRange, "a line of {} tokens exceeds the encoder's {}; split it",
                  text.ids.size(), encoder.window_capacity());
    }
    encoder.add_row(text, {0, text.ids.size()}, batch);
  }
  KEFU_CHECK(session.encode(batch));
  std::vector<float> vector(encoder.encoder()->hidden());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    nlu::mean_pool(session.row(i), vector);
    nlu::normalize_length(vector);
    std::cout << fmt::format("{{\"tokens\":[{}],\"embedding\":[{}]}}\n", fmt::join(batch.row(i), ","),
                             fmt::join(vector, ","));
  }
  return {};
}

Result<void> embed(const EmbedOptions& options) {
  KEFU_ASSIGN(auto package, model::load_encoder_package(options.encoder));
  KEFU_ASSIGN(const auto encoder,
              nlu::TextEncoder::load(std::move(package), options.engine, options.engine_options));
  KEFU_ASSIGN(auto session, engine::EncoderSession::create(encoder->encoder()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) {
    lines.push_back(std::move(line));
    if (lines.size() < options.batch) continue;
    KEFU_CHECK(embed_batch(*encoder, session, lines));
    lines.clear();
  }
  return lines.empty() ? Result<void>{} : embed_batch(*encoder, session, lines);
}

}  // namespace

void add_embed(CLI::App& app, Result<void>& outcome) {
  auto options = std::make_shared<EmbedOptions>();
  CLI::App* command =
      app.add_subcommand("embed", "Read texts, one a line; write token ids and embeddings as JSON lines");
  command->add_option("--encoder", options->encoder, "encoder folder")->capture_default_str();
  command->add_option("--engine", options->engine, "engine to run it on")->capture_default_str();
  command->add_option("--threads", options->engine_options.threads, "threads of one inference, 0: all cores")
      ->capture_default_str();
  command->add_option("--precision", options->engine_options.precision, "auto, f32 or bf16")
      ->capture_default_str();
  command->add_option("--batch", options->batch, "texts a run")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->callback([options, &outcome] { outcome = embed(*options); });
}

}  // namespace kefu::cli
