#include "train/rasa_annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kefu::train {
namespace {

/// "text | name role group value begin-end | …", or the fault.
std::string read(std::string_view line) {
  const Annotated result = parse_annotated(line);
  if (!result.fault.empty()) return result.fault;
  std::string out = result.text;
  for (const Entity& entity : result.entities) {
    out += fmt::format(" | {} {} {} {} {}-{}", entity.name, entity.role, entity.group, entity.value,
                       entity.span.begin, entity.span.end);
  }
  return out;
}

struct Row {
  const char* line;
  const char* expected;
};

TEST(RasaAnnotation, ReadsEveryForm) {
  constexpr Row kRows[] = {
      {"where is it", "where is it"},
      {"my parcel [K-77](order_id) is late", "my parcel K-77 is late | order_id   K-77 10-14"},
      {"[K-77](order_id)", "K-77 | order_id   K-77 0-4"},
      {"pay [with plastic](method:credit card)", "pay with plastic | method   credit card 4-16"},
      {"at [noon](time:12:00)", "at noon | time   12:00 3-7"},
      {"换成[畅玩59]{\"entity\": \"plan\", \"role\": \"target\"}吧",
       "换成畅玩59吧 | plan target  畅玩59 2-6"},
      {"[a](x) é [b]{\"entity\":\"y\",\"group\":\"2\",\"value\":\"B}\"}", "a é b | x   a 0-1 | y  2 B} 4-5"},
      {"👋 [Öl](product)", "👋 Öl | product   Öl 2-4"},
      {"[Lyon][{\"entity\":\"city\"},{\"entity\":\"place\",\"value\":7}]",
       "Lyon | city   Lyon 0-4 | place   7 0-4"},
      {"a [bare] pair (is) text", "a [bare] pair (is) text"},
      {"[x] (y)", "[x] (y)"},
      {R"(an \[escaped\] pair \o/)", R"(an [escaped] pair \o/)"},
  };
  for (const Row& row : kRows) EXPECT_EQ(read(row.line), row.expected) << row.line;
}

TEST(RasaAnnotation, SaysWhatIsWrong) {
  constexpr Row kRows[] = {
      {"where is [it", "'[' without ']'"},
      {"where [is [it](x)", "'[' without ']'"},
      {"where is it](x)", "']' without '['"},
      {"[](x)", "without text"},
      {"[  ](x)", "without text"},
      {"[it]()", "names no entity"},
      {"[it](:value)", "names no entity"},
      {"[it](x:)", "value of [it](x) is empty"},
      {"[it](two words)", "has a blank"},
      {"[it](x", "lacks ')'"},
      {"[it]{\"entity\": \"x\"", "lacks '}'"},
      {"[it]{entity: x}", "not valid JSON"},
      {"[it]{\"role\": \"x\"}", "names no entity"},
      {"[it]{\"entity\": \"x\", \"rol\": \"y\"}", "did you mean \"role\"?"},
      {"[it]{\"entity\": null}", "must be a string"},
      {"[it][{}]", "names no entity"},
      {"", "empty"},
  };
  for (const Row& row : kRows)
    EXPECT_THAT(parse_annotated(row.line).fault, testing::HasSubstr(row.expected)) << row.line;
}

}  // namespace
}  // namespace kefu::train
