#include "release/release.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace kefu::release {
namespace {

constexpr std::array<std::string_view, 7> kPhases{"draft",     "shadow", "canary",     "hold",
                                                  "promoting", "done",   "rolled_back"};
constexpr std::array<std::string_view, 6> kOrders{"shadow",  "canary", "hold",
                                                  "promote", "finish", "rollback"};

/// The phases that an order may come in.
std::set<Phase> phases_for(Order order) {
  switch (order) {
    case Order::kShadow:
      return {Phase::kDraft, Phase::kShadow};
    case Order::kCanary:
      return {Phase::kDraft, Phase::kShadow, Phase::kCanary, Phase::kHold};
    case Order::kHold:
      return {Phase::kCanary};
    case Order::kPromote:
      return {Phase::kDraft, Phase::kShadow, Phase::kCanary, Phase::kHold};
    case Order::kFinish:
      return {Phase::kPromoting};
    case Order::kRollBack:
      return {Phase::kDraft, Phase::kShadow, Phase::kCanary, Phase::kHold, Phase::kPromoting};
  }
  return {};
}

Phase phase_after(Order order) {
  constexpr std::array kAfter{Phase::kShadow,    Phase::kCanary, Phase::kHold,
                              Phase::kPromoting, Phase::kDone,   Phase::kRolledBack};
  return kAfter[static_cast<std::size_t>(order)];
}

Result<void> check(const Plan& plan) {
  const bool rises = std::ranges::adjacent_find(plan.steps, std::ranges::greater_equal()) == plan.steps.end();
  const bool in_range =
      !plan.steps.empty() && plan.steps.front() >= 1 && plan.steps.back() <= hosting::kWhole;
  if (!rises || !in_range)
    return fail(Code::kInvalidArgument, "steps must rise from above 0 to at most 100 percent");
  if (plan.shadow_share < 0 || plan.shadow_share > hosting::kWhole)
    return fail(Code::kInvalidArgument, "the shadowed share must be 0 to 100 percent");
  if (plan.step_seconds < 1 || plan.bake_seconds < 0)
    return fail(Code::kInvalidArgument, "step_seconds must be at least 1, bake_seconds at least 0");
  return {};
}

Result<int> in_basis_points(double percent) {
  if (percent >= 0 && percent <= 100) return static_cast<int>(std::lround(percent * 100));
  return fail(Code::kInvalidArgument, "{} is not a share; percentages are 0 to 100", percent);
}

double in_percent(int basis_points) {
  return basis_points / 100.0;
}

}  // namespace

std::string_view phase_name(Phase phase) {
  return kPhases[static_cast<std::size_t>(phase)];
}

std::string_view order_name(Order order) {
  return kOrders[static_cast<std::size_t>(order)];
}

Result<Release> after(const Release& release, Order order, std::string reason, std::int64_t now,
                      const Plan& plan) {
  if (!phases_for(order).contains(release.phase)) {
    return fail(Code::kFailedPrecondition, "release {} is in phase {}, which does not allow \"{}\"",
                release.id, phase_name(release.phase), order_name(order));
  }
  Release next = release;
  if (order == Order::kShadow || (order == Order::kCanary && release.phase != Phase::kHold)) {
    KEFU_CHECK(check(plan));
    next.plan = plan;
    next.step = 0;
  }
  next.phase = phase_after(order);
  next.reason = std::move(reason);
  next.since = now;
  return next;
}

Result<Release> advanced(const Release& release, std::string reason, std::int64_t now) {
  if (release.step + 1 >= release.plan.steps.size())
    return after(release, Order::kPromote, std::move(reason), now);
  Release next = release;
  ++next.step;
  next.reason = std::move(reason);
  next.since = now;
  return next;
}

hosting::Traffic traffic_of(const Release& release) {
  hosting::Traffic traffic{.stable = release.stable, .canary = release.canary, .release = release.id};
  switch (release.phase) {
    case Phase::kDraft:
      break;
    case Phase::kShadow:
      traffic.shadow_share = release.plan.shadow_share;
      break;
    case Phase::kCanary:
    case Phase::kHold:
      traffic.canary_share = release.plan.steps[release.step];
      traffic.shadow_share = release.plan.shadow_share;
      break;
    case Phase::kPromoting:
      return {.stable = release.canary, .kept = release.stable, .release = release.id};
    case Phase::kDone:
      return {.stable = release.canary};
    case Phase::kRolledBack:
      return {.stable = release.stable};
  }
  return traffic;
}

Json to_json(const Release& release) {
  Json steps = Json::array();
  for (const int share : release.plan.steps) steps.push_back(in_percent(share));
  return {{"id", release.id},
          {"model", release.model},
          {"stable", release.stable},
          {"canary", release.canary},
          {"phase", phase_name(release.phase)},
          {"steps", std::move(steps)},
          {"step", release.step},
          {"step_seconds", release.plan.step_seconds},
          {"advances", release.plan.advances},
          {"shadow_percent", in_percent(release.plan.shadow_share)},
          {"bake_seconds", release.plan.bake_seconds},
          {"reason", release.reason},
          {"since", release.since}};
}

Result<Plan> read_plan(const Json& json, Plan plan, const std::string& source) {
  if (const auto found = json.find("steps"); found != json.end()) {
    plan.steps.clear();
    const bool is_list =
        found->is_array() && std::ranges::all_of(*found, [](const Json& step) { return step.is_number(); });
    if (!is_list) return fail(Code::kInvalidArgument, "{}: steps must be an array of percentages", source);
    for (const Json& step : *found) {
      KEFU_ASSIGN(const int share, in_basis_points(step.get<double>()));
      plan.steps.push_back(share);
    }
  }
  if (json.contains("step_seconds")) {
    KEFU_ASSIGN(plan.step_seconds, json_get<int>(json, "step_seconds", source));
  }
  if (json.contains("bake_seconds")) {
    KEFU_ASSIGN(plan.bake_seconds, json_get<int>(json, "bake_seconds", source));
  }
  if (json.contains("advances")) {
    KEFU_ASSIGN(plan.advances, json_get<bool>(json, "advances", source));
  }
  if (json.contains("shadow_percent")) {
    KEFU_ASSIGN(const double percent, json_get<double>(json, "shadow_percent", source));
    KEFU_ASSIGN(plan.shadow_share, in_basis_points(percent));
  }
  KEFU_CHECK(check(plan));
  return plan;
}

Result<Release> read_release(const Json& json, const std::string& source) {
  Release release;
  KEFU_ASSIGN(release.id, json_get<std::string>(json, "id", source));
  KEFU_ASSIGN(release.model, json_get<std::string>(json, "model", source));
  KEFU_ASSIGN(release.stable, json_get<int>(json, "stable", source));
  KEFU_ASSIGN(release.canary, json_get<int>(json, "canary", source));
  KEFU_ASSIGN(const auto phase, json_get<std::string>(json, "phase", source));
  const auto known = std::ranges::find(kPhases, phase);
  if (known == kPhases.end())
    return fail(Code::kInvalidArgument, "{}: there is no phase \"{}\"", source, phase);
  release.phase = static_cast<Phase>(known - kPhases.begin());
  KEFU_ASSIGN(release.plan, read_plan(json, {}, source));
  KEFU_ASSIGN(release.step, json_get<std::size_t>(json, "step", source));
  if (release.step >= release.plan.steps.size())
    return fail(Code::kInvalidArgument, "{}: there is no step {}", source, release.step);
  KEFU_ASSIGN(release.reason, json_get<std::string>(json, "reason", source));
  KEFU_ASSIGN(release.since, json_get<std::int64_t>(json, "since", source));
  return release;
}

}  // namespace kefu::release
