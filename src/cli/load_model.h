#pragma once
// Loading the models a command runs.

#include <memory>

#include "cli/settings.h"
#include "nlu/nlu_model.h"

namespace kefu::cli {

/// The newest version of a model of the repository.
Result<std::shared_ptr<const nlu::NluModel>> load_model(const Settings& settings, const std::string& name);

/// Parses texts one after another on the caller's thread. Owned and used by one thread.
class Parser {
 public:
  static Result<Parser> create(std::shared_ptr<const nlu::NluModel> model);

  Result<nlu::ParseReply> parse(nlu::ParseRequest request);

 private:
  Parser(std::shared_ptr<const nlu::NluModel> model, engine::EncoderSession session)
      : model_(std::move(model)), session_(std::move(session)) {}

  std::shared_ptr<const nlu::NluModel> model_;
  engine::EncoderSession session_;
};

}  // namespace kefu::cli
