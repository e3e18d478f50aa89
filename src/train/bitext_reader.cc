#include <algorithm>
#include <array>
#include <charconv>

#include "train/csv.h"
#include "train/data_text.h"
#include "train/public_formats.h"

namespace kefu::train {
namespace {

enum Column { kUtterance, kIntent, kEntityType, kEntityValue, kStart, kEnd, kColumnCount };
constexpr std::array<std::string_view, kColumnCount> kColumns{"utterance",    "intent",       "entity_type",
                                                              "entity_value", "start_offset", "end_offset"};

bool read_offset(std::string_view text, std::uint32_t& offset) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  return error == std::errc() && stop == text.data() + text.size();
}

/// Equal but for the case of ASCII letters: values of this set differ from their spans so.
bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

/// The slot of a row into the example; else what is wrong with it.
std::string read_slot(const std::vector<std::string_view>& row, Example& example) {
  Entity entity;
  entity.name = row[kEntityType];
  if (!read_offset(row[kStart], entity.span.begin) || !read_offset(row[kEnd], entity.span.end)) {
    return fmt::format("the offsets \"{}\" and \"{}\" must be whole numbers", row[kStart], row[kEnd]);
  }
  const std::vector<std::uint32_t> offsets = text::code_point_offsets(example.text);
  if (entity.span.empty() || entity.span.end >= offsets.size()) {
    return fmt::format("the entity {} at {}..{} lies outside its text of {} characters; correct the offsets",
                       entity.name, entity.span.begin, entity.span.end, offsets.size() - 1);
  }
  const std::uint32_t begin = offsets[entity.span.begin];
  const std::string spoken = example.text.substr(begin, offsets[entity.span.end] - begin);
  if (!equal_ignoring_case(spoken, row[kEntityValue])) {
    return fmt::format("the entity {} is \"{}\" but its offsets say \"{}\"; correct one of them", entity.name,
                       row[kEntityValue], spoken);
  }
  entity.value = row[kEntityValue];
  example.entities.push_back(std::move(entity));
  return {};
}

/// One row into the example; else what is wrong with it.
std::string read_row(const std::vector<std::string_view>& row, Example& example) {
  example.text = row[kUtterance];
  example.intent = trim(row[kIntent]);
  example.language = "en";
  if (trim(example.text).empty() || example.intent.empty()) {
    return "the utterance or the intent is empty; write it or remove the row";
  }
  return row[kEntityType].empty() ? std::string() : read_slot(row, example);
}

}  // namespace

Result<Dataset> read_bitext(const std::filesystem::path& path) {
  Dataset data;
  const std::string file = path.string();
  KEFU_ASSIGN(const std::string content, read_public_text(path, data));
  KEFU_ASSIGN(const std::vector<CsvRow> rows, parse_csv(content, file));
  KEFU_ASSIGN(const std::vector<std::size_t> columns, csv_columns(rows, kColumns, file));
  const std::size_t width = rows.front().fields.size();
  for (const CsvRow& row : std::span(rows).subspan(1)) {
    Example example;
    example.origin = {file, row.line};
    std::string fault;
    if (row.fields.size() == width) {
      std::vector<std::string_view> fields;
      for (const std::size_t column : columns) fields.push_back(row.fields[column]);
      fault = read_row(fields, example);
    } else {
      fault = fmt::format("{} fields, expected {}; quote a text that has commas", row.fields.size(), width);
    }
    if (fault.empty()) {
      data.examples.push_back(std::move(example));
    } else {
      data.complaints.push_back({Complaint::Level::kError, example.origin, std::move(fault)});
    }
  }
  return data;
}

}  // namespace kefu::train
