#pragma once
// Which versions of a model answer the requests that name none.

#include <optional>
#include <string>
#include <string_view>

namespace kefu::hosting {

/// Shares are in basis points: 10,000 are all.
struct Traffic {
  std::optional<int> stable{};  // the version labelled so; none: the highest in service
  std::optional<int> canary{};  // the version labelled so; serves who asks for the label, and its share
  std::optional<int> kept{};    // a version that stays in service besides
  std::string release{};        // id of the release under way; empty: none
  int canary_share = 0;         // of requests
  int shadow_share = 0;         // of requests that the canary answers too, unheard

  bool operator==(const Traffic&) const = default;
};

inline constexpr int kWhole = 10'000;

/// Where a key falls, 0 to 9,999, in a change of versions: the same in every process, other in the next
/// change. A share of s takes the keys below s, so a growing share keeps those it has.
int share_bucket(std::string_view change, std::string_view key);

}  // namespace kefu::hosting
