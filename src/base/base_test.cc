#include <limits>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/nearest.h"
#include "base/tensor_file.h"

namespace kefu {
namespace {

namespace fs = std::filesystem;

fs::path scratch(const std::string& name) {
  fs::path path = fs::path(testing::TempDir()) / ("kefu_base_" + name);
  fs::remove_all(path);
  return path;
}

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(File, MissingFileNamesThePath) {
  const auto result = read_file("/nowhere/at/all");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kNotFound);
  EXPECT_NE(result.error().message.find("/nowhere/at/all"), std::string::npos);
}

TEST(StagedFolder, AppearsOnlyWhenPublished) {
  const fs::path target = scratch("staged");
  {
    auto abandoned = StagedFolder::create(target);
    ASSERT_TRUE(abandoned);
    ASSERT_TRUE(write_file(abandoned->path() / "a", "1"));
  }
  EXPECT_FALSE(fs::exists(target));
  auto staged = StagedFolder::create(target);
  ASSERT_TRUE(staged);
  ASSERT_TRUE(write_file(staged->path() / "a", "2"));
  ASSERT_TRUE(staged->publish());
  EXPECT_EQ(*read_file(target / "a"), "2");
  auto second = StagedFolder::create(target);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->publish().error().code, Code::kAlreadyExists);
}

TEST(Nearest, FindsTheTypo) {
  const std::vector<std::string> names{"http.port", "http.host", "log.level"};
  EXPECT_EQ(nearest_name("htp.port", names), "http.port");
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(TensorFile, RoundTripsAndRefusesDamage) {
  const fs::path path = scratch("tensors");
  const std::vector<float> weights{1, 2, 3, 4, 5, 6};
  TensorFileWriter writer;
  writer.add<float>("w", {2, 3}, weights);
  ASSERT_TRUE(write_file(path, writer.finish()));
  auto file = TensorFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  const auto read = file->get<float>("w", {2, 3});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::vector<float>(read->begin(), read->end()), weights);
  EXPECT_FALSE(file->get<float>("w", {3, 2}));
  EXPECT_FALSE(file->get<std::int8_t>("w", {2, 3}));
  EXPECT_FALSE(file->get<float>("v", {2, 3}));

  const std::string whole = *read_file(path);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{20}, whole.size() - 1}) {
    ASSERT_TRUE(write_file(path, whole.substr(0, size)));
    EXPECT_FALSE(TensorFile::open(path)) << size;
  }
}

/// A tensor file of this header and 16 bytes of data.
std::string tensor_bytes(std::string header) {
  const std::uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + header + std::string(16, '\x7F');
}

TEST(TensorFile, RefusesShapesThatTheBytesDoNotFill) {
  const fs::path path = scratch("tensors-bad");
  for (const char* shape : {"[-1]", "[5]", "[3]", "[4611686018427387904,4]", "[1000000000]"}) {
    ASSERT_TRUE(write_file(path, tensor_bytes(R"({"w":{"dtype":"F32","data_offsets":[0,16],"shape":)" +
                                              std::string(shape) + "}}  ")));
    EXPECT_FALSE(TensorFile::open(path)) << shape;
  }
}

TEST(TensorFile, RefusesFloatsAtOddPlacesAndThoseThatAreNoNumbers) {
  const fs::path path = scratch("tensors-odd");
  const std::string odd = R"({"w":{"dtype":"F32","data_offsets":[1,5],"shape":[1]}})";
  ASSERT_TRUE(write_file(path, tensor_bytes(odd + std::string((8 - odd.size() % 8) % 8, ' '))));
  EXPECT_FALSE(TensorFile::open(path));

  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    TensorFileWriter writer;
    writer.add<float>("w", {2}, std::vector<float>{1, value});
    ASSERT_TRUE(write_file(path, writer.finish()));
    auto file = TensorFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    const auto read = file->get<float>("w", {2});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, Code::kDataLoss);
  }
}

TEST(Codes, MapToHttp) {
  EXPECT_EQ(http_status(Code::kInvalidArgument), 400);
  EXPECT_EQ(http_status(Code::kUnauthenticated), 401);
  EXPECT_EQ(http_status(Code::kUnavailable), 503);
  EXPECT_EQ(code_name(Code::kDeadlineExceeded), "DEADLINE_EXCEEDED");
}

}  // namespace
}  // namespace kefu
