#include "base/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sha256.h"

namespace kefu {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> fail_errno(const char* what, const fs::path& path) {
  const int error = errno;
  const Code code = error == ENOENT || error == ENOTDIR ? Code::kNotFound : Code::kUnavailable;
  return fail(code, "cannot {} {}: {}", what, path.string(), std::strerror(error));
}

/// Closes on destruction.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::string to_hex(const Sha256::Digest& digest) {
  std::string out;
  for (const std::byte byte : digest) fmt::format_to(std::back_inserter(out), "{:02x}", byte);
  return out;
}

}  // namespace

Result<std::string> read_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail_errno("open", path);
  std::string content;
  struct stat info{};
  if (::fstat(file.get(), &info) == 0 && info.st_size > 0)
    content.reserve(static_cast<std::size_t>(info.st_size));
  std::array<char, 1 << 16> block{};
  for (;;) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read", path);
    if (got == 0) return content;
    content.append(block.data(), static_cast<std::size_t>(got));
  }
}

Result<void> write_file(const fs::path& path, std::string_view content) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return fail_errno("write", path);
  while (!content.empty()) {
    const ssize_t put = ::write(file.get(), content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_errno("write", path);
    content.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<MappedFile> MappedFile::open(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail_errno("open", path);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return fail_errno("read the size of", path);
  MappedFile mapped;
  if (info.st_size == 0) return mapped;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return fail_errno("map", path);
  mapped.data_ = static_cast<const std::byte*>(data);
  mapped.size_ = size;
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::drop_pages() const {
  if (data_ != nullptr) ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 digest;
  digest.update(bytes);
  return to_hex(digest.finish());
}

std::string sha256_hex(std::string_view text) {
  return sha256_hex(std::as_bytes(std::span(text)));
}

Result<std::string> sha256_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail_errno("open", path);
  Sha256 digest;
  std::vector<char> block(1 << 20);
  for (;;) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read", path);
    if (got == 0) return to_hex(digest.finish());
    digest.update(std::as_bytes(std::span(block.data(), static_cast<std::size_t>(got))));
  }
}

namespace {

/// Brings a file, or a folder's list of names, to disk.
Result<void> sync_to_disk(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || ::fsync(file.get()) != 0) return fail_errno("bring to disk", path);
  return {};
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

Result<void> replace_file(const fs::path& path, std::string_view content) {
  const fs::path staged = path.string() + ".new";
  KEFU_CHECK(write_file(staged, content));
  KEFU_CHECK(sync_to_disk(staged));
  if (::rename(staged.c_str(), path.c_str()) != 0) return fail_errno("replace", path);
  return sync_to_disk(parent_of(path));
}

Result<StagedFolder> StagedFolder::create(const fs::path& target) {
  std::error_code error;
  const fs::path parent = parent_of(target);
  fs::create_directories(parent, error);
  std::string pattern = (parent / (".staged-" + target.filename().string() + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) return fail_errno("create a folder in", parent);
  ::chmod(pattern.c_str(), 0755);
  return StagedFolder(pattern, target);
}

StagedFolder::StagedFolder(fs::path work, fs::path target)
    : work_(std::move(work)), target_(std::move(target)) {}

StagedFolder::StagedFolder(StagedFolder&& other) noexcept
    : work_(std::exchange(other.work_, {})), target_(std::move(other.target_)) {}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!work_.empty()) fs::remove_all(work_, ignored);
}

Result<void> StagedFolder::publish() {
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(work_, error)) KEFU_CHECK(sync_to_disk(entry));
  KEFU_CHECK(sync_to_disk(work_));
  fs::rename(work_, target_, error);
  if (error) {
    return fail(Code::kAlreadyExists, "cannot publish {}: {}; remove it or choose another name",
                target_.string(), error.message());
  }
  work_.clear();
  return sync_to_disk(parent_of(target_));
}

}  // namespace kefu
