// What Releases does each second: see releases.h.

#include "base/log.h"
#include "release/releases.h"

namespace kefu::release {
namespace {

std::vector<std::uint64_t> difference(const std::vector<std::uint64_t>& now,
                                      const std::vector<std::uint64_t>& before) {
  std::vector<std::uint64_t> counts = now;
  for (std::size_t i = 0; i < counts.size() && i < before.size(); ++i) counts[i] -= before[i];
  return counts;
}

VersionWindow difference(const hosting::RecordSnapshot& now, const hosting::RecordSnapshot& before) {
  return {.replies = now.replies - before.replies,
          .errors = now.errors - before.errors,
          .latency = difference(now.latency.counts, before.latency.counts),
          .labels = difference(now.labels, before.labels)};
}

Tally difference(const std::array<std::uint64_t, hosting::kShadowed>& now,
                 const std::array<std::uint64_t, hosting::kShadowed>& before) {
  const auto count = [&](hosting::Shadowed how) {
    const auto i = static_cast<std::size_t>(how);
    return static_cast<double>(now[i] - before[i]);
  };
  const double differed = count(hosting::Shadowed::kDiffered);
  return {count(hosting::Shadowed::kAgreed) + differed, differed};
}

std::string explain(const Judgement& judgement, std::string_view guard) {
  for (const GuardReading& one : judgement.readings) {
    if (one.guard != guard) continue;
    return fmt::format(
        "guard {}: {:.2f} % of the canary's replies in the last second, {:.2f} % are allowed; "
        "evidence {:.3g}",
        guard, one.canary_share * 100, one.allowed_share * 100, one.alarm);
  }
  return std::string(guard);
}

}  // namespace

void Releases::watch(std::int64_t now) {
  const std::lock_guard lock(mutex_);
  for (auto& [model, entry] : entries_) {
    if (entry.is_under_way()) watch(model, entry, now);
  }
}

void Releases::watch(const std::string& model, Entry& entry, std::int64_t now) {
  const Release& release = entry.release;
  if (release.phase == Phase::kDraft) return;
  const auto canary = models_.find(model, std::to_string(release.canary));
  if (!canary) {
    if (models_.find(model, std::to_string(release.stable)))
      roll_back(model, entry, "service", canary.error().message, now);
    return;
  }
  if (release.phase == Phase::kPromoting) {
    if (now - release.since >= release.plan.bake_seconds) finish(model, entry, now);
    return;
  }
  if (const auto window = next_window(entry)) decide(model, entry, *window, now);
}

/// What both versions have done since the last call; none if one has been loaded since.
std::optional<Window> Releases::next_window(Entry& entry) {
  const Release& release = entry.release;
  const auto stable = models_.find(release.model, std::to_string(release.stable));
  const auto canary = models_.find(release.model, std::to_string(release.canary));
  if (!stable || !canary) return std::nullopt;
  hosting::RecordSnapshot stable_now = (*stable)->record().snapshot();
  hosting::RecordSnapshot canary_now = (*canary)->record().snapshot();
  std::optional<Window> window;
  if (*stable == entry.stable_model && *canary == entry.canary_model)
    window = {difference(stable_now, entry.stable_before), difference(canary_now, entry.canary_before)};
  if (window && !(*canary)->description().intents.empty())
    window->answers = difference(canary_now.shadowed, entry.canary_before.shadowed);
  entry.stable_model = *stable;
  entry.canary_model = *canary;
  entry.stable_before = std::move(stable_now);
  entry.canary_before = std::move(canary_now);
  return window;
}

void Releases::decide(const std::string& model, Entry& entry, const Window& window, std::int64_t now) {
  const Release& release = entry.release;
  entry.last = entry.guards.judge(window);
  entry.canary_replies += window.canary.replies;
  entry.stable_replies += window.stable.replies;
  if (entry.last.breach)
    return roll_back(model, entry, *entry.last.breach, explain(entry.last, *entry.last.breach), now);
  const bool is_due = now - release.since >= release.plan.step_seconds;
  if (release.phase != Phase::kCanary || !release.plan.advances || !is_due || !entry.last.assured) return;
  auto next =
      advanced(release, fmt::format("no harm in {} replies of the canary", entry.canary_replies), now);
  if (next) {
    if (const auto adopted = adopt(model, entry, *std::move(next)); !adopted)
      spdlog::error(R"("event":"release_not_saved","reason":{})", Json(adopted.error().message).dump());
  }
}

/// The old version goes, unless the version policy wants it.
void Releases::finish(const std::string& model, Entry& entry, std::int64_t now) {
  auto next = after(entry.release, Order::kFinish, "baked", now);
  if (!next || !adopt(model, entry, *std::move(next))) return;
  entry.stable_model = entry.canary_model = nullptr;
  models_.reload(model, [model](const Result<void>& loaded) {
    if (!loaded)
      spdlog::warn(R"("event":"load_failed","model":"{}","reason":{})", model,
                   Json(loaded.error().message).dump());
  });
}

/// Requests leave the canary even if the disk does not take the news: it is said again at the next change.
void Releases::roll_back(const std::string& model, Entry& entry, std::string_view guard,
                         const std::string& reason, std::int64_t now) {
  auto next = after(entry.release, Order::kRollBack, reason, now);
  if (!next) return;
  if (!guard.empty()) ++rollbacks_[std::string(guard)];
  entry.stable_model = entry.canary_model = nullptr;
  if (const auto adopted = adopt(model, entry, *next); !adopted) {
    spdlog::error(R"("event":"release_not_saved","reason":{})", Json(adopted.error().message).dump());
    entry.stable = next->stable;
    entry.release = *std::move(next);
    static_cast<void>(models_.set_traffic(model, models_.traffic(model), traffic_of(entry.release)));
  }
}

}  // namespace kefu::release
