#pragma once
// "Did you mean …": the nearest of a set of names.

#include <span>
#include <string>
#include <string_view>

namespace kefu {

/// Edit distance (insert, delete, substitute; one each) in bytes.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name with the least distance to `wrong`; the first of equals; empty for no names.
std::string nearest_name(std::string_view wrong, std::span<const std::string> names);

}  // namespace kefu
