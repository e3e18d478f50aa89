// libFuzzer: any bytes are either a request within the limits or an error with a message.

#include <cstdint>
#include <cstdlib>

#include "serve/parse_request.h"
#include "text/unicode.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxCodePoints = 100;
  const auto request =
      kefu::serve::read_parse_request({reinterpret_cast<const char*>(data), size}, kMaxCodePoints);
  if (!request.has_value()) {
    if (request.error().message.empty()) std::abort();
    return 0;
  }
  if (!kefu::text::is_valid_utf8(request->text)) std::abort();
  if (kefu::text::decode_utf8(request->text).size() > kMaxCodePoints) std::abort();
  return 0;
}
