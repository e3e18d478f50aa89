#pragma once
// A release: one change of the version that answers for a model, step by step. A value.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "hosting/traffic.h"

namespace kefu::release {

/// draft → shadow → canary → promoting → done; from each of the first four also → rolled_back, and canary ⇄
/// hold. In `promoting` the new version answers everything and the old one is kept for a way back.
enum class Phase { kDraft, kShadow, kCanary, kHold, kPromoting, kDone, kRolledBack };
std::string_view phase_name(Phase phase);

/// How far and how fast. Shares are in basis points.
struct Plan {
  std::vector<int> steps{500};  // shares of the canary, ascending; the first at once
  int step_seconds = 60;        // at least so long at each step, and until there is enough evidence
  bool advances = false;        // to the next step, and after the last to promotion, by itself
  int shadow_share = 0;         // of the stable version's requests that the canary answers too
  int bake_seconds = 600;       // in promoting
};

struct Release {
  std::string id{};
  std::string model{};
  int stable = 0;
  int canary = 0;
  Phase phase = Phase::kDraft;
  Plan plan{};
  std::size_t step = 0;    // of plan.steps
  std::string reason{};    // why it is in this phase, for people
  std::int64_t since = 0;  // seconds since 1970 that it has been in this phase and step

  bool is_active() const { return phase != Phase::kDone && phase != Phase::kRolledBack; }
};

/// What may be asked of a release.
enum class Order { kShadow, kCanary, kHold, kPromote, kFinish, kRollBack };
std::string_view order_name(Order order);

/// The release after an order at a time, for a reason. kShadow and kCanary begin `plan`; kCanary also goes on
/// from a hold. kFailedPrecondition: the phase does not allow it; kInvalidArgument: the plan's numbers.
Result<Release> after(const Release& release, Order order, std::string reason, std::int64_t now,
                      const Plan& plan = {});

/// The canary's next share, or promotion after the last.
Result<Release> advanced(const Release& release, std::string reason, std::int64_t now);

/// Where requests go in this phase.
hosting::Traffic traffic_of(const Release& release);

Json to_json(const Release& release);
/// kInvalidArgument names the member at fault.
Result<Release> read_release(const Json& json, const std::string& source);

/// A plan's members from JSON; those that are absent keep their values. kInvalidArgument.
Result<Plan> read_plan(const Json& json, Plan plan, const std::string& source);

}  // namespace kefu::release
