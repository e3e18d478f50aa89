#pragma once
// The ways by which requests come in.

#include <array>
#include <cstddef>
#include <string_view>

namespace kefu::hosting {

enum class Entry { kNative, kV2Http, kV2Grpc, kOpenAi };
inline constexpr std::array kEntries{Entry::kNative, Entry::kV2Http, Entry::kV2Grpc, Entry::kOpenAi};

/// "native", "v2", "openai".
constexpr std::string_view api_name(Entry entry) {
  if (entry == Entry::kOpenAi) return "openai";
  return entry == Entry::kNative ? "native" : "v2";
}

/// "http", "grpc".
constexpr std::string_view interface_name(Entry entry) {
  return entry == Entry::kV2Grpc ? "grpc" : "http";
}

}  // namespace kefu::hosting
