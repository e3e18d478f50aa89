#include "hosting/entrance.h"

namespace kefu::hosting {
namespace {

/// Bytes of a message for each of its tokens; the means of the domains' test texts are 2.7 (zh) to 3.8 (ar).
constexpr std::size_t kBytesOfToken = 3;

/// Requests that canaries answer unheard at once; further ones are not.
constexpr std::size_t kShadows = 16;

std::size_t outcome_index(std::optional<Code> failure) {
  return failure ? static_cast<std::size_t>(*failure) + 1 : 0;
}

}  // namespace

Visit::Visit(Entrance& entrance, Entry entry, runtime::Time received, runtime::Permit request)
    : moments{.received = received}, entrance_(entrance), entry_(entry), request_(std::move(request)) {}

Visit::~Visit() {
  if (ended_ == runtime::Time()) end(Code::kUnknown);
}

Result<Selection> Visit::select(const ModelTable& models, const Selector& wanted, std::size_t text_bytes) {
  KEFU_ASSIGN(Selection selection, models.select(wanted));
  model_ = selection.model;
  if (reads_text()) {
    const std::size_t needed = text_bytes / kBytesOfToken + 1;
    if (needed > entrance_.tokens_.limit()) {
      return fail(Code::kOutOfRange, "a text of about {} tokens is more than admission.tokens ({})", needed,
                  entrance_.tokens_.limit());
    }
    auto tokens = entrance_.tokens_.take(needed);
    if (!tokens) return entrance_.refuse(entrance_.tokens_, "tokens");
    tokens_ = *std::move(tokens);
  }
  is_judged_ = selection.by_share;
  if (!selection.shadow) return selection;
  if (auto room = entrance_.shadows_.take(1)) {
    selection.shadow_room = std::make_shared<runtime::Permit>(*std::move(room));
  } else {
    selection.shadow = nullptr;
  }
  return selection;
}

void Visit::end(std::optional<Code> failure) {
  if (ended_ != runtime::Time()) return;
  ended_ = std::chrono::steady_clock::now();
  request_ = {};
  tokens_ = {};
  entrance_.count_end(entry_, failure);
  if (failure == Code::kOutOfRange) entrance_.count(Rejection::kTooLarge);
  if (trace_ && trace_->is_sampled && entrance_.exporter_ != nullptr) export_span(*trace_, failure);
  if (!model_) return;
  if (failure == Code::kResourceExhausted) entrance_.count(Rejection::kQueueFull);
  model_->record().answered(entry_, failure, moments, ended_, is_judged_);
}

void Visit::export_span(const tracing::TraceContext& trace, std::optional<Code> failure) {
  tracing::Span span{.context = trace,
                     .parent = parent_span_,
                     .state = trace_state_,
                     .api = api_name(entry_),
                     .interface = interface_name(entry_),
                     .failure = failure,
                     .moments = moments,
                     .ended = ended_};
  if (model_) {
    span.model = model_->description().name();
    span.version = model_->description().version();
  }
  entrance_.exporter_->add(std::move(span));
}

runtime::Call call_of(const VisitPtr& visit) {
  return {.received = visit->moments.received,
          .moments = std::shared_ptr<runtime::Moments>(visit, &visit->moments)};
}

Entrance::Entrance(const AdmissionSettings& settings, tracing::Exporter* exporter)
    : exporter_(exporter),
      requests_(settings.requests),
      tokens_(settings.tokens),
      bytes_(settings.bytes),
      shadows_(kShadows) {}

Result<VisitPtr> Entrance::enter(Entry entry, runtime::Time received, const tracing::TraceFields& caller) {
  auto permit = requests_.take(1);
  if (!permit) {
    count_end(entry, Code::kResourceExhausted);
    return refuse(requests_, "requests");
  }
  entries_[static_cast<std::size_t>(entry)].accepted.fetch_add(1, std::memory_order_relaxed);
  auto visit = std::make_shared<Visit>(*this, entry, received, *std::move(permit));
  if (const auto parent = tracing::parse_traceparent(caller.traceparent)) {
    visit->trace_ = tracing::child_of(*parent);
    visit->parent_span_ = parent->span;
    visit->trace_state_ = tracing::passable_tracestate(caller.tracestate);
  } else if (const bool samples = exporter_ != nullptr && exporter_->samples();
             samples || !caller.traceparent.empty()) {
    visit->trace_ = tracing::new_trace(samples);  // one that is not valid begins a trace too
  }
  return visit;
}

Result<runtime::Permit> Entrance::admit_body(std::size_t bytes) {
  if (bytes > bytes_.limit()) {
    return fail(Code::kOutOfRange, "a body of {} bytes is larger than admission.bytes ({})", bytes,
                bytes_.limit());
  }
  auto permit = bytes_.take(bytes);
  if (!permit) return refuse(bytes_, "bytes");
  return *std::move(permit);
}

tl::unexpected<Error> Entrance::refuse(const runtime::Budget& budget, std::string_view what) {
  count(Rejection::kPermits);
  return fail(Code::kResourceExhausted,
              "the server has as much under way as it may, {} {}; ask again later, or raise admission.{}",
              budget.limit(), what, what);
}

void Entrance::count_end(Entry entry, std::optional<Code> failure) {
  ByEntry& here = entries_[static_cast<std::size_t>(entry)];
  here.responses[outcome_index(failure)].fetch_add(1, std::memory_order_relaxed);
}

EntranceSnapshot Entrance::snapshot() const {
  EntranceSnapshot all;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    all.entries[i].accepted = entries_[i].accepted;
    for (std::size_t outcome = 0; outcome < EntranceSnapshot::kOutcomes; ++outcome)
      all.entries[i].responses[outcome] = entries_[i].responses[outcome];
  }
  for (std::size_t i = 0; i < kRejections; ++i) all.rejected[i] = rejected_[i];
  all.requests_used = requests_.used();
  all.tokens_used = tokens_.used();
  all.bytes_used = bytes_.used();
  if (exporter_ != nullptr) all.spans = exporter_->snapshot();
  return all;
}

}  // namespace kefu::hosting
