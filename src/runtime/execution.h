#pragma once
// A run of an engine: how large it was, and when its parts ended.

#include <cstddef>

#include "runtime/moments.h"

namespace kefu::runtime {

struct Execution {
  std::size_t rows = 0;
  std::size_t tokens = 0;   // of its rows
  std::size_t padding = 0;  // tokens that fill its shorter rows up
  Time began{};
  Time copied_in{};
  Time computed{};
  Time copied_out{};
};

}  // namespace kefu::runtime
