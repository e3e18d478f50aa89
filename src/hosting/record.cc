#include "hosting/record.h"

namespace kefu::hosting {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;  // counters order nothing else

/// Whether a failure is the model's or the server's, not the caller's.
bool is_ours(Code code) {
  switch (code) {
    case Code::kInternal:
    case Code::kUnknown:
    case Code::kDataLoss:
    case Code::kUnavailable:
    case Code::kDeadlineExceeded:
    case Code::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

}  // namespace

const metrics::Bounds& latency_bounds() {
  static const metrics::Bounds bounds = [] {
    metrics::Bounds all;
    for (double bound = 50e3; bound < 10e9; bound *= 1.1) all.push_back(static_cast<std::uint64_t>(bound));
    return all;
  }();
  return bounds;
}

void Record::answered(Entry entry, std::optional<Code> failure, const runtime::Moments& moments,
                      runtime::Time now, bool is_judged) {
  ByEntry& here = entries_[static_cast<std::size_t>(entry)];
  here.request.observe(now - moments.received);
  if (failure) {
    if (is_judged && is_ours(*failure)) errors_.fetch_add(1, kRelaxed);
    return;
  }
  if (moments.copied_out == runtime::Time()) return;  // a kept reply says nothing about the model
  here.postprocess.observe(now - moments.copied_out);
  if (is_judged) latency_.observe(now - moments.received);
}

void Record::predicted(std::optional<std::size_t> label) {
  labels_[label.value_or(labels_.size() - 1)].fetch_add(1, kRelaxed);
}

RecordSnapshot Record::snapshot() const {
  RecordSnapshot all;
  for (std::size_t i = 0; i < entries_.size(); ++i)
    all.entries[i] = {entries_[i].request.snapshot(), entries_[i].postprocess.snapshot()};
  all.errors = errors_.load(kRelaxed);
  all.latency = latency_.snapshot();
  all.replies = all.latency.count() + all.errors;
  for (const auto& label : labels_) all.labels.push_back(label.load(kRelaxed));
  all.truncated = truncated_.load(kRelaxed);
  for (std::size_t i = 0; i < kShadowed; ++i) all.shadowed[i] = shadowed_[i].load(kRelaxed);
  return all;
}

}  // namespace kefu::hosting
