#include "train/csv.h"

#include <algorithm>

namespace kefu::train {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<std::vector<CsvRow>> run() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      KEFU_ASSIGN(CsvRow row, read_row());
      const bool is_blank = row.fields.size() == 1 && row.fields.front().empty();
      if (!is_blank) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Result<CsvRow> read_row() {
    CsvRow row;
    row.line = line_;
    for (;;) {
      KEFU_ASSIGN(std::string field, at('"') ? read_quoted() : read_plain());
      row.fields.push_back(std::move(field));
      if (at(',')) {
        ++at_;
        continue;
      }
      if (at('\r') && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
      if (at_ < text_.size() && !at('\n')) {
        return fail(Code::kInvalidArgument,
                    "{}:{}: text behind a closing quote; double the quotes inside a field", file_, line_);
      }
      if (at('\n')) next_line();
      return row;
    }
  }

  bool at(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void next_line() {
    ++at_;
    ++line_;
  }

  Result<std::string> read_plain() {
    std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    if (end < text_.size() && text_[end] == '\n' && end > at_ && text_[end - 1] == '\r') --end;
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    return field;
  }

  Result<std::string> read_quoted() {
    const std::size_t start = line_;
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      if (at('"')) {
        ++at_;
        if (!at('"')) return field;
      }
      if (at('\n')) ++line_;
      field += text_[at_];
    }
    return fail(Code::kInvalidArgument, "{}:{}: a quote is not closed; add the second one", file_, start);
  }

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view file) {
  return CsvParser(text, file).run();
}

Result<std::vector<std::size_t>> csv_columns(std::span<const CsvRow> rows,
                                             std::span<const std::string_view> names, std::string_view file) {
  std::vector<std::size_t> columns;
  for (const std::string_view name : names) {
    const std::vector<std::string> header = rows.empty() ? std::vector<std::string>() : rows.front().fields;
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) {
      return fail(Code::kInvalidArgument, "{}:1: there is no column \"{}\"; the first line must be {}", file,
                  name, fmt::join(names, ","));
    }
    columns.push_back(static_cast<std::size_t>(found - header.begin()));
  }
  return columns;
}

}  // namespace kefu::train
