#pragma once
// Helpers over RapidJSON's writer, for replies.

#include <cmath>
#include <string_view>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace kefu {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

inline void write_string(JsonWriter& json, std::string_view text) {
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

inline void write_member(JsonWriter& json, std::string_view key, std::string_view value) {
  json.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  write_string(json, value);
}

/// Six decimals: 0.9f is written as 0.9. What JSON cannot say (NaN, infinity) becomes 0.
inline void write_member(JsonWriter& json, std::string_view key, double value) {
  json.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  json.Double(std::isfinite(value) ? std::round(value * 1e6) / 1e6 : 0.0);
}

}  // namespace kefu
