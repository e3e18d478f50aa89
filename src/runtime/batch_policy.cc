#include "runtime/batch_policy.h"

#include <algorithm>

namespace kefu::runtime {

Result<void> BatchPolicy::check() const {
  if (max_rows == 0) return fail(Code::kInvalidArgument, "max_batch is 0; set it to 1 or more");
  if (buckets.empty() || !std::ranges::is_sorted(buckets, std::ranges::less_equal()) ||
      buckets.front() == 0) {
    return fail(Code::kInvalidArgument, "length_buckets must be lengths above 0, ascending, each once");
  }
  if (buckets.back() > max_tokens) {
    return fail(
        Code::kInvalidArgument,
        "a row of {} tokens, the longest of length_buckets, does not fit max_batch_tokens ({}); raise the "
        "one or lower the other",
        buckets.back(), max_tokens);
  }
  if (levels.empty() || default_level < 1 || default_level > levels.size()) {
    return fail(Code::kInvalidArgument,
                "default_priority_level is {}; with priority_levels {} it must be 1 to {}", default_level,
                levels.size(), levels.size());
  }
  for (const std::size_t rows : preferred_rows) {
    if (rows >= 1 && rows <= max_rows) continue;
    return fail(Code::kInvalidArgument, "preferred_batch_size {} must be 1 to max_batch ({})", rows,
                max_rows);
  }
  if (ageing <= Duration::zero()) return fail(Code::kInvalidArgument, "priority_ageing_ms must be above 0");
  return {};
}

std::size_t BatchPolicy::bucket_of(std::size_t tokens) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(buckets, tokens) - buckets.begin());
}

std::vector<std::size_t> cpu_buckets(std::size_t longest) {
  std::vector<std::size_t> lengths;
  const auto step = [](std::size_t length) -> std::size_t {
    return length < 64 ? 8 : length < 128 ? 16 : length < 256 ? 32 : 64;
  };
  for (std::size_t length = 8; length < longest; length += step(length)) lengths.push_back(length);
  lengths.push_back(longest);
  return lengths;
}

}  // namespace kefu::runtime
