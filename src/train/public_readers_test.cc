#include "train/public_readers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/file.h"

namespace kefu::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string describe(const Result<DatasetSpec>& spec) {
  return spec.has_value() ? fmt::format("{} {} {}", spec->format, spec->path.string(), spec->split)
                          : spec.error().message;
}

TEST(DatasetSpec, Parses) {
  struct Row {
    const char* spec;
    const char* expected;
  };
  constexpr Row kRows[] = {
      {"clinc:/a/data_full.json.gz#test", "clinc /a/data_full.json.gz test"},
      {"banking:b/train.csv", "banking b/train.csv "},
      {"conll:en.valid.conll", "conll en.valid.conll "},
      {"snips:/s#train_full", "snips /s train_full"},
      {"snips:/s/train_X.json", "snips /s/train_X.json "},
      {"rasa:domains/telecom#test", "rasa domains/telecom test"},
      {"domains/telecom", "rasa domains/telecom nlu"},
      {"./with:colon.yml", "rasa ./with:colon.yml nlu"},
  };
  for (const Row& row : kRows) EXPECT_EQ(describe(parse_dataset_spec(row.spec)), row.expected) << row.spec;
}

TEST(DatasetSpec, SaysWhatIsWrong) {
  EXPECT_THAT(describe(parse_dataset_spec("bankng:x.csv")), HasSubstr("did you mean \"banking\"?"));
  EXPECT_THAT(describe(parse_dataset_spec("clinc:x.json")),
              HasSubstr("write the split behind the path: #train or #val or #test"));
  EXPECT_THAT(describe(parse_dataset_spec("clinc:x.json#dev")), HasSubstr("#val"));
  EXPECT_THAT(describe(parse_dataset_spec("banking:x.csv#train")), HasSubstr("leave out #train"));
  EXPECT_THAT(describe(parse_dataset_spec("banking:")), HasSubstr("has no path"));
  EXPECT_THAT(describe(parse_dataset_spec("")), HasSubstr("has no path"));
}

std::string gzip(std::string text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

class PublicReaders : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }

  /// "line intent: text {name begin-end value}" of each example, then the complaints, or the error.
  std::vector<std::string> read(const std::string& format, const std::string& name, std::string_view content,
                                const std::string& split = "") {
    EXPECT_TRUE(write_file(folder_ / name, content));
    return read_spec({folder_ / name, format, split});
  }

  std::vector<std::string> read_spec(const DatasetSpec& spec) {
    const auto data = read_dataset(spec);
    if (!data.has_value()) return {data.error().message.substr(folder_.string().size() + 1)};
    std::vector<std::string> out;
    for (const Example& example : data->examples) {
      out.push_back(fmt::format("{} {}: {}", example.origin.line, example.intent, example.text));
      for (const Entity& entity : example.entities) {
        out.back() +=
            fmt::format(" {{{} {}-{} {}}}", entity.name, entity.span.begin, entity.span.end, entity.value);
      }
    }
    for (const Complaint& complaint : data->complaints) {
      out.push_back(to_string(complaint).substr(folder_.string().size() + 1));
    }
    return out;
  }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "kefu_public_readers_test";
};

TEST_F(PublicReaders, Banking) {
  EXPECT_THAT(read("banking", "b.csv",
                   "\xEF\xBB\xBFtext,category\r\n"
                   "My card is gone,lost\r\n"
                   "\"Gone, \"\"really\"\"\r\ngone\",lost\r\n"
                   "\r\n"
                   "one, two,lost\r\n"
                   ",lost\n"
                   "caf\xE9,food"),
              ElementsAre("2 lost: My card is gone", "3 lost: Gone, \"really\"\r\ngone",
                          "8 food: caf\xEF\xBF\xBD", StartsWith("b.csv:8: warning: bytes that are not UTF-8"),
                          StartsWith("b.csv:6: error: 3 fields, expected 2"),
                          StartsWith("b.csv:7: error: the text or the category is empty")));
  EXPECT_THAT(read("banking", "b.csv", "text,category\na,\"b\n"),
              ElementsAre(StartsWith("b.csv:2: a quote is not closed")));
  EXPECT_THAT(read("banking", "b.csv", "text,category\n\"a\"b,c\n"),
              ElementsAre(StartsWith("b.csv:2: text behind a closing quote")));
  EXPECT_THAT(read("banking", "b.csv", "text,label\n"),
              ElementsAre(StartsWith("b.csv:1: there is no column \"category\"")));
  EXPECT_THAT(read("banking", "b.csv", ""), ElementsAre(StartsWith("b.csv:1: there is no column \"text\"")));
}

TEST_F(PublicReaders, Bitext) {
  EXPECT_THAT(
      read("bitext", "b.csv",
           "utterance,intent,entity_type,entity_value,start_offset,end_offset,category,tags\n"
           "where is parcel kx7,track,parcel,KX7,16,19,SHIP,B\n"
           "é où est kx7,track,parcel,kx7,9,12,SHIP,B\n"
           "thanks,thank,,,,,SOCIAL,B\n"
           "where is kx7,track,parcel,kx7,9,13,SHIP,B\n"
           "where is kx7,track,parcel,kx7,9,9,SHIP,B\n"
           "where is kx7,track,parcel,kx7,8,11,SHIP,B\n"
           "where is kx7,track,parcel,kx7,-1,11,SHIP,B\n"),
      ElementsAre(
          "2 track: where is parcel kx7 {parcel 16-19 KX7}", "3 track: é où est kx7 {parcel 9-12 kx7}",
          "4 thank: thanks",
          StartsWith("b.csv:5: error: the entity parcel at 9..13 lies outside its text of 12 characters"),
          StartsWith("b.csv:6: error: the entity parcel at 9..9 lies outside"),
          HasSubstr("is \"kx7\" but its offsets say \" kx\""), HasSubstr("must be whole numbers")));
}

TEST_F(PublicReaders, Clinc) {
  const std::string json =
      "{\n\"train\": [[\"a\", \"b\"]],\n\"oos_val\": [\n  [\"sing a song\", \"oos\"]],\n"
      "\"val\": [\n  [\"book a hut\", \"book\"],\n  [\n    \"what time\",\n    \"time\"], [\"odd\"]]}";
  const auto expected = ElementsAre("6 book: book a hut", "7 time: what time", "4 out_of_scope: sing a song",
                                    StartsWith("c.json:9: error: expected [\"text\", \"intent\"]"));
  EXPECT_THAT(read("clinc", "c.json", json, "val"), expected);
  EXPECT_TRUE(write_file(folder_ / "c.json", gzip(json)));
  EXPECT_THAT(read_spec({folder_ / "c.json", "clinc", "val"}), expected);
  EXPECT_THAT(read("clinc", "c.json", json, "train"),
              ElementsAre("c.json: the key \"oos_train\" is missing"));
  EXPECT_THAT(read("clinc", "c.json", json, "dev"), ElementsAre(HasSubstr("no split \"dev\"")));
  EXPECT_THAT(read("clinc", "c.json", "{\n\"val\": [\n,", "val"),
              ElementsAre(StartsWith("c.json:3: not valid JSON")));
  EXPECT_THAT(read("clinc", "c.json", "{\"val\": [1]}", "val"),
              ElementsAre(HasSubstr("must be a list or an object")));
  EXPECT_THAT(read("clinc", "c.json", "[]", "val"), ElementsAre(HasSubstr("expected an object of lists")));
  EXPECT_THAT(read("clinc", "c.json", gzip(json).substr(0, 40), "val").front(),
              StartsWith("c.json: it is not whole gzip or zlib data"));
}

TEST_F(PublicReaders, Conll) {
  EXPECT_THAT(
      read("conll", "de.valid.conll",
           "# text-en = Where are you now?\n# text = Wo bist du jetzt?\n# intent = ask\n"
           "1\tWo\task\tO\n2\tbist\task\tO\n3\tdu\task\tB-who\n4\tjetzt\task\tB-when\n5\t?\task\tI-when\n"
           "\n\n"
           "# intent: ask\n# text: other "
           "words\n1\tWo\task\tI-at\n2\t\task\tO\n3\tÖl\task\tB-at\n4\tda\task\tB-at\n"
           "\n"
           "1\tWo\task\tX-at\n"
           "\n"
           "1 Wo ask O"),
      ElementsAre("2 ask: Wo bist du jetzt? {who 8-10 du} {when 11-17 jetzt?}",
                  "12 ask: Wo Öl da {at 0-2 Wo} {at 3-5 Öl} {at 6-8 da}",
                  StartsWith("de.valid.conll:18: error: the label \"X-at\" must be"),
                  StartsWith("de.valid.conll:20: error: \"1 Wo ask O\" must be")));
  EXPECT_THAT(read("conll", "ja.conll",
                   "# text = 明日 の 天気 App One は ？\n# intent = "
                   "ask\n1\t明\task\tB-when\n2\t日\task\tI-when\n3\tの\task\tO\n"
                   "4\t天気\task\tO\n5\tApp\task\tB-app\n6\tOne\task\tI-app\n7\tは\task\tO\n\n"
                   "# intent = ask\n1\t何\task\tO\n2\t時\task\tB-what\n"),
              ElementsAre("1 ask: 明日の天気App Oneは？ {when 0-2 明日} {app 5-12 App One}",
                          "11 ask: 何時 {what 1-2 時}"));
}

TEST_F(PublicReaders, Snips) {
  const std::string sentence =
      "{\"Play\": [\n {\"data\": [{\"text\": \"play é \"}, {\"text\": \"Blue\xED\xA0\xBC\", \"entity\": "
      "\"song\"}]},\n"
      " {\"data\": [{\"text\": \"\"}]},\n {\"data\": [{\"text\": \"\", \"entity\": \"song\"}]},\n {}]}";
  EXPECT_THAT(read("snips", "train_Play_full.json", sentence),
              ElementsAre("2 Play: play é Blue��� {song 7-14 Blue���}",
                          StartsWith("train_Play_full.json:2: warning: bytes"),
                          StartsWith("train_Play_full.json:3: error: the sentence is empty"),
                          StartsWith("train_Play_full.json:4: error: an entity has an empty text"),
                          StartsWith("train_Play_full.json:5: error: expected {\"data\"")));
  EXPECT_TRUE(write_file(folder_ / "train_Play.json", R"({"Play": [{"data": [{"text": "small"}]}]})"));
  EXPECT_TRUE(write_file(folder_ / "validate_Play.json", R"({"Play": [{"data": [{"text": "check"}]}]})"));
  EXPECT_TRUE(write_file(folder_ / "validate_Ask.json", R"({"Ask": [{"data": [{"text": "ask"}]}]})"));
  EXPECT_THAT(read_spec({folder_, "snips", "train"}), ElementsAre("1 Play: small"));
  EXPECT_THAT(read_spec({folder_, "snips", "validate"}), ElementsAre("1 Ask: ask", "1 Play: check"));
  EXPECT_EQ(read_spec({folder_, "snips", "train_full"}).size(), 5u);
  EXPECT_THAT(read_dataset({folder_, "snips", ""}).error().message, HasSubstr("#validate"));
}

TEST_F(PublicReaders, RasaFileAndMissingFile) {
  EXPECT_THAT(read("rasa", "en.yml", "nlu:\n- intent: a\n  examples: |\n    - b\n"), ElementsAre("4 a: b"));
  EXPECT_EQ(read_dataset({folder_ / "none.csv", "banking", ""}).error().code, Code::kNotFound);
}

}  // namespace
}  // namespace kefu::train
