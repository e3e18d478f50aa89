#include "nlu/gazetteer.h"

#include <algorithm>

#include "nlu/slot_features.h"
#include "text/unicode.h"

namespace kefu::nlu {
namespace {

constexpr std::int64_t kPatternBytes = 64 << 20;  // a lookup table of some ten thousand values
constexpr char32_t kBegins = 14;  // kinds of lexical features, after those of slot_features.cc
constexpr char32_t kContinues = 15;

/// The longest alternatives first: RE2 takes the first that matches.
std::string any_of(std::vector<std::string> values) {
  std::ranges::sort(values, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  std::string pattern;
  for (const std::string& value : values) {
    if (value.empty()) continue;
    pattern += (pattern.empty() ? "" : "|") + re2::RE2::QuoteMeta(value);
  }
  return pattern;
}

/// Where code point offsets lie among the units: the unit that begins there, or ends there.
struct UnitBorders {
  std::map<std::uint32_t, std::size_t> begins;
  std::map<std::uint32_t, std::size_t> ends;

  explicit UnitBorders(const std::vector<text::Unit>& units) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      begins[units[i].span.begin] = i;
      ends[units[i].span.end] = i;
    }
  }
};

}  // namespace

Result<Gazetteer> Gazetteer::create(NamedLists lookups, NamedLists regexes) {
  Gazetteer gazetteer;
  for (const auto& [name, values] : lookups) {
    if (const std::string pattern = any_of(values); !pattern.empty())
      KEFU_CHECK(gazetteer.add("lookup:" + name, pattern));
  }
  for (const auto& [name, patterns] : regexes) {
    for (const std::string& pattern : patterns) KEFU_CHECK(gazetteer.add("regex:" + name, pattern));
  }
  gazetteer.lookups_ = std::move(lookups);
  gazetteer.regexes_ = std::move(regexes);
  return gazetteer;
}

Result<void> Gazetteer::add(std::string name, const std::string& pattern) {
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_case_sensitive(false);
  options.set_max_mem(kPatternBytes);
  auto compiled = std::make_shared<const re2::RE2>("(" + pattern + ")", options);
  if (!compiled->ok())
    return fail(Code::kInvalidArgument, "{}: RE2 does not take \"{}\": {}", name, pattern, compiled->error());
  matchers_.push_back({std::move(name), std::move(compiled)});
  return {};
}

void Gazetteer::add_features(std::u32string_view text, const std::vector<text::Unit>& units,
                             std::vector<std::vector<std::uint32_t>>& features) const {
  if (matchers_.empty()) return;
  const std::string utf8 = text::encode_utf8(text);
  const std::vector<std::uint32_t> offsets = text::code_point_offsets(utf8);
  const auto code_point = [&](const char* at) {
    const auto byte = static_cast<std::uint32_t>(at - utf8.data());
    return static_cast<std::uint32_t>(std::ranges::lower_bound(offsets, byte) - offsets.begin());
  };
  const UnitBorders borders(units);
  for (const Matcher& matcher : matchers_) {
    const std::uint32_t name = string_hash(text::decode_utf8(matcher.name));
    re2::StringPiece match;
    for (std::size_t at = 0; at <= utf8.size();) {
      const re2::StringPiece all(utf8);
      if (!matcher.pattern->Match(all, at, utf8.size(), re2::RE2::UNANCHORED, &match, 1)) break;
      at = static_cast<std::size_t>(match.data() - utf8.data()) + std::max<std::size_t>(match.size(), 1);
      const auto first = borders.begins.find(code_point(match.data()));
      const auto last = borders.ends.find(code_point(match.data() + match.size()));
      if (first == borders.begins.end() || last == borders.ends.end()) continue;
      for (std::size_t u = first->second; u <= last->second; ++u)
        features[u].push_back(lexical_hash(u == first->second ? kBegins : kContinues, {name}));
    }
  }
}

}  // namespace kefu::nlu
