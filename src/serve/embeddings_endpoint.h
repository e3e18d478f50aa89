#pragma once
// POST /v1/embeddings.

#include "serve/http_message.h"
#include "serve/services.h"

namespace kefu::serve {

/// Vectors of texts by the encoder of a model, in OpenAI's shape (embeddings_request.h, embeddings_reply.h).
Handler make_embeddings_endpoint(const Services& services, std::size_t max_text_code_points);

}  // namespace kefu::serve
