#include "oip/classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kefu::oip {
namespace {

using testing::ElementsAre;

Tensor scores(std::vector<std::int64_t> shape, const std::vector<float>& values) {
  return {"scores",
          DataType::kFp32,
          std::move(shape),
          {},
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))};
}

TEST(Classification, LargestFirstAndTheLowerIndexAmongEquals) {
  const auto found = classify(scores({2, 3}, {0.5F, 2, 2, 7, -1, 0}), 2, {"a", "b"}, true);
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(found->shape, ElementsAre(2, 2));
  EXPECT_THAT(bytes_elements(*found),
              ElementsAre("2.000000:1:b", "2.000000:2", "7.000000:0:a", "0.000000:2"));
}

TEST(Classification, NoMoreThanThereAre) {
  EXPECT_THAT(classify(scores({1, 2}, {1, 2}), 9, {}, true)->shape, ElementsAre(1, 2));
  EXPECT_THAT(classify(scores({2}, {1, 2}), 1, {}, false)->shape, ElementsAre(1));
  EXPECT_THAT(classify(scores({0, 2}, {}), 1, {}, true)->shape, ElementsAre(0, 0));
}

TEST(Classification, WhatIsNoNumber) {
  EXPECT_EQ(classify({"out", DataType::kBytes, {0}, {}, {}}, 1, {}, false).error().code,
            Code::kInvalidArgument);
  EXPECT_EQ(*classes_wanted({"out", {}}), 0U);
  EXPECT_EQ(*classes_wanted({"out", {{"classification", std::int64_t{3}}}}), 3U);
  EXPECT_FALSE(classes_wanted({"out", {{"classification", std::int64_t{-1}}}}));
  EXPECT_FALSE(classes_wanted({"out", {{"classification", true}}}));
}

}  // namespace
}  // namespace kefu::oip
