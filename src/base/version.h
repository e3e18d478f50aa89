#pragma once

#include <string_view>

namespace kefu {

/// The version of this build, "0.1.0".
std::string_view version();

}  // namespace kefu
