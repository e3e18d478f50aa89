#include <array>

#include "train/data_text.h"
#include "train/lined_json.h"
#include "train/public_formats.h"

namespace kefu::train {
namespace {

void add_pairs(const LinedJson& json, const std::string& key, const std::string& file, Dataset& data) {
  const std::vector<std::size_t>& lines = json.lines.at(key);
  const Json& pairs = json.root.at(key);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Json& pair = pairs[i];
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string();
    Example example;
    example.language = "en";
    example.origin = {file, lines[i]};
    if (is_pair) {
      example.text = pair[0].get<std::string>();
      example.intent = key.starts_with("oos_") ? kOutOfScope : pair[1].get<std::string>();
    }
    if (trim(example.text).empty() || example.intent.empty()) {
      data.complaints.push_back(
          {Complaint::Level::kError, example.origin, "expected [\"text\", \"intent\"], neither empty"});
    } else {
      data.examples.push_back(std::move(example));
    }
  }
}

}  // namespace

Result<Dataset> read_clinc(const std::filesystem::path& path, const std::string& split) {
  Dataset data;
  const std::string file = path.string();
  if (split != "train" && split != "val" && split != "test") {
    return fail(Code::kInvalidArgument,
                "{}: there is no split \"{}\"; write #train, #val or #test behind the path", file, split);
  }
  KEFU_ASSIGN(const std::string content, read_public_text(path, data));
  KEFU_ASSIGN(const LinedJson json, parse_lined_json(content, file));
  for (const std::string& key : std::array<std::string, 2>{split, "oos_" + split}) {
    if (!json.root.contains(key))
      return fail(Code::kInvalidArgument, "{}: the key \"{}\" is missing", file, key);
    add_pairs(json, key, file, data);
  }
  return data;
}

}  // namespace kefu::train
