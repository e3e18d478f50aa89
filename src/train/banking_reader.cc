#include <array>

#include "train/csv.h"
#include "train/data_text.h"
#include "train/public_formats.h"

namespace kefu::train {

Result<Dataset> read_banking(const std::filesystem::path& path) {
  static constexpr std::array<std::string_view, 2> kColumns{"text", "category"};
  Dataset data;
  const std::string file = path.string();
  KEFU_ASSIGN(const std::string content, read_public_text(path, data));
  KEFU_ASSIGN(std::vector<CsvRow> rows, parse_csv(content, file));
  KEFU_ASSIGN(const std::vector<std::size_t> columns, csv_columns(rows, kColumns, file));
  const std::size_t width = rows.front().fields.size();
  for (CsvRow& row : std::span(rows).subspan(1)) {
    const auto complain = [&](std::string message) {
      data.complaints.push_back({Complaint::Level::kError, {file, row.line}, std::move(message)});
    };
    if (row.fields.size() != width) {
      complain(fmt::format("{} fields, expected {}; quote a text that has commas", row.fields.size(), width));
      continue;
    }
    Example example;
    example.text = std::move(row.fields[columns[0]]);
    example.intent = trim(row.fields[columns[1]]);
    example.language = "en";
    example.origin = {file, row.line};
    if (trim(example.text).empty() || example.intent.empty()) {
      complain("the text or the category is empty; write it or remove the row");
    } else {
      data.examples.push_back(std::move(example));
    }
  }
  return data;
}

}  // namespace kefu::train
