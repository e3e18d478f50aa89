#include "engine/embedding_table.h"

#include <cstring>

#include <immintrin.h>

namespace kefu::engine {
namespace {

constexpr std::size_t kBlockWeights = 32;
constexpr std::size_t kBlockBytes = 18;

std::size_t row_bytes(TableFormat format, std::size_t columns) {
  return format == TableFormat::kFloat32 ? columns * sizeof(float) : columns / kBlockWeights * kBlockBytes;
}

void dequantize_block(const std::byte* block, float* out) {
  std::uint16_t half = 0;
  std::memcpy(&half, block, sizeof(half));
  const float scale = _cvtsh_ss(half);
  for (std::size_t j = 0; j < kBlockWeights / 2; ++j) {
    const auto packed = static_cast<std::uint8_t>(block[2 + j]);
    out[j] = static_cast<float>((packed & 15) - 8) * scale;
    out[j + kBlockWeights / 2] = static_cast<float>((packed >> 4) - 8) * scale;
  }
}

}  // namespace

Result<TableFormat> parse_table_format(std::string_view name) {
  if (name == "f32") return TableFormat::kFloat32;
  if (name == "q4_0") return TableFormat::kQ4_0;
  return fail(Code::kInvalidArgument, "unknown embedding format \"{}\"; known: f32, q4_0", name);
}

Result<EmbeddingTable> EmbeddingTable::open(const std::filesystem::path& path, TableFormat format,
                                            std::size_t rows, std::size_t columns) {
  KEFU_ASSIGN(MappedFile file, MappedFile::open(path));
  if (columns % kBlockWeights != 0 && format == TableFormat::kQ4_0) {
    return fail(Code::kInvalidArgument, "{}: a q4_0 table needs a multiple of 32 columns, not {}",
                path.string(), columns);
  }
  if (file.bytes().size() != rows * row_bytes(format, columns)) {
    return fail(Code::kDataLoss, "{} has {} bytes, {} rows of {} columns need {}; convert the encoder again",
                path.string(), file.bytes().size(), rows, columns, rows * row_bytes(format, columns));
  }
  return EmbeddingTable(std::move(file), format, rows, columns);
}

void EmbeddingTable::gather(std::int32_t id, float* out) const {
  const std::byte* row = file_.bytes().data() + static_cast<std::size_t>(id) * row_bytes(format_, columns_);
  if (format_ == TableFormat::kFloat32) {
    std::memcpy(out, row, columns_ * sizeof(float));
    return;
  }
  for (std::size_t column = 0; column < columns_; column += kBlockWeights, row += kBlockBytes) {
    dequantize_block(row, out + column);
  }
}

}  // namespace kefu::engine
