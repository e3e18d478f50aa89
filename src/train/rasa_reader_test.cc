#include "train/rasa_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace kefu::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Dataset parse(std::string_view yaml) {
  auto data = parse_rasa(yaml, "f.yml");
  EXPECT_TRUE(data.has_value()) << data.error().message;
  return data.has_value() ? *std::move(data) : Dataset();
}

std::string error_of(std::string_view yaml) {
  const auto data = parse_rasa(yaml, "f.yml");
  return data.has_value() ? "no error" : data.error().message;
}

/// "line intent: text" of each example.
std::vector<std::string> examples_of(const Dataset& data) {
  std::vector<std::string> out;
  for (const Example& example : data.examples) {
    out.push_back(fmt::format("{} {}: {}", example.origin.line, example.intent, example.text));
  }
  return out;
}

std::vector<std::string> complaints_of(const Dataset& data) {
  std::vector<std::string> out;
  for (const Complaint& complaint : data.complaints) out.push_back(to_string(complaint));
  return out;
}

TEST(RasaReader, LinesAreExactBehindBlankLinesAndComments) {
  const Dataset data = parse(
      "# comment\n"                 // 1
      "version: \"3.1\"\n"          // 2
      "\n"                          // 3
      "nlu:\n"                      // 4
      "# another\n"                 // 5
      "- intent: lost  # why\n"     // 6
      "  examples: |  # note\n"     // 7
      "\n"                          // 8
      "    - it is gone\n"          // 9
      "    # - not this one\n"      // 10
      "\n"                          // 11
      "    - it is gone\n"          // 12
      "    -   [K7](order_id)  \n"  // 13
      "\n"                          // 14
      "# outside\n"                 // 15
      "- intent: late\r\n"          // 16
      "  examples: &late |-\r\n"    // 17
      "      - still not here\r\n"  // 18
      "      - wann?\r\n"           // 19
      "- intent: listed\n"          // 20
      "  examples:\n"               // 21
      "  - plain one\n"             // 22
      "  # comment\n"               // 23
      "  - text: |\n"               // 24
      "\n"                          // 25
      "      in a block\n"          // 26
      "    metadata: {a: b}\n"      // 27
      "  - \"[quoted](x)\"");       // 28
  EXPECT_THAT(
      examples_of(data),
      ElementsAre("9 lost: it is gone", "12 lost: it is gone", "13 lost: K7", "18 late: still not here",
                  "19 late: wann?", "22 listed: plain one", "26 listed: in a block", "28 listed: quoted"));
  EXPECT_THAT(complaints_of(data), IsEmpty());
}

TEST(RasaReader, ReadsSynonymsLookupsAndPatterns) {
  const Dataset data = parse(
      "nlu:\n"
      "- synonym: credit card\n"
      "  examples: |\n"
      "    - plastic\n"
      "- lookup: city\n"
      "  examples: |\n"
      "    - Lyon\n"
      "    - 上海\n"
      "- regex: order_id\n"
      "  examples: |\n"
      "    - [A-Z]\\d{4}\n"
      "    - [A-Z\n"
      "- intent: pay\n"
      "  examples: |\n"
      "    - by [card](method:credit card)\n"
      "    - by [plastic](method:debit card)\n");
  EXPECT_THAT(data.synonyms,
              ElementsAre(testing::Pair("card", "credit card"), testing::Pair("plastic", "credit card")));
  EXPECT_THAT(data.lookups.at("city"), ElementsAre("Lyon", "上海"));
  EXPECT_THAT(data.regexes.at("order_id"), ElementsAre("[A-Z]\\d{4}"));
  EXPECT_THAT(complaints_of(data), ElementsAre(HasSubstr("f.yml:12: error: regex order_id: missing ]"),
                                               HasSubstr("f.yml:16: warning: \"plastic\" already means")));
}

TEST(RasaReader, ComplainsWithLineAndRemedy) {
  struct Row {
    const char* yaml;
    const char* complaint;
  };
  constexpr Row kRows[] = {
      {"nlu:\n- intent: a\n  examples: |\n    - fine\n    - [x\n", "f.yml:5: error: '[' without ']'"},
      {"nlu:\n- intent: a\n  examples: |\n    - fine\n    fine too\n",
       "f.yml:5: error: \"fine too\" is no example"},
      {"nlu:\n- intent: a\n  examples: |\n    -\n", "f.yml:4: error: the example is empty"},
      {"nlu: []\nstories: []\n", "f.yml:2: warning: unknown top-level key \"stories\""},
      {"nlu:\n- examples: |\n    - hi\n", "f.yml:2: error: examples before their intent"},
      {"nlu:\n- intent:\n  examples: |\n    - hi\n", "f.yml:2: error: the intent has no name"},
      {"nlu:\n- intent: a\n", "f.yml:2: error: intent a has no examples"},
      {"nlu:\n- intent: a\n  examples: |\n\n- intent: b\n  examples: |\n    - x\n",
       "f.yml:2: error: intent a has no examples"},
      {"nlu:\n- intent: a\n  exmples: |\n    - x\n", "f.yml:3: warning: unknown key \"exmples\""},
      {"nlu:\n- intent: a\n  lookup: b\n", "f.yml:3: error: one item is both"},
      {"nlu:\n- intent: a\n  examples: >\n    - x\n", "f.yml:3: error: \"examples: >\" joins the lines"},
      {"nlu:\n- intent: a\n  examples: {b: c}\n", "f.yml:3: error: \"examples:\" must hold texts"},
      {"nlu:\n- intent: a\n  examples:\n  - [x](y)\n", ""},
      {"nlu:\n- intent: a\n  examples:\n  - [x]\n", "f.yml:4: error: expected a text"},
      {"nlu:\n- hi\n", "f.yml:2: error: expected \"- intent: name\""},
      {"nlu:\n- intent: [a]\n", "f.yml:2: error: the name of the intent must be one word"},
      {"nlu:\n- intent: a\n  intent: b\n", "f.yml:3: error: \"intent:\" stands twice"},
      {"nlu:\n  a: b\n", "f.yml:1: error: \"nlu:\" must hold a list"},
      {"version: \"3.1\"\n", "f.yml:1: error: the file has no key \"nlu:\""},
      {"", "f.yml:1: error: the file must start with"},
      {"nlu:\n- intent: a\n  examples: |\n    - caf\xE9\n", "f.yml:4: error: bytes that are not UTF-8"},
  };
  for (const Row& row : kRows) {
    if (*row.complaint == '\0') {
      EXPECT_THAT(error_of(row.yaml), HasSubstr("f.yml:4: malformed YAML")) << row.yaml;
    } else {
      EXPECT_THAT(complaints_of(parse(row.yaml)), testing::Contains(testing::StartsWith(row.complaint)))
          << row.yaml;
    }
  }
}

TEST(RasaReader, RefusesWhatIsNotReadableYaml) {
  using std::string_literals::operator""s;
  EXPECT_THAT(error_of("nlu:\n- intent: \"a\n"), HasSubstr("f.yml:2: malformed YAML"));
  EXPECT_THAT(error_of("nlu:\n- intent: a\n  examples:\n  - 'x\n  - y\n\n"),
              HasSubstr("f.yml:5: malformed YAML"));
  EXPECT_THAT(error_of("nlu:\n\tx: y\n"), HasSubstr("f.yml:2: malformed YAML"));
  EXPECT_THAT(error_of("nlu: []\n---\nnlu: []\n"), HasSubstr("a second document"));
  EXPECT_THAT(error_of("nlu:\n- a\0b\n"s), HasSubstr("f.yml:2: control character U+0000"));
  EXPECT_THAT(error_of("nlu:\n\n- a\x04\n"), HasSubstr("f.yml:3: control character U+0004"));
  EXPECT_THAT(error_of("nlu:\n" + std::string(100'000, '[')),
              HasSubstr("f.yml:2: malformed YAML: nested deeper than 64"));
  std::string steps = "nlu:\n";
  for (int i = 0; i < 200; ++i) steps += "- ";
  EXPECT_THAT(error_of(steps), HasSubstr("nested deeper than 64"));
}

class RasaFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "nlu");
  }

  void write(const std::string& name, std::string_view text) {
    ASSERT_TRUE(write_file(folder_ / name, text));
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "kefu_rasa_reader_test";
};

TEST_F(RasaFolder, ReadsEveryFileOfAPart) {
  write("nlu/zh-Hans.yml", "nlu:\n- intent: lost\n  examples: |\n    - 丢了\n");
  write("nlu/de.yml", "nlu:\n- intent: lost\n  examples: |\n    - weg\n");
  write("nlu/notes.txt", "no YAML");
  write("domain.yml", "# shop\ndomain: shop\n");
  const auto data = read_domain(folder_, "nlu");
  ASSERT_TRUE(data.has_value()) << data.error().message;
  ASSERT_EQ(data->examples.size(), 2u);
  EXPECT_EQ(data->examples[0].language, "de");
  EXPECT_EQ(data->examples[0].domain, "shop");
  EXPECT_EQ(data->examples[0].origin.file, (folder_ / "nlu/de.yml").string());
  EXPECT_EQ(data->examples[1].language, "zh");
  EXPECT_EQ(data->examples[1].text, "丢了");
}

TEST_F(RasaFolder, WithoutDomainFileTheFolderNamesTheDomain) {
  write("nlu/all.yml", "nlu:\n- intent: lost\n  examples: |\n    - weg\n");
  const auto data = read_domain(folder_ / "", "nlu");
  ASSERT_TRUE(data.has_value()) << data.error().message;
  EXPECT_EQ(data->examples[0].domain, "kefu_rasa_reader_test");
  EXPECT_EQ(data->examples[0].language, "");
}

TEST_F(RasaFolder, NamesWhatIsMissing) {
  EXPECT_THAT(read_domain(folder_, "nlu").error().message, HasSubstr("has no file *.yml"));
  EXPECT_THAT(read_domain(folder_, "test").error().message, HasSubstr("kefu_rasa_reader_test/test"));
  EXPECT_EQ(read_rasa_file(folder_ / "none.yml").error().code, Code::kNotFound);
  write("domain.yml", "domain: [a]\n");
  EXPECT_THAT(read_domain(folder_, "nlu").error().message,
              HasSubstr("domain.yml:1: \"domain:\" must be one name"));
}

}  // namespace
}  // namespace kefu::train
