#pragma once
// How many instances a model should have. A value: no threads, no clock of its own.

#include <optional>

#include "base/result.h"
#include "runtime/instance_sample.h"

namespace kefu::runtime {

struct InstancePolicy {
  std::size_t min = 1;
  std::size_t max = 1;
  Duration target_queue_time{0};                     // 0: batching_window and twice the time of a run
  Duration batching_window{0};                       // for which requests wait on purpose, as in BatchPolicy
  Duration add_after = std::chrono::seconds(1);      // the shortest overload that counts
  Duration remove_after = std::chrono::seconds(30);  // the time over which low use is judged
  Duration cooldown = std::chrono::milliseconds(500);  // after a change, until its effect can be seen
  double low_use = 0.6;                                // of the instances that would be left

  /// kInvalidArgument, naming setting and remedy, if the values contradict each other.
  Result<void> check() const;
};

/// Adds when the queue stands: when in every sample of `add_after` requests have waited longer than the
/// target and never fewer waited than half as many as before. A burst makes a queue that empties again; only
/// one that does not is a want of capacity (the idea of CoDel, RFC 8289, section 3). It adds 1, then 2, 4 …
/// while the queue goes on standing, since an overload of unknown size makes the queue longer every second
/// (as TCP's slow start probes, RFC 5681).
///
/// Removes one when over `remove_after` those left would have been in use for less than `low_use` of the
/// time: quick to add and slow to remove, because a missing instance costs latency at once and an idle one
/// only memory (Gandhi et al., AutoScale, ACM TOCS 30(4), 2012). Use and queue are far apart on purpose: at
/// 60 % of one instance the mean wait of M/M/1 is 1.5 runs, below the target, and with more instances less.
/// Where arrivals or runs vary more than that, a removal that soon has to be undone doubles the time to the
/// next.
class InstanceController {
 public:
  /// `policy` has passed check().
  explicit InstanceController(const InstancePolicy& policy);

  /// The number of instances wanted from `now` on, within [min, max]. Samples a few times in `add_after`, in
  /// the order of time. Nothing is added while fewer serve than were wanted before.
  std::size_t observe(const InstanceSample& sample, Time now);

  std::size_t wanted() const { return wanted_; }

 private:
  void note_queue(const InstanceSample& sample, Time now);
  void note_use(double busy, Duration passed);
  bool is_short(const InstanceSample& sample, Time now) const;
  bool is_low();
  void add(Time now);
  void remove(Time now);
  void change(std::size_t wanted, Time now);

  InstancePolicy policy_;
  std::size_t wanted_;
  std::size_t step_ = 1;                   // how many the next addition brings
  std::optional<Duration> target_;         // none: no run has been seen yet
  std::optional<Time> last_;               // sample
  std::optional<Time> settled_;            // when the last change can be judged
  std::optional<Time> standing_since_;     // the queue
  std::size_t most_ = 0;                   // requests in it since then
  std::optional<Time> removed_;            // by a removal that no addition has followed
  Duration patience_;                      // for which low use must last
  Duration watched_{0};                    // of that time
  std::chrono::duration<double> used_{0};  // by all instances meanwhile
};

}  // namespace kefu::runtime
