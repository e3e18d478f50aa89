#include "hosting/traffic.h"

#include <charconv>

#include "base/file.h"

namespace kefu::hosting {

int share_bucket(std::string_view change, std::string_view key) {
  std::string text(change);
  text += '\0';  // neither holds one: no two pairs are the same text
  text += key;
  const std::string digest = sha256_hex(text);
  constexpr std::ptrdiff_t kDigits = 16;
  std::uint64_t number = 0;
  std::from_chars(digest.data(), digest.data() + kDigits, number, 16);
  return static_cast<int>(number % kWhole);
}

}  // namespace kefu::hosting
