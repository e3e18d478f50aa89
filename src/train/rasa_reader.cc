#include "train/rasa_reader.h"

#include <algorithm>

#include <yaml-cpp/yaml.h>

#include "base/file.h"
#include "train/annotation.h"

namespace kefu::train {
namespace {

namespace fs = std::filesystem;

/// yaml-cpp recurses on nesting; training data nests three deep.
constexpr std::size_t kDeepest = 64;

bool nests_too_deep(std::string_view yaml) {
  std::size_t depth = 0;
  std::size_t indent = 0;
  for (const char c : yaml) {
    if (c == '\n') indent = 0;
    if (c == ' ' || c == '-' || c == '?' || c == ':') ++indent;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if (depth > kDeepest || indent > 4 * kDeepest) return true;
  }
  return false;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

/// One line of an `examples: |` block.
struct Line {
  std::string text;  // after "- "
  Origin origin;
};

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Dataset read(const YAML::Node& root) {
    if (!root.IsMap()) {
      complain(root, "expected \"nlu:\" with a list of intents");
      return std::move(data_);
    }
    for (const auto& entry : root) {
      const auto key = entry.first.as<std::string>("");
      if (key == "nlu") {
        for (const auto& item : entry.second) read_item(item);
      } else if (key != "version") {
        data_.complaints.push_back({Complaint::Level::kWarning, origin(entry.first), fmt::format("\"{}\" is not read; known: version, nlu", key)});
      }
    }
    return std::move(data_);
  }

 private:
  Origin origin(const YAML::Node& node) const { return {file_, static_cast<std::size_t>(std::max(node.Mark().line, 0)) + 1}; }

  void complain(const YAML::Node& node, std::string message) {
    data_.complaints.push_back({Complaint::Level::kError, origin(node), std::move(message)});
  }

  /// Lines of a block scalar; a list of `text:` maps is Rasa's long form.
  std::vector<Line> lines(const YAML::Node& item) {
    std::vector<Line> out;
    const YAML::Node examples = item["examples"];
    if (!examples) {
      complain(item, "\"examples:\" is missing");
    } else if (examples.IsScalar()) {
      add_block(examples, out);
    } else {
      for (const auto& example : examples) {
        const YAML::Node text = example.IsMap() ? example["text"] : example;
        if (text && text.IsScalar()) {
          out.push_back({std::string(trim(text.Scalar())), origin(text)});
        } else {
          complain(examples, "an example without \"text:\"");
        }
      }
    }
    return out;
  }

  void add_block(const YAML::Node& block, std::vector<Line>& out) {
    std::string_view rest = block.Scalar();
    // The mark of a block scalar is its "|": the first line of content is the next one.
    for (std::size_t line = origin(block).line + 1; !rest.empty(); ++line) {
      const std::size_t end = rest.find('\n');
      const std::string_view text = trim(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      if (text.starts_with("- ")) {
        out.push_back({std::string(trim(text.substr(2))), {file_, line}});
      } else if (!text.empty() && !text.starts_with('#')) {
        data_.complaints.push_back({Complaint::Level::kError, {file_, line}, fmt::format("\"{}\" does not begin with \"- \"", text)});
      }
    }
  }

  void read_item(const YAML::Node& item) {
    if (!item.IsMap()) return complain(item, "expected \"- intent: name\", \"- synonym:\", \"- regex:\" or \"- lookup:\"");
    const auto name = [&item](const char* key) { return item[key] ? item[key].as<std::string>("") : std::string(); };
    if (item["intent"]) return read_intent(item, name("intent"));
    if (item["synonym"]) {
      for (const Line& line : lines(item)) data_.synonyms[line.text] = name("synonym");
    } else if (item["lookup"]) {
      for (const Line& line : lines(item)) data_.lookups[name("lookup")].push_back(line.text);
    } else if (item["regex"]) {
      for (const Line& line : lines(item)) data_.regexes[name("regex")].push_back(line.text);
    } else {
      complain(item, "expected one of intent, synonym, regex, lookup");
    }
  }

  void read_intent(const YAML::Node& item, const std::string& intent) {
    if (intent.empty()) return complain(item, "the intent has no name");
    for (Line& line : lines(item)) {
      Example example;
      example.intent = intent;
      example.origin = line.origin;
      if (const auto parsed = parse_annotation(line.text, example); !parsed) {
        data_.complaints.push_back({Complaint::Level::kError, line.origin, parsed.error().message});
        continue;
      }
      data_.examples.push_back(std::move(example));
    }
  }

  std::string file_;
  Dataset data_;
};

std::string domain_name(const fs::path& folder) {
  const auto text = read_file(folder / "domain.yml");
  const std::size_t at = text ? text->find("\ndomain: ") : std::string::npos;
  if (at == std::string::npos) return folder.filename().string();
  const std::string_view rest = std::string_view(*text).substr(at + 9);
  return std::string(trim(rest.substr(0, rest.find('\n'))));
}

}  // namespace

Result<Dataset> parse_rasa(std::string_view yaml, const std::string& file) {
  if (nests_too_deep(yaml)) return fail(Code::kInvalidArgument, "{} nests deeper than {} levels", file, kDeepest);
  try {
    return Reader(file).read(YAML::Load(std::string(yaml)));
  } catch (const YAML::Exception& error) {
    return fail(Code::kInvalidArgument, "{}:{}: {}", file, error.mark.line + 1, error.msg);
  }
}

Result<Dataset> read_rasa_file(const fs::path& file) {
  KEFU_ASSIGN(const std::string yaml, read_file(file));
  return parse_rasa(yaml, file.string());
}

Result<Dataset> read_domain(const fs::path& folder, const std::string& part) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / part, error)) {
    if (entry.path().extension() == ".yml" || entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (files.empty()) return fail(Code::kNotFound, "there is no .yml file in {}", (folder / part).string());
  std::ranges::sort(files);
  const std::string domain = domain_name(folder);
  Dataset all;
  for (const fs::path& file : files) {
    KEFU_ASSIGN(Dataset data, read_rasa_file(file));
    const std::string stem = file.stem().string();
    for (Example& example : data.examples) {
      example.domain = domain;
      example.language = stem.substr(0, stem.find_first_of("-."));
    }
    merge(std::move(data), all);
  }
  return all;
}

}  // namespace kefu::train
