#pragma once
// Which rows run together, and when. A value: no threads, no locks, no clock of its own.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include "base/result.h"
#include "runtime/batch_policy.h"
#include "runtime/row_tokens.h"

namespace kefu::runtime {

using RequestId = std::uint64_t;

/// A request to wait. Its rows may run in different batches.
struct QueuedRequest {
  RequestId id = 0;              // unique among those that wait
  RowTokens rows;                // at least one
  std::size_t level = 0;         // of priority, 1 the highest; 0: the default
  std::optional<Time> deadline;  // after which its answer is of no use
  Duration timeout{0};           // longest wait in the queue; 0: the level's
};

/// A row that runs.
struct BatchRow {
  RequestId request;
  std::uint32_t row;  // its number in the request
  std::uint32_t tokens;
};

struct Batch {
  std::vector<BatchRow> rows;
  std::size_t longest = 0;  // tokens of the longest row
};

/// A request that waits no longer, although not all of its rows have run.
struct Expired {
  RequestId request;
  bool deadline;  // its own; else the queue's timeout
};

/// Rows wait by level and bucket. A batch is the highest level's row that has waited longest and those of its
/// bucket behind it, then rows of shorter buckets. A request of very many rows brings them to the queue a few
/// batches at a time, so that those that come after it wait for these only.
class Batcher {
 public:
  /// `policy` has passed check().
  explicit Batcher(BatchPolicy policy);

  /// kResourceExhausted: the level's queue is full; kInvalidArgument: no rows, a row longer than the last
  /// bucket, or no such level; kDeadlineExceeded: the deadline has passed.
  Result<void> push(QueuedRequest request, Time now);

  /// Forgets a request. False if it does not wait: all its rows have been taken, or it has expired.
  bool cancel(RequestId id);

  /// Removes the requests whose time has run out by `now`. Call it before next_batch().
  std::vector<Expired> expire(Time now);

  /// When expire() will next have something to do; none: never.
  std::optional<Time> next_expiry() const;

  /// The rows an idle instance should run now; none if nothing waits or company is still worth waiting for.
  std::optional<Batch> next_batch(Time now);

  /// When next_batch(), which has just given none, will give one if nothing is pushed; none: nothing waits.
  std::optional<Time> next_due() const;

  /// Adds rows that fit to a batch that does not run yet.
  void grow(Batch& batch, Time now);

  std::size_t waiting_requests() const { return requests_.size(); }
  std::size_t waiting_rows() const;
  std::size_t waiting_tokens() const { return waiting_tokens_; }
  const BatchPolicy& policy() const { return policy_; }

 private:
  struct Waiting {
    BatchRow row;
    Time since;  // its request's push
  };
  using Queue = std::map<std::uint64_t, Waiting>;  // by order of joining
  struct Level {
    std::vector<Queue> in_time;  // a bucket each
    std::vector<Queue> delayed;
  };

  using QueuedRow = std::pair<std::uint64_t, std::uint32_t>;  // its order, its number
  using QueuedRows = absl::InlinedVector<QueuedRow, 4>;

  struct Request {
    RowTokens rows;
    std::size_t joined = 0;         // rows that have entered a queue
    QueuedRows queued;              // of those the ones still there
    std::size_t queued_tokens = 0;  // of these, padding included
    std::size_t level = 1;
    bool delayed = false;
    Time since;
    std::optional<Time> deadline;
    std::optional<Time> timeout;
  };

  class Walk;

  std::vector<Queue>& queues_of(const Request& request);
  void join(RequestId id, Request& request);
  void forget(RequestId id);
  void delay(Request& request);
  void schedule_end(RequestId id, const Request& request);
  void unschedule_end(RequestId id, const Request& request);
  bool add(Batch& batch, const BatchRow& row) const;
  bool fill(Batch& batch, std::size_t bucket, Time now, std::vector<std::uint64_t>& orders) const;
  void take(const Batch& batch, std::size_t from, std::span<const std::uint64_t> orders);
  std::vector<std::size_t> buckets_by_rank(Time now) const;

  BatchPolicy policy_;
  std::vector<Level> levels_;
  absl::flat_hash_map<RequestId, Request> requests_;
  std::set<std::pair<Time, RequestId>> ends_;  // when each request's time runs out next
  std::uint64_t next_order_ = 0;
  std::size_t waiting_tokens_ = 0;  // for those who watch; no decision rests on it
};

}  // namespace kefu::runtime
