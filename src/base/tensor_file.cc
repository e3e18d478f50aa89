#include "base/tensor_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/json.h"

namespace kefu {
namespace {

constexpr std::size_t kAlignment = 64;  // of every tensor in the files we write

/// Bytes of an element, 0 for a type that nothing here reads.
std::size_t width_of(std::string_view dtype) {
  if (dtype == tensor_dtype<float>() || dtype == tensor_dtype<std::int32_t>()) return 4;
  return dtype == tensor_dtype<std::int8_t>() ? 1 : 0;
}

/// Whether `bytes` are what a tensor of this shape needs, where its type may lie.
bool fits(const std::vector<std::size_t>& shape, std::size_t width, std::span<const std::byte> bytes) {
  std::size_t size = width;
  for (const std::size_t extent : shape) {
    if (__builtin_mul_overflow(size, extent, &size)) return false;
  }
  return size == bytes.size() && reinterpret_cast<std::uintptr_t>(bytes.data()) % width == 0;
}

}  // namespace

Result<TensorFile> TensorFile::open(const std::filesystem::path& path) {
  TensorFile result;
  result.source_ = path.string();
  KEFU_ASSIGN(result.file_, MappedFile::open(path));
  const std::span<const std::byte> bytes = result.file_.bytes();
  std::uint64_t header_size = 0;
  if (bytes.size() < sizeof(header_size)) {
    return fail(Code::kDataLoss, "{} is too short for a tensor file", result.source_);
  }
  std::memcpy(&header_size, bytes.data(), sizeof(header_size));
  if (header_size > bytes.size() - sizeof(header_size)) {
    return fail(Code::kDataLoss, "{} is damaged: its header would end beyond the file", result.source_);
  }
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()) + sizeof(header_size),
                                header_size);
  KEFU_ASSIGN(const Json json, parse_json(header, result.source_ + " (header)"));
  const std::span<const std::byte> data = bytes.subspan(sizeof(header_size) + header_size);
  for (const auto& [name, entry] : json.items()) {
    if (name == "__metadata__") continue;
    KEFU_ASSIGN(const auto range, json_get<std::vector<std::size_t>>(entry, "data_offsets", result.source_));
    KEFU_ASSIGN(auto dtype, json_get<std::string>(entry, "dtype", result.source_));
    KEFU_ASSIGN(auto shape, json_get<std::vector<std::size_t>>(entry, "shape", result.source_));
    if (range.size() != 2 || range[0] > range[1] || range[1] > data.size()) {
      return fail(Code::kDataLoss, "{} is damaged: tensor {} lies beyond the file", result.source_, name);
    }
    const auto part = data.subspan(range[0], range[1] - range[0]);
    if (const std::size_t width = width_of(dtype); width > 0 && !fits(shape, width, part)) {
      return fail(Code::kDataLoss, "{} is damaged: tensor {} has {} bytes at {} for {} of {}", result.source_,
                  name, part.size(), range[0], Json(shape).dump(), dtype);
    }
    result.entries_[name] = {std::move(dtype), std::move(shape), part};
  }
  return result;
}

std::vector<std::size_t> TensorFile::shape(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? std::vector<std::size_t>{} : found->second.shape;
}

Result<std::span<const std::byte>> TensorFile::find(const std::string& name, const char* dtype,
                                                    const std::vector<std::size_t>& shape) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return fail(Code::kDataLoss, "{} has no tensor {}", source_, name);
  const Entry& entry = found->second;
  if (entry.dtype != dtype || entry.shape != shape) {
    return fail(Code::kDataLoss, "{}: tensor {} is {} of {}, expected {} of {}", source_, name,
                Json(entry.shape).dump(), entry.dtype, Json(shape).dump(), dtype);
  }
  return entry.bytes;
}

Result<void> TensorFile::check_finite(const std::string& name, std::span<const float> values) const {
  if (std::ranges::all_of(values, [](float value) { return std::isfinite(value); })) return {};
  return fail(Code::kDataLoss, "{}: tensor {} holds a value that is no finite number", source_, name);
}

void TensorFileWriter::add_bytes(const std::string& name, const char* dtype,
                                 const std::vector<std::size_t>& shape, std::span<const std::byte> bytes) {
  data_.resize((data_.size() + kAlignment - 1) / kAlignment * kAlignment);
  const std::size_t begin = data_.size();
  data_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  entries_.push_back({name, dtype, shape, begin, data_.size()});
}

std::string TensorFileWriter::finish() const {
  Json header = Json::object();
  for (const Entry& entry : entries_) {
    header[entry.name] = {
        {"dtype", entry.dtype}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
  }
  std::string text = header.dump();
  const std::size_t padded = (text.size() + 8 + kAlignment - 1) / kAlignment * kAlignment - 8;
  text.resize(padded, ' ');
  const std::uint64_t size = text.size();
  std::string out(reinterpret_cast<const char*>(&size), sizeof(size));
  return out + text + data_;
}

}  // namespace kefu
