#pragma once
// Lookup tables and regular expressions of the training data, as features of slot units.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <re2/re2.h>

#include "base/result.h"
#include "text/units.h"

namespace kefu::nlu {

/// Name -> values of a lookup table, or name -> RE2 patterns.
using NamedLists = std::map<std::string, std::vector<std::string>>;

/// Finds, whatever the letter case, the values of lookup tables and the matches of patterns that begin and
/// end at units. Immutable; any thread.
class Gazetteer {
 public:
  Gazetteer() = default;

  /// kInvalidArgument naming a pattern that RE2 does not take.
  static Result<Gazetteer> create(NamedLists lookups, NamedLists regexes);

  /// Appends to each unit's features one for every match that covers it: which table or pattern, and whether
  /// the match begins there.
  void add_features(std::u32string_view text, const std::vector<text::Unit>& units,
                    std::vector<std::vector<std::uint32_t>>& features) const;

  const NamedLists& lookups() const { return lookups_; }
  const NamedLists& regexes() const { return regexes_; }

 private:
  struct Matcher {
    std::string name;
    std::shared_ptr<const re2::RE2> pattern;
  };

  Result<void> add(std::string name, const std::string& pattern);

  NamedLists lookups_;
  NamedLists regexes_;
  std::vector<Matcher> matchers_;
};

}  // namespace kefu::nlu
