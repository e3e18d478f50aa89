#include "runtime/cache_key.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"

namespace kefu::runtime {
namespace {

CacheKey key_of(const std::vector<std::string>& parts) {
  KeyBuilder builder;
  for (const std::string& part : parts) builder.add(part);
  return builder.finish();
}

TEST(CacheKey, PartsDoNotRunTogether) {
  const std::vector<std::vector<std::string>> different{
      {}, {""}, {"", ""}, {"abc"}, {"a", "bc"}, {"ab", "c"}, {"ab", "c", ""}, {"", "ab", "c"}, {"c", "ab"},
  };
  std::set<CacheKey> keys;
  for (const auto& parts : different) EXPECT_TRUE(keys.insert(key_of(parts)).second);
  EXPECT_EQ(key_of({"ab", "c"}), key_of({"ab", "c"}));
}

TEST(CacheKey, ANumberIsAPartOfEightBytes) {
  EXPECT_EQ(KeyBuilder().add(258).finish(), key_of({std::string("\2\1\0\0\0\0\0\0", 8)}));
  EXPECT_NE(KeyBuilder().add(1).add(2).finish(), KeyBuilder().add(2).add(1).finish());
}

/// Of other processes and later versions the same, so that a cache may be shared one day: SHA-256 of length
/// and part.
TEST(CacheKey, IsTheDigestOfLengthAndPart) {
  std::string hex;
  for (const std::byte byte : key_of({"abc"}).digest) hex += fmt::format("{:02x}", byte);
  EXPECT_EQ(hex, sha256_hex(std::string("\3\0\0\0\0\0\0\0abc", 11)));
}

}  // namespace
}  // namespace kefu::runtime
