#pragma once
// Helpers over RapidJSON's writer, for replies.

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace kefu {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

/// A text to be written. Its memory is the thread's, and serves one text after the other.
template <typename Writer>
class BasicJsonText {
 public:
  BasicJsonText() : memory_(std::exchange(kept(), nullptr)) {
    if (memory_ == nullptr) memory_ = std::make_unique<Memory>();
    memory_->buffer.Clear();
    memory_->json.Reset(memory_->buffer);
  }
  ~BasicJsonText() {
    if (size() <= kKeptBytes) kept() = std::move(memory_);
  }
  BasicJsonText(const BasicJsonText&) = delete;
  BasicJsonText& operator=(const BasicJsonText&) = delete;

  Writer& json() { return memory_->json; }
  std::size_t size() const { return memory_->buffer.GetSize(); }
  std::string_view view() const { return {memory_->buffer.GetString(), size()}; }
  std::string str() const { return std::string(view()); }

 private:
  static constexpr std::size_t kKeptBytes = 64 * 1024;

  struct Memory {
    rapidjson::StringBuffer buffer;
    Writer json{buffer};
  };

  static std::unique_ptr<Memory>& kept() {
    thread_local std::unique_ptr<Memory> memory;
    return memory;
  }

  std::unique_ptr<Memory> memory_;
};
using JsonText = BasicJsonText<JsonWriter>;

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
