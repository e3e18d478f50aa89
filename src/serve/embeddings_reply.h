#pragma once
// The reply of POST /v1/embeddings.

#include <string>

#include "nlu/embed_task.h"

namespace kefu::serve {

/// JSON in OpenAI's shape; the tokens are those that the encoder read.
std::string write_embeddings_reply(const nlu::Embeddings& embeddings, std::string_view model, bool as_base64);

}  // namespace kefu::serve
