#include "cli/allocator.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <malloc.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/log.h"

namespace kefu::cli {
namespace {

/// Blocks of at least this are mapped and given back when freed. Left alone, glibc raises the threshold to
/// the largest block ever freed, and what a batch of long texts took stays with the process.
constexpr int kMappedBytes = 1 << 20;

/// Free blocks of one size that a thread keeps for itself. Most blocks of a request are freed by another
/// thread than the one that took them, a batch at a time: glibc keeps 7, and the others go through a lock.
constexpr std::string_view kTunable = "glibc.malloc.tcache_count";
constexpr int kKeptBlocks = 64;
constexpr const char* kVariable = "GLIBC_TUNABLES";

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string one; std::getline(file, one, '\0');) arguments.push_back(one);
  return arguments;
}

/// Returns only if it fails.
void start_again() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::vector<std::string> arguments = own_arguments();
  std::vector<char*> pointers;
  for (std::string& one : arguments) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  if (!error && !arguments.empty()) execv(program.c_str(), pointers.data());
  spdlog::warn(R"("event":"allocator_not_tuned","reason":"cannot start the program again: {}","remedy":"set )"
               R"({}={}={} for it; requests cost up to a tenth more CPU without")",
               error ? error.message() : std::strerror(errno), kVariable, kTunable, kKeptBlocks);
}

}  // namespace

void tune_allocator() {
  mallopt(M_MMAP_THRESHOLD, kMappedBytes);
  const char* set = std::getenv(kVariable);
  std::string tunables = set == nullptr ? "" : set;
  if (tunables.find(kTunable) != std::string::npos || getauxval(AT_SECURE) != 0) return;
  if (!tunables.empty()) tunables += ':';
  tunables += fmt::format("{}={}", kTunable, kKeptBlocks);
  setenv(kVariable, tunables.c_str(), 1);
  start_again();
}

}  // namespace kefu::cli
