#pragma once
// Named tensors in one file, in the safetensors format: u64 header size, JSON header, raw little-endian
// data (https://github.com/huggingface/safetensors#format).

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/file.h"

namespace kefu {

/// The format's name of an element type.
template <typename T>
constexpr const char* tensor_dtype() {
  if constexpr (std::is_same_v<T, float>) return "F32";
  if constexpr (std::is_same_v<T, std::int8_t>) return "I8";
  if constexpr (std::is_same_v<T, std::int32_t>) return "I32";
}

/// A mapped file of tensors. Movable, immutable, safe from any thread; spans live as long as it.
class TensorFile {
 public:
  /// kDataLoss if the header is no valid header, names bytes beyond the file's end, or others than a tensor's
  /// type and shape need.
  static Result<TensorFile> open(const std::filesystem::path& path);

  /// The tensor's elements in row-major order; kDataLoss if absent, of another type or shape, or, of floats,
  /// not all finite.
  template <typename T>
  Result<std::span<const T>> get(const std::string& name, const std::vector<std::size_t>& shape) const {
    KEFU_ASSIGN(const std::span<const std::byte> bytes, find(name, tensor_dtype<T>(), shape));
    const std::span elements(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
    if constexpr (std::is_same_v<T, float>) KEFU_CHECK(check_finite(name, elements));
    return elements;
  }

  bool contains(const std::string& name) const { return entries_.contains(name); }

  /// Shape of a tensor, empty if absent.
  std::vector<std::size_t> shape(const std::string& name) const;

 private:
  struct Entry {
    std::string dtype;
    std::vector<std::size_t> shape;
    std::span<const std::byte> bytes;
  };

  Result<std::span<const std::byte>> find(const std::string& name, const char* dtype,
                                          const std::vector<std::size_t>& shape) const;
  Result<void> check_finite(const std::string& name, std::span<const float> values) const;

  std::string source_;
  MappedFile file_;
  std::map<std::string, Entry> entries_;
};

/// Collects tensors and renders the file.
class TensorFileWriter {
 public:
  template <typename T>
  void add(const std::string& name, const std::vector<std::size_t>& shape, std::span<const T> elements) {
    add_bytes(name, tensor_dtype<T>(), shape, std::as_bytes(elements));
  }
  template <typename T>
  void add(const std::string& name, const std::vector<std::size_t>& shape, const std::vector<T>& elements) {
    add<T>(name, shape, std::span<const T>(elements));
  }

  std::string finish() const;

 private:
  struct Entry {
    std::string name;
    std::string dtype;
    std::vector<std::size_t> shape;
    std::size_t begin;
    std::size_t end;
  };

  void add_bytes(const std::string& name, const char* dtype, const std::vector<std::size_t>& shape,
                 std::span<const std::byte> bytes);

  std::vector<Entry> entries_;
  std::string data_;
};

}  // namespace kefu
