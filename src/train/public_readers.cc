#include "train/public_readers.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/nearest.h"
#include "train/public_formats.h"
#include "train/rasa_reader.h"

namespace kefu::train {
namespace {

struct Format {
  std::string_view name;
  std::array<std::string_view, 3> splits;  // empty: no such split
  bool needs_split;                        // false: a single file needs none
};

constexpr std::array<Format, 6> kFormats{{{"banking", {}, false},
                                          {"bitext", {}, false},
                                          {"clinc", {"train", "val", "test"}, true},
                                          {"conll", {}, false},
                                          {"rasa", {"nlu", "test"}, false},
                                          {"snips", {"train_full", "train", "validate"}, false}}};

Result<Format> find_format(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &Format::name);
  if (found != kFormats.end()) return *found;
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return fail(Code::kInvalidArgument,
              "there is no data format \"{}\"; did you mean \"{}\"? The formats are {}", name,
              nearest_name(name, names), fmt::join(names, ", "));
}

Result<void> check_split(const Format& format, std::string_view split, std::string_view spec) {
  const auto end = std::ranges::find(format.splits, std::string_view());
  const std::span<const std::string_view> splits(format.splits.begin(), end);
  if (splits.empty() && !split.empty()) {
    return fail(Code::kInvalidArgument, "{}: {} has no splits; leave out #{}", spec, format.name, split);
  }
  const bool is_known = std::ranges::find(splits, split) != splits.end();
  if (is_known || (split.empty() && !format.needs_split)) return {};
  return fail(Code::kInvalidArgument, "{}: write the split behind the path: #{}", spec,
              fmt::join(splits, " or #"));
}

}  // namespace

Result<DatasetSpec> parse_dataset_spec(std::string_view spec) {
  std::string_view rest = spec;
  std::string_view name = "rasa";
  const std::size_t colon = rest.find(':');
  const bool has_format =
      colon != std::string_view::npos && rest.substr(0, colon).find_first_of("/.#") == std::string_view::npos;
  if (has_format) {
    name = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  KEFU_ASSIGN(const Format format, find_format(name));
  std::string_view split;
  const std::size_t hash = rest.rfind('#');
  if (hash != std::string_view::npos) {
    split = rest.substr(hash + 1);
    rest = rest.substr(0, hash);
  }
  KEFU_CHECK(check_split(format, split, spec));
  if (rest.empty())
    return fail(Code::kInvalidArgument, "\"{}\" has no path; write it as format:path#split", spec);
  if (format.name == "rasa" && split.empty()) split = "nlu";
  return DatasetSpec{std::filesystem::path(rest), std::string(format.name), std::string(split)};
}

Result<Dataset> read_dataset(const DatasetSpec& spec) {
  KEFU_ASSIGN(const Format format, find_format(spec.format));
  if (format.name == "banking") return read_banking(spec.path);
  if (format.name == "bitext") return read_bitext(spec.path);
  if (format.name == "clinc") return read_clinc(spec.path, spec.split);
  if (format.name == "conll") return read_conll(spec.path);
  if (format.name == "snips") return read_snips(spec.path, spec.split);
  std::error_code error;
  if (!std::filesystem::is_directory(spec.path, error)) return read_rasa_file(spec.path);
  return read_domain(spec.path, spec.split.empty() ? "nlu" : spec.split);
}

}  // namespace kefu::train
