#pragma once
// Where inference requests come in: there is room for them or not, a version of the model is chosen, and each
// is counted once.

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>

#include "hosting/model_table.h"
#include "runtime/budget.h"
#include "tracing/exporter.h"

namespace kefu::hosting {

/// Section `admission` of kefu.yaml: what may be under way at once, on all routes together.
struct AdmissionSettings {
  std::size_t requests = 512;
  std::size_t tokens = 262'144;          // of text, as far as its bytes tell before it is read
  std::size_t bytes = 64 * 1024 * 1024;  // of bodies
};

/// Why a request was refused before a model saw it, or by its queue.
enum class Rejection { kPermits, kQueueFull, kTooLarge, kAuth, kDraining };
inline constexpr std::size_t kRejections = 5;

struct EntranceSnapshot {
  static constexpr std::size_t kOutcomes = static_cast<std::size_t>(Code::kUnauthenticated) + 2;

  struct ByEntry {
    std::uint64_t accepted = 0;
    std::array<std::uint64_t, kOutcomes> responses{};  // ok first, then by Code
  };

  std::array<ByEntry, kEntries.size()> entries;
  std::array<std::uint64_t, kRejections> rejected{};
  std::size_t requests_used = 0;
  std::size_t tokens_used = 0;
  std::size_t bytes_used = 0;
  tracing::ExporterSnapshot spans{};
};

class Entrance;

/// A request from its arrival to its reply. Holds what it takes up of the entrance's room.
class Visit {
 public:
  Visit(Entrance& entrance, Entry entry, runtime::Time received, runtime::Permit request);
  /// end() has been called.
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  /// Chooses the version that is to answer, and takes room for `text_bytes` of text if it reads text. Errors
  /// of ModelTable::select(); kResourceExhausted.
  Result<Selection> select(const ModelTable& models, const Selector& wanted, std::size_t text_bytes);

  /// The end: the reply is ready to be sent. `failure`: none if the request was answered. To be called once.
  void end(std::optional<Code> failure);

  /// Whether the model that was chosen reads text.
  bool reads_text() const { return model_ && !model_->description().intents.empty(); }

  /// When it ended; Time() before.
  runtime::Time ended() const { return ended_; }

  /// Its span; none: it is in no trace.
  const std::optional<tracing::TraceContext>& trace() const { return trace_; }

  /// What the caller's own tracing system wants to be passed on; of a visit that is in a caller's trace.
  const std::string& trace_state() const { return trace_state_; }

  runtime::Moments moments;  // the call's; see call_of()

 private:
  friend class Entrance;

  void export_span(const tracing::TraceContext& trace, std::optional<Code> failure);

  Entrance& entrance_;
  const Entry entry_;
  runtime::Permit request_;
  runtime::Permit tokens_;
  ModelRef model_;
  std::optional<tracing::TraceContext> trace_;
  std::uint64_t parent_span_ = 0;
  std::string trace_state_;
  bool is_judged_ = false;
  runtime::Time ended_{};
};

using VisitPtr = std::shared_ptr<Visit>;

/// A call that leaves its moments in the visit.
runtime::Call call_of(const VisitPtr& visit);

/// Thread-safe. Outlives its visits and permits, so the models, which may hold both.
class Entrance {
 public:
  /// `exporter`, of traces, outlives it; null: nobody.
  explicit Entrance(const AdmissionSettings& settings, tracing::Exporter* exporter = nullptr);

  /// Room for a request. `caller`: what it says of the trace that it is in.
  /// kResourceExhausted.
  Result<VisitPtr> enter(Entry entry, runtime::Time received, const tracing::TraceFields& caller = {});

  /// Room for a body. kResourceExhausted; kOutOfRange if it alone is too much.
  Result<runtime::Permit> admit_body(std::size_t bytes);

  /// Counts a refusal that others have made.
  void count(Rejection why) { ++rejected_[static_cast<std::size_t>(why)]; }

  /// The end of traces: what visits have left is sent, within tracing::Exporter::kLimit.
  void finish_traces() {
    if (exporter_ != nullptr) exporter_->finish();
  }

  EntranceSnapshot snapshot() const;

 private:
  friend class Visit;

  struct ByEntry {
    std::atomic<std::uint64_t> accepted = 0;
    std::array<std::atomic<std::uint64_t>, EntranceSnapshot::kOutcomes> responses{};
  };

  tl::unexpected<Error> refuse(const runtime::Budget& budget, std::string_view what);
  void count_end(Entry entry, std::optional<Code> failure);

  tracing::Exporter* exporter_;
  runtime::Budget requests_;
  runtime::Budget tokens_;
  runtime::Budget bytes_;
  runtime::Budget shadows_;
  std::array<ByEntry, kEntries.size()> entries_;
  std::array<std::atomic<std::uint64_t>, kRejections> rejected_{};
};

}  // namespace kefu::hosting
