#include <cstdint>

#include "serve/embeddings_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxCodePoints = 100;
  const auto request =
      kefu::serve::read_embeddings_request({reinterpret_cast<const char*>(data), size}, kMaxCodePoints);
  if (request && request->texts.empty()) __builtin_trap();
  return 0;
}
