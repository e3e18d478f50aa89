// Our families of models; see metrics_families.h.

#include <algorithm>

#include "serve/metrics_families.h"

namespace kefu::serve {
namespace {

using metrics::HistogramSnapshot;
using metrics::Labels;

constexpr double kNanosecond = 1e-9;

Labels own_labels(const hosting::VersionStatus& status) {
  return {{"model", status.name},
          {"version", std::to_string(status.version)},
          {"label", std::string(status.label)}};
}

Labels with(Labels labels, std::string_view name, std::string_view value) {
  labels.emplace_back(name, value);
  return labels;
}

Labels at_entry(const hosting::VersionStatus& status, hosting::Entry entry) {
  return with(with(own_labels(status), "api", hosting::api_name(entry)), "interface",
              hosting::interface_name(entry));
}

bool reads_text(const WatchedModel& model) {
  return !model.status.model->description().intents.empty();
}

struct HistogramFamily {
  std::string_view name;
  std::string_view help;
  const metrics::Bounds& (*bounds)();
  double scale;
  bool of_text;  // written for models that read text only
  HistogramSnapshot runtime::StatisticsSnapshot::* histogram;
};

using Stats = runtime::StatisticsSnapshot;

const HistogramFamily kHistograms[] = {
    {"kefu_tokenize_duration_seconds", "From a request's last byte to the queue.", metrics::duration_bounds,
     kNanosecond, false, &Stats::tokenize},
    {"kefu_queue_duration_seconds", "From the queue to an instance.", metrics::duration_bounds, kNanosecond,
     false, &Stats::queue},
    {"kefu_compute_input_duration_seconds", "Joining the inputs of a batch.", metrics::duration_bounds,
     kNanosecond, false, &Stats::compute_input},
    {"kefu_compute_infer_duration_seconds", "The engine's run.", metrics::duration_bounds, kNanosecond, false,
     &Stats::compute_infer},
    {"kefu_compute_output_duration_seconds", "From the engine's results to each request's.",
     metrics::duration_bounds, kNanosecond, false, &Stats::compute_output},
    {"kefu_batch_rows", "Rows of a run.", metrics::size_bounds, 1, false, &Stats::batch_rows},
    {"kefu_batch_tokens", "Tokens of a run, without padding.", metrics::size_bounds, 1, true,
     &Stats::batch_tokens},
    {"kefu_input_tokens", "Tokens of a request.", metrics::size_bounds, 1, true, &Stats::input_tokens},
};

void write_histograms(metrics::Exposition& out, const std::vector<WatchedModel>& models) {
  for (const HistogramFamily& family : kHistograms) {
    out.family(family.name, "histogram", family.help);
    for (const WatchedModel& model : models) {
      if (family.of_text && !reads_text(model)) continue;
      out.sample(own_labels(model.status), family.bounds(), model.statistics.*family.histogram, family.scale);
    }
  }
}

/// Those of requests by the way they came.
void write_by_entry(metrics::Exposition& out, const std::vector<WatchedModel>& models, std::string_view name,
                    std::string_view help, HistogramSnapshot hosting::RecordSnapshot::ByEntry::* histogram) {
  out.family(name, "histogram", help);
  for (const WatchedModel& model : models) {
    for (const hosting::Entry entry : hosting::kEntries) {
      const auto& record = model.record.entries[static_cast<std::size_t>(entry)];
      out.sample(at_entry(model.status, entry), metrics::duration_bounds(), record.*histogram, kNanosecond);
    }
  }
}

void write_stages(metrics::Exposition& out, const std::vector<WatchedModel>& models, std::string_view name,
                  std::string_view help, runtime::ByStage Stats::* stages) {
  out.family(name, "counter", help);
  for (const WatchedModel& model : models) {
    const runtime::ByStage& of = model.statistics.*stages;
    out.sample(with(own_labels(model.status), "stage", "queued"), of.queued);
    out.sample(with(own_labels(model.status), "stage", "executing"), of.executing);
  }
}

void write_gauge(metrics::Exposition& out, const std::vector<WatchedModel>& models, std::string_view name,
                 std::string_view help, std::uint64_t Stats::* value) {
  out.family(name, "gauge", help);
  for (const WatchedModel& model : models) out.sample(own_labels(model.status), model.statistics.*value);
}

void write_tokens(metrics::Exposition& out, const std::vector<WatchedModel>& models) {
  out.family("kefu_tokens_total", "counter", "Tokens that engines have run, real ones and padding.");
  for (const WatchedModel& model : models) {
    if (!reads_text(model)) continue;
    const Labels labels = own_labels(model.status);
    out.sample(with(labels, "kind", "real"), model.statistics.batch_tokens.sum);
    out.sample(with(labels, "kind", "padding"), model.statistics.padding_tokens);
  }
  out.family("kefu_truncated_inputs_total", "counter", "Texts of which not all was read.");
  for (const WatchedModel& model : models) {
    if (reads_text(model)) out.sample(own_labels(model.status), model.record.truncated);
  }
}

void write_cache(metrics::Exposition& out, const std::vector<WatchedModel>& models) {
  using runtime::CacheStatistics;
  struct Family {
    std::string_view name;
    std::string_view type;
    std::string_view help;
    std::uint64_t CacheStatistics::* value;
  };
  constexpr Family kFamilies[] = {
      {"kefu_cache_hits_total", "counter", "Requests whose reply was kept.", &CacheStatistics::hits},
      {"kefu_cache_misses_total", "counter", "Requests that asked the model first.",
       &CacheStatistics::misses},
      {"kefu_cache_coalesced_total", "counter", "Requests that waited for an equal one's reply.",
       &CacheStatistics::coalesced},
      {"kefu_cache_evictions_total", "counter", "Replies that made room for others.",
       &CacheStatistics::evictions},
      {"kefu_cache_bytes", "gauge", "Bytes of kept replies.", &CacheStatistics::bytes}};
  for (const Family& family : kFamilies) {
    out.family(family.name, family.type, family.help);
    for (const WatchedModel& model : models)
      out.sample(own_labels(model.status), model.statistics.cache.*family.value);
  }
}

}  // namespace

void write_model_families(metrics::Exposition& out, const std::vector<WatchedModel>& models) {
  write_by_entry(out, models, "kefu_request_duration_seconds",
                 "From a request's last byte to its reply, whatever the reply says.",
                 &hosting::RecordSnapshot::ByEntry::request);
  write_by_entry(out, models, "kefu_postprocess_duration_seconds", "From a request's results to its reply.",
                 &hosting::RecordSnapshot::ByEntry::postprocess);
  write_histograms(out, models);
  write_stages(out, models, "kefu_requests_cancelled_total", "Requests whose caller has gone.",
               &Stats::cancelled);
  write_stages(out, models, "kefu_requests_expired_total",
               "Requests whose deadline or time in the queue ran out.", &Stats::expired);
  write_tokens(out, models);
  write_cache(out, models);
  write_gauge(out, models, "kefu_queue_requests", "Requests that wait.", &Stats::waiting_requests);
  write_gauge(out, models, "kefu_queue_tokens", "Tokens that wait.", &Stats::waiting_tokens);
  write_gauge(out, models, "kefu_instances", "Instances that serve.", &Stats::instances);
  write_gauge(out, models, "kefu_instances_busy", "Instances that run.", &Stats::busy_instances);
}

void write_state_families(metrics::Exposition& out, const std::vector<hosting::VersionStatus>& versions) {
  constexpr std::array kStates{hosting::State::kLoading, hosting::State::kReady,
                               hosting::State::kUnavailable};
  out.family("kefu_model_state", "gauge", "1 for the state that a version is in.");
  for (const hosting::VersionStatus& version : versions) {
    for (const hosting::State state : kStates) {
      out.sample(with(own_labels(version), "state", hosting::state_name(state)),
                 std::uint64_t{version.state == state ? 1U : 0U});
    }
  }
}

}  // namespace kefu::serve
