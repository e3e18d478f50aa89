#include "runtime/cache_key.h"

#include <array>
#include <span>

namespace kefu::runtime {

KeyBuilder& KeyBuilder::add(std::string_view part) {
  update_number(part.size());
  digest_.update(std::as_bytes(std::span(part)));
  return *this;
}

KeyBuilder& KeyBuilder::add(std::uint64_t number) {
  update_number(sizeof(number));
  update_number(number);
  return *this;
}

/// Little-endian, whatever the machine.
void KeyBuilder::update_number(std::uint64_t number) {
  std::array<std::byte, sizeof(number)> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(number >> (8 * i));
  digest_.update(bytes);
}

}  // namespace kefu::runtime
