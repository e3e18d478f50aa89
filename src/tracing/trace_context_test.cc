#include "tracing/trace_context.h"

#include <gtest/gtest.h>

namespace kefu::tracing {
namespace {

// The examples of the standard.
constexpr const char* kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceContext, IsReadAndWritten) {
  const auto context = parse_traceparent(kParent);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->trace_high, 0x0af7651916cd43ddU);
  EXPECT_EQ(context->trace_low, 0x8448eb211c80319cU);
  EXPECT_EQ(context->span, 0xb7ad6b7169203331U);
  EXPECT_TRUE(context->is_sampled);
  EXPECT_EQ(to_traceparent(*context), kParent);
  EXPECT_FALSE(parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")->is_sampled);
}

TEST(TraceContext, OfALaterVersionMayBeLonger) {
  EXPECT_EQ(parse_traceparent("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what-the-future"),
            parse_traceparent(kParent));
  EXPECT_EQ(parse_traceparent("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-09"),
            parse_traceparent(kParent));
}

TEST(TraceContext, ThatIsNotValidIsNone) {
  for (const char* field : {
           "",
           "00",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.",
           "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.what",
           "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
           "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
           "00 0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-+1",
       }) {
    EXPECT_FALSE(parse_traceparent(field)) << field;
  }
}

TEST(TraceContext, StateIsPassedOnWithinBounds) {
  EXPECT_EQ(passable_tracestate("congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"),
            "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7");
  EXPECT_EQ(passable_tracestate(std::string(512, 'a')).size(), 512U);
  EXPECT_EQ(passable_tracestate(std::string(513, 'a')), "");
  EXPECT_EQ(passable_tracestate("a=\xff"), "");
  EXPECT_EQ(passable_tracestate("a=\t"), "");
}

TEST(TraceContext, OfAChildHasAnIdOfItsOwn) {
  const auto parent = parse_traceparent(kParent);
  ASSERT_TRUE(parent);
  TraceContext child = child_of(*parent);
  EXPECT_NE(child.span, parent->span);
  child.span = parent->span;
  EXPECT_EQ(child, *parent);
  EXPECT_NE(new_trace(true), new_trace(true));
  for (const bool is_sampled : {false, true}) {
    const TraceContext begun = new_trace(is_sampled);
    EXPECT_EQ(begun.is_sampled, is_sampled);
    EXPECT_EQ(parse_traceparent(to_traceparent(begun)), begun);
  }
}

TEST(TraceContext, IsSampledByChance) {
  int sampled = 0;
  for (int i = 0; i < 10'000; ++i) sampled += happens(0.25) ? 1 : 0;
  EXPECT_NEAR(sampled, 2500, 250);
  EXPECT_FALSE(happens(0));
  EXPECT_TRUE(happens(1));
}

}  // namespace
}  // namespace kefu::tracing
