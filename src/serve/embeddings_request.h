#pragma once
// The body of POST /v1/embeddings.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kefu::serve {

struct EmbeddingsRequest {
  std::string model{};  // empty: the default one
  std::vector<std::string> texts{};
  bool as_base64 = false;  // vectors as little-endian FP32 in Base64 instead of numbers
};

/// JSON in OpenAI's shape (https://platform.openai.com/docs/api-reference/embeddings/create): `input` a text
/// or 1 to 2,048 of them, `model`, `encoding_format` float or base64; other members are ignored, but token
/// ids and `dimensions` are refused. kInvalidArgument; kOutOfRange: too many or too long texts.
Result<EmbeddingsRequest> read_embeddings_request(std::string_view body, std::size_t max_code_points);

}  // namespace kefu::serve
