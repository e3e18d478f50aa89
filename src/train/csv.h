#pragma once
// Comma-separated values as RFC 4180 has them: quoted fields with commas, doubled quotes and line breaks;
// rows end with LF or CRLF.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kefu::train {

struct CsvRow {
  std::vector<std::string> fields;
  std::size_t line = 0;  // where it starts, from 1
};

/// All rows but blank ones. kInvalidArgument with file:line for a quote that is not closed or is followed by
/// more text.
Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view file);

/// Where the named columns stand in the header, in the order of `names`. kInvalidArgument for a missing one.
Result<std::vector<std::size_t>> csv_columns(std::span<const CsvRow> rows,
                                             std::span<const std::string_view> names, std::string_view file);

}  // namespace kefu::train
