// libFuzzer: what credential_of() finds is a part of the field; what redact() leaves has nothing more to
// hide.

#include <cstdint>
#include <cstdlib>

#include "auth/bearer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto credential = kefu::auth::credential_of(text, "");
  const auto found = credential.value_or(std::nullopt);
  if (found && !text.ends_with(*found)) std::abort();
  const std::string redacted = kefu::auth::redact(text);
  if (kefu::auth::redact(redacted) != redacted) std::abort();
  return 0;
}
