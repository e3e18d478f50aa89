#include "hosting/repository_view.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace kefu::hosting {
namespace {

namespace fs = std::filesystem;

class ARepository : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    publish("shop", 1);
  }
  void publish(const std::string& name, int version, const std::string& manifest = "{}") const {
    const fs::path folder = folder_ / name / std::to_string(version);
    fs::create_directories(folder);
    ASSERT_TRUE(write_file(folder / "manifest.json", manifest));
  }
  RepositoryChange change(const RepositoryView& before) const { return compare(before, look_at(folder_)); }

  const fs::path folder_ = fs::path(testing::TempDir()) / "kefu_repository_view";
};

using Names = std::vector<std::string>;

TEST_F(ARepository, StaysAsItIs) {
  const RepositoryView before = look_at(folder_);
  EXPECT_EQ(before.size(), 1U);
  EXPECT_TRUE(change(before).changed.empty());
  EXPECT_TRUE(change(before).gone.empty());
}

TEST_F(ARepository, ChangesByAVersionAModelOrAConfiguration) {
  RepositoryView before = look_at(folder_);
  publish("shop", 2);
  EXPECT_EQ(change(before).changed, Names{"shop"});
  before = look_at(folder_);
  publish("phone", 1);
  EXPECT_EQ(change(before).changed, Names{"phone"});
  before = look_at(folder_);
  ASSERT_TRUE(write_file(folder_ / "phone" / "config.json", "{}"));
  EXPECT_EQ(change(before).changed, Names{"phone"});
  before = look_at(folder_);
  publish("shop", 2, "{ }");
  EXPECT_EQ(change(before).changed, Names{"shop"});
  before = look_at(folder_);
  ASSERT_TRUE(write_file(folder_ / "shop" / "2" / "heads.bin", "repaired"));
  EXPECT_EQ(change(before).changed, Names{"shop"});
}

TEST_F(ARepository, ShowsNoVersionWithoutItsManifest) {
  const RepositoryView before = look_at(folder_);
  fs::create_directories(folder_ / "shop" / "2");
  ASSERT_TRUE(write_file(folder_ / "shop" / "2" / "heads.bin", "half"));
  EXPECT_TRUE(change(before).changed.empty());
}

TEST_F(ARepository, LosesVersionsAndModels) {
  publish("shop", 2);
  RepositoryView before = look_at(folder_);
  fs::remove_all(folder_ / "shop" / "2");
  EXPECT_EQ(change(before).changed, Names{"shop"});
  before = look_at(folder_);
  fs::remove_all(folder_);
  EXPECT_EQ(change(before).gone, Names{"shop"});
  EXPECT_TRUE(change(before).changed.empty());
}

}  // namespace
}  // namespace kefu::hosting
