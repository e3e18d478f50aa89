#include <algorithm>

#include "train/data_text.h"
#include "train/lined_json.h"
#include "train/public_formats.h"

namespace kefu::train {
namespace {

namespace fs = std::filesystem;

/// Joins the chunks {"text", "entity"?} of a sentence; else says what is wrong.
std::string join_chunks(const Json& sentence, Example& example) {
  const auto chunks = sentence.is_object() ? sentence.find("data") : sentence.end();
  if (!sentence.is_object() || chunks == sentence.end() || !chunks->is_array())
    return "expected {\"data\": [{\"text\": …}, …]}";
  std::uint32_t length = 0;
  for (const Json& chunk : *chunks) {
    const auto text = chunk.is_object() ? chunk.find("text") : chunk.end();
    if (!chunk.is_object() || text == chunk.end() || !text->is_string())
      return "a chunk has no \"text\"; add it";
    const auto& piece = text->get_ref<const std::string&>();
    const std::uint32_t begin = length;
    length += count_code_points(piece);
    example.text += piece;
    const auto entity = chunk.find("entity");
    if (entity == chunk.end()) continue;
    if (!entity->is_string() || entity->get_ref<const std::string&>().empty())
      return "\"entity\" must be a name";
    if (begin == length) return "an entity has an empty text; write its words or remove the chunk";
    example.entities.push_back({.name = entity->get<std::string>(),
                                .role = {},
                                .group = {},
                                .value = piece,
                                .span = {begin, length}});
  }
  return trim(example.text).empty() ? "the sentence is empty; remove it" : "";
}

Result<Dataset> read_snips_file(const fs::path& path) {
  Dataset data;
  const std::string file = path.string();
  KEFU_ASSIGN(const std::string content, read_public_text(path, data));
  KEFU_ASSIGN(const LinedJson json, parse_lined_json(content, file));
  for (const auto& [intent, sentences] : json.root.items()) {
    const std::vector<std::size_t>& lines = json.lines.at(intent);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      Example example;
      example.intent = intent;
      example.language = "en";
      example.origin = {file, lines[i]};
      std::string fault = join_chunks(sentences[i], example);
      if (intent.empty()) fault = "the intent is empty; name it";
      if (fault.empty()) {
        data.examples.push_back(std::move(example));
      } else {
        data.complaints.push_back({Complaint::Level::kError, example.origin, std::move(fault)});
      }
    }
  }
  return data;
}

bool belongs_to(const std::string& name, const std::string& split) {
  const bool is_full = name.ends_with("_full.json");
  if (split == "train_full") return name.starts_with("train_") && is_full;
  if (split == "train") return name.starts_with("train_") && name.ends_with(".json") && !is_full;
  return name.starts_with("validate_") && name.ends_with(".json");
}

}  // namespace

Result<Dataset> read_snips(const fs::path& path, const std::string& split) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return read_snips_file(path);
  if (split != "train_full" && split != "train" && split != "validate") {
    return fail(Code::kInvalidArgument,
                "{}: there is no split \"{}\"; write #train_full, #train or #validate behind the folder",
                path.string(), split);
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (belongs_to(entry->path().filename().string(), split)) files.push_back(entry->path());
  }
  if (error) return fail(Code::kUnavailable, "cannot read the folder {}: {}", path.string(), error.message());
  if (files.empty()) {
    return fail(Code::kNotFound,
                "{} has no files of the split {}; it should hold SNIPS' train_*.json and validate_*.json",
                path.string(), split);
  }
  std::ranges::sort(files);
  Dataset data;
  for (const fs::path& file : files) {
    KEFU_ASSIGN(Dataset read, read_snips_file(file));
    merge(std::move(read), data);
  }
  return data;
}

}  // namespace kefu::train
