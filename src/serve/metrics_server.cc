// Families of releases, of the entrance and of the machine; see metrics_families.h.

#include <array>
#include <fstream>
#include <string>

#include "serve/metrics_families.h"

namespace kefu::serve {
namespace {

using metrics::Labels;

constexpr std::array<std::string_view, hosting::kRejections> kRejectionNames{"permits", "queue_full",
                                                                             "too_large", "auth", "draining"};

Labels entry_labels(hosting::Entry entry) {
  return {{"api", std::string(hosting::api_name(entry))},
          {"interface", std::string(hosting::interface_name(entry))}};
}

std::string outcome_name(std::size_t outcome) {
  return outcome == 0 ? "OK" : std::string(code_name(static_cast<Code>(outcome - 1)));
}

/// Of a file with lines like "MemTotal:  123 kB", in bytes; 0 if it is not there.
std::uint64_t proc_bytes(const char* path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(key)) return std::stoull(line.substr(key.size())) * 1024;
  }
  return 0;
}

}  // namespace

void write_release_families(metrics::Exposition& out, const release::Releases& releases) {
  const std::vector<release::ReleaseStatus> all = releases.statuses();
  out.family("kefu_release_state", "gauge", "1 for the phase that a model's last release is in.");
  for (const release::ReleaseStatus& status : all) {
    out.sample({{"model", status.release.model},
                {"release", status.release.id},
                {"state", std::string(release::phase_name(status.release.phase))}},
               std::uint64_t{1});
  }
  out.family("kefu_release_requests_total", "counter", "Requests answered while a release was under way.");
  for (const release::ReleaseStatus& status : all) {
    const std::string& id = status.release.id;
    out.sample({{"release", id}, {"label", "stable"}}, status.stable_replies);
    out.sample({{"release", id}, {"label", "canary"}}, status.canary_replies);
  }
  out.family("kefu_release_rollbacks_total", "counter", "Releases that a guard has rolled back.");
  for (const auto& [guard, count] : releases.rollbacks()) out.sample({{"guard", guard}}, count);
}

void write_entrance_families(metrics::Exposition& out, const hosting::EntranceSnapshot& entrance) {
  out.family("kefu_requests_accepted_total", "counter", "Inference requests for which there was room.");
  for (const hosting::Entry entry : hosting::kEntries)
    out.sample(entry_labels(entry), entrance.entries[static_cast<std::size_t>(entry)].accepted);
  out.family("kefu_responses_total", "counter", "Inference requests that have ended, by gRPC's code.");
  for (const hosting::Entry entry : hosting::kEntries) {
    const auto& responses = entrance.entries[static_cast<std::size_t>(entry)].responses;
    for (std::size_t outcome = 0; outcome < responses.size(); ++outcome) {
      Labels labels = entry_labels(entry);
      labels.emplace_back("code", outcome_name(outcome));
      out.sample(labels, responses[outcome]);
    }
  }
  out.family("kefu_requests_rejected_total", "counter", "Requests refused before a model ran for them.");
  for (std::size_t reason = 0; reason < hosting::kRejections; ++reason)
    out.sample({{"reason", std::string(kRejectionNames[reason])}}, entrance.rejected[reason]);
  out.family("kefu_permits_requests_used", "gauge", "Requests under way, of admission.requests.");
  out.sample({}, std::uint64_t{entrance.requests_used});
  out.family("kefu_permits_tokens_used", "gauge", "Tokens of text under way, of admission.tokens.");
  out.sample({}, std::uint64_t{entrance.tokens_used});
  out.family("kefu_permits_bytes_used", "gauge", "Bytes of bodies under way, of admission.bytes.");
  out.sample({}, std::uint64_t{entrance.bytes_used});
  out.family("kefu_spans_exported_total", "counter",
             "Requests whose spans the collector of traces has taken.");
  out.sample({}, entrance.spans.exported);
  out.family("kefu_spans_dropped_total", "counter", "Requests whose spans it has not: refused, or no room.");
  out.sample({}, entrance.spans.dropped);
}

CpuMeter::Jiffies CpuMeter::read() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  Jiffies time;
  std::uint64_t jiffies = 0;
  for (int column = 0; column < 8 && file >> jiffies; ++column) {
    const bool is_idle = column == 3 || column == 4;  // idle, iowait; see proc(5)
    time.all += jiffies;
    if (!is_idle) time.busy += jiffies;
  }
  return time;
}

double CpuMeter::busy_share() {
  const Jiffies now = read();
  if (now.all > last_.all)
    share_ = static_cast<double>(now.busy - last_.busy) / static_cast<double>(now.all - last_.all);
  last_ = now;
  return share_;
}

void write_process_families(metrics::Exposition& out, CpuMeter& cpu) {
  out.family("nv_cpu_utilization", "gauge", "CPU utilization rate [0.0 - 1.0]");
  out.sample({}, cpu.busy_share());
  const std::uint64_t total = proc_bytes("/proc/meminfo", "MemTotal:");
  out.family("nv_cpu_memory_total_bytes", "gauge", "CPU total memory (RAM), in bytes");
  out.sample({}, total);
  out.family("nv_cpu_memory_used_bytes", "gauge", "CPU used memory (RAM), in bytes");
  out.sample({}, total - proc_bytes("/proc/meminfo", "MemAvailable:"));
  out.family("process_resident_memory_bytes", "gauge", "Resident memory size in bytes.");
  out.sample({}, proc_bytes("/proc/self/status", "VmRSS:"));
}

}  // namespace kefu::serve
