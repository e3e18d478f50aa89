#include "train/lined_json.h"

#include <cstddef>
#include <iterator>

namespace kefu::train {
namespace {

/// Counts the lines that the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* line) : at_(at), line_(line) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_++ == '\n') ++*line_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

}  // namespace

Result<LinedJson> parse_lined_json(std::string_view text, std::string_view file) {
  LinedJson out;
  std::size_t line = 1;
  std::string key;
  const auto note = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) key = parsed.get<std::string>();
    const bool starts =
        event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start;
    if (starts && depth == 2) out.lines[key].push_back(line);
    return true;
  };
  const char* begin = text.data();
  out.root = Json::parse(CountingIterator(begin, &line), CountingIterator(begin + text.size(), &line), note,
                         /*allow_exceptions=*/false);
  if (out.root.is_discarded())
    return fail(Code::kInvalidArgument, "{}:{}: not valid JSON from here on", file, line);
  if (!out.root.is_object()) return fail(Code::kInvalidArgument, "{}:1: expected an object of lists", file);
  for (const auto& [name, list] : out.root.items()) {
    if (!list.is_array()) return fail(Code::kInvalidArgument, "{}:1: \"{}\" must be a list", file, name);
    if (out.lines[name].size() != list.size()) {
      return fail(Code::kInvalidArgument,
                  "{}: every entry of \"{}\" must be a list or an object, and the key stand once", file,
                  name);
    }
  }
  return out;
}

}  // namespace kefu::train
