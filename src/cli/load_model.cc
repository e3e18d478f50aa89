#include "cli/load_model.h"

namespace kefu::cli {

Result<std::shared_ptr<const nlu::NluModel>> load_model(const Settings& settings, const std::string& name) {
  KEFU_ASSIGN(const model::PackageId id, model::find_package(settings.repository, name));
  KEFU_ASSIGN(auto languages, text::LanguageIdentifier::load(settings.language_model));
  return nlu::load_nlu_model(id, settings.engine, settings.engine_options, std::move(languages));
}

Result<Parser> Parser::create(std::shared_ptr<const nlu::NluModel> model) {
  KEFU_ASSIGN(auto session, engine::EncoderSession::create(model->encoder().encoder()));
  return Parser(std::move(model), std::move(session));
}

Result<nlu::ParseReply> Parser::parse(nlu::ParseRequest request) {
  const nlu::PreparedText text = model_->prepare(std::move(request));
  engine::TokenBatch batch;
  for (const nlu::Window& window : text.windows) model_->encoder().add_row(text.tokens, window, batch);
  std::vector<engine::RowStates> states;
  if (batch.rows() > 0) KEFU_CHECK(session_.encode(batch));
  for (std::size_t i = 0; i < batch.rows(); ++i) states.push_back(session_.row(i));
  return model_->decode(text, states);
}

}  // namespace kefu::cli
