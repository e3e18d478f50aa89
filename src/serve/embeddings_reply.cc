#include "serve/embeddings_reply.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/json_write.h"

namespace kefu::serve {
namespace {

/// Of the vector's bytes, little-endian.
std::string to_base64(const std::vector<float>& vector) {
  const std::size_t bytes = vector.size() * sizeof(float);
  std::string text((bytes + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(vector.data()), static_cast<int>(bytes));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

/// The shortest decimals that read back as the same FP32.
std::string to_numbers(const std::vector<float>& vector) {
  fmt::memory_buffer text;
  text.push_back('[');
  for (const float value : vector)
    fmt::format_to(std::back_inserter(text), "{}{}", text.size() > 1 ? "," : "", value);
  text.push_back(']');
  return fmt::to_string(text);
}

void write_vector(JsonWriter& json, const std::vector<float>& vector, bool as_base64) {
  json.Key("embedding");
  if (as_base64) return write_string(json, to_base64(vector));
  const std::string numbers = to_numbers(vector);
  json.RawValue(numbers.data(), numbers.size(), rapidjson::kArrayType);
}

}  // namespace

std::string write_embeddings_reply(const nlu::Embeddings& embeddings, std::string_view model,
                                   bool as_base64) {
  JsonText written;
  JsonWriter& json = written.json();
  json.StartObject();
  write_member(json, "object", "list");
  json.Key("data");
  json.StartArray();
  unsigned index = 0;
  for (const std::vector<float>& vector : embeddings.vectors) {
    json.StartObject();
    write_member(json, "object", "embedding");
    json.Key("index");
    json.Uint(index++);
    write_vector(json, vector, as_base64);
    json.EndObject();
  }
  json.EndArray();
  write_member(json, "model", model);
  json.Key("usage");
  json.StartObject();
  for (const char* key : {"prompt_tokens", "total_tokens"}) {
    json.Key(key);
    json.Uint64(embeddings.tokens);
  }
  json.EndObject();
  json.EndObject();
  return written.str();
}

}  // namespace kefu::serve
