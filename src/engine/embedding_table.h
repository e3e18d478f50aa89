#pragma once
// The word-embedding table of an encoder, mapped from a file and gathered row by row, so that a
// quarter-million-word vocabulary costs only the pages in use.

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/file.h"

namespace kefu::engine {

/// How rows are stored. q4_0: blocks of 32 weights, each an f16 scale and 16 bytes; byte j holds weight j
/// (low nibble) and j + 16 (high), value (nibble - 8) * scale (the format of llama.cpp's Q4_0).
enum class TableFormat { kFloat32, kQ4_0 };

Result<TableFormat> parse_table_format(std::string_view name);

/// Immutable; gather() may be called from any thread.
class EmbeddingTable {
 public:
  /// kDataLoss if the file's size is not rows x columns of the format.
  static Result<EmbeddingTable> open(const std::filesystem::path& path, TableFormat format, std::size_t rows,
                                     std::size_t columns);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }

  /// Writes row `id` as `columns()` floats. Requires 0 <= id < rows().
  void gather(std::int32_t id, float* out) const;

 private:
  EmbeddingTable(MappedFile file, TableFormat format, std::size_t rows, std::size_t columns)
      : file_(std::move(file)), format_(format), rows_(rows), columns_(columns) {}

  MappedFile file_;
  TableFormat format_;
  std::size_t rows_;
  std::size_t columns_;
};

}  // namespace kefu::engine
