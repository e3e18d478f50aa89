#pragma once
// Files: whole reads, read-only mappings, digests, and folders that appear only when complete.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kefu {

/// The whole file. kNotFound or kUnavailable, naming the path and the system's reason.
Result<std::string> read_file(const std::filesystem::path& path);

/// Writes (replacing) a file in one go.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

/// Replaces a file so that readers, and whoever comes after a crash, find the old content or the new; when
/// this returns the new one is on disk.
Result<void> replace_file(const std::filesystem::path& path, std::string_view content);

/// A read-only memory map of a file; pages are loaded when touched and shared between processes.
/// Movable; unmaps on destruction. Safe to read from any thread.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

  /// Tells the kernel that the pages now resident are not needed soon.
  void drop_pages() const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Lower-case hexadecimal SHA-256.
std::string sha256_hex(std::span<const std::byte> bytes);
std::string sha256_hex(std::string_view text);

/// SHA-256 of a file's content, read in blocks.
Result<std::string> sha256_file(const std::filesystem::path& path);

/// A folder under construction beside its final place. publish() brings it to disk and renames it there;
/// otherwise the destructor removes it, so that readers see either nothing or everything.
class StagedFolder {
 public:
  static Result<StagedFolder> create(const std::filesystem::path& target);

  StagedFolder(StagedFolder&& other) noexcept;
  StagedFolder& operator=(StagedFolder&&) = delete;
  ~StagedFolder();

  const std::filesystem::path& path() const { return work_; }

  /// kAlreadyExists if the target appeared meanwhile.
  Result<void> publish();

 private:
  StagedFolder(std::filesystem::path work, std::filesystem::path target);

  std::filesystem::path work_;
  std::filesystem::path target_;
};

}  // namespace kefu
