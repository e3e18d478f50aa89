#include "tracing/trace_context.h"

#include <algorithm>
#include <charconv>
#include <random>

#include <fmt/format.h>

namespace kefu::tracing {
namespace {

constexpr std::size_t kLength = 55;  // of version 00: "00-", 32 digits, "-", 16 digits, "-", 2 digits
constexpr unsigned kInvalidVersion = 0xff;
constexpr unsigned kSampled = 1;
constexpr std::size_t kMaxState = 512;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

template <typename Number>
Number read_hex(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

std::mt19937_64& generator() {
  thread_local std::mt19937_64 random = [] {
    std::random_device device;
    return std::mt19937_64((std::uint64_t{device()} << 32) | device());
  }();
  return random;
}

std::uint64_t new_id() {
  for (;;) {
    if (const std::uint64_t id = generator()()) return id;
  }
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view field) {
  if (field.size() < kLength || field[2] != '-' || field[35] != '-' || field[52] != '-') return std::nullopt;
  const std::string_view version = field.substr(0, 2);
  const std::string_view high = field.substr(3, 16);
  const std::string_view low = field.substr(19, 16);
  const std::string_view span = field.substr(36, 16);
  const std::string_view flags = field.substr(53, 2);
  for (const std::string_view part : {version, high, low, span, flags}) {
    if (!is_hex(part)) return std::nullopt;
  }
  if (read_hex<unsigned>(version) == kInvalidVersion) return std::nullopt;
  const bool has_more = field.size() > kLength;  // which later versions may have
  if (has_more && (version == "00" || field[kLength] != '-')) return std::nullopt;
  const TraceContext context{read_hex<std::uint64_t>(high), read_hex<std::uint64_t>(low),
                             read_hex<std::uint64_t>(span), (read_hex<unsigned>(flags) & kSampled) != 0};
  if ((context.trace_high == 0 && context.trace_low == 0) || context.span == 0) return std::nullopt;
  return context;
}

std::string_view passable_tracestate(std::string_view field) {
  const bool is_printable = std::ranges::all_of(field, [](char c) { return c >= ' ' && c <= '~'; });
  return field.size() <= kMaxState && is_printable ? field : std::string_view();
}

std::string to_traceparent(const TraceContext& context) {
  return fmt::format("00-{:016x}{:016x}-{:016x}-{:02x}", context.trace_high, context.trace_low, context.span,
                     context.is_sampled ? kSampled : 0);
}

TraceContext child_of(const TraceContext& parent) {
  TraceContext child = parent;
  child.span = new_id();
  return child;
}

TraceContext new_trace(bool is_sampled) {
  return {new_id(), new_id(), new_id(), is_sampled};
}

bool happens(double share) {
  return share > 0 && std::uniform_real_distribution<double>(0, 1)(generator()) < share;
}

}  // namespace kefu::tracing
