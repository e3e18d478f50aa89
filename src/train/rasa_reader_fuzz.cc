// libFuzzer: any bytes are either YAML with examples whose slots lie in their texts, or an error with a
// message.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "train/rasa_reader.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view yaml(reinterpret_cast<const char*>(bytes), size);
  const auto data = kefu::train::parse_rasa(yaml, "fuzz.yml");
  if (!data.has_value()) {
    require(data.error().message.starts_with("fuzz.yml:"));
    return 0;
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(yaml, '\n')) + 1;
  for (const auto& example : data->examples) {
    require(kefu::text::is_valid_utf8(example.text));
    require(!example.text.empty() && !example.intent.empty());
    require(example.origin.line >= 1 && example.origin.line <= lines);
    const std::size_t length = kefu::text::decode_utf8(example.text).size();
    for (const auto& entity : example.entities) {
      require(!entity.name.empty() && !entity.value.empty());
      require(!entity.span.empty() && entity.span.end <= length);
    }
  }
  for (const auto& complaint : data->complaints) {
    require(!complaint.message.empty() && complaint.origin.line >= 1 && complaint.origin.line <= lines);
  }
  return 0;
}
