#include "nlu/byte_dot.h"

// GCC turns the loop into vpdpbusd in the first clone. Clang, which only builds the sanitizers' trees, would
// resolve the clones before a sanitizer has started.
#if defined(__clang__)
#define KEFU_CLONES
#else
#define KEFU_CLONES __attribute__((target_clones("arch=cascadelake", "default")))
#endif

namespace kefu::nlu {

KEFU_CLONES std::int32_t byte_dot(const std::uint8_t* a, const std::int8_t* b, std::size_t size) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < size; ++i)
    sum += static_cast<std::int32_t>(a[i]) * static_cast<std::int32_t>(b[i]);
  return sum;
}

}  // namespace kefu::nlu
