#include "runtime/wakeups.h"

#include <gtest/gtest.h>

namespace kefu::runtime {
namespace {

struct Counter final : Wakeup {
  void wake() override { ++count; }
  int count = 0;
};

TEST(Wakeups, AreDoneOnceAtTheEndOfTheOutermost) {
  const auto one = std::make_shared<Counter>();
  const auto other = std::make_shared<Counter>();
  {
    const Wakeups outer;
    {
      const Wakeups inner;
      Wakeups::defer(one);
      Wakeups::defer(one);
    }
    Wakeups::defer(other);
    Wakeups::defer(one);
    EXPECT_EQ(one->count, 0);
  }
  EXPECT_EQ(one->count, 1);
  EXPECT_EQ(other->count, 1);
}

TEST(Wakeups, AreDoneAtOnceWhereNobodyCollects) {
  const auto one = std::make_shared<Counter>();
  Wakeups::defer(one);
  Wakeups::defer(one);
  EXPECT_EQ(one->count, 2);
}

}  // namespace
}  // namespace kefu::runtime
