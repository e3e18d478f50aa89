#include "base/compression.h"

#include <gtest/gtest.h>

namespace kefu {
namespace {

std::string long_text() {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += std::to_string(i * 7919) + (i % 3 == 0 ? " refund\n" : " order ");
  return text;
}

TEST(Compression, ThereAndBack) {
  for (const Packing packing : {Packing::kGzip, Packing::kZlib}) {
    for (const std::string& text : {std::string(), std::string("a"), long_text()}) {
      const std::string packed = pack(text, packing);
      const auto back = unpack(packed, text.size());
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(*back, text);
    }
  }
  EXPECT_LT(pack(long_text(), Packing::kGzip).size(), long_text().size() / 2);
}

TEST(Compression, MembersOfGzipFollowEachOther) {
  const std::string packed = pack("one ", Packing::kGzip) + pack("two", Packing::kGzip);
  EXPECT_EQ(*unpack(packed, 100), "one two");
}

TEST(Compression, ABombStopsAtTheLimit) {
  const std::string bomb = pack(std::string(50'000'000, '0'), Packing::kGzip);
  ASSERT_LT(bomb.size(), 300'000U);
  const auto unpacked = unpack(bomb, 1'000'000);
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(unpacked.error().code, Code::kOutOfRange);
}

TEST(Compression, WhatIsCutOrChangedIsAnError) {
  const std::string packed = pack(long_text(), Packing::kGzip);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{9}, packed.size() / 2, packed.size() - 1}) {
    const auto cut = unpack(std::string_view(packed).substr(0, size), 10'000'000);
    ASSERT_FALSE(cut) << size;
    EXPECT_EQ(cut.error().code, Code::kDataLoss);
  }
  std::string changed = packed;
  changed[packed.size() / 2] ^= 1;
  EXPECT_FALSE(unpack(changed, 10'000'000));
  EXPECT_FALSE(unpack(packed + "x", 10'000'000));
  EXPECT_FALSE(unpack("plain text", 100));
}

}  // namespace
}  // namespace kefu
