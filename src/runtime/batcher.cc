#include "runtime/batcher.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kefu::runtime {
namespace {

/// What a request of many rows has in the queue. With one batch's worth rows of unlike lengths would make
/// small batches; what is more makes others wait longer.
constexpr std::size_t kBatchesAhead = 4;

/// The same where tokens close batches before their rows do: rows that fill batches by themselves gain
/// nothing from more of their kind.
constexpr std::size_t kFullBatchesAhead = 2;

/// The level that a request of `level` counts as after a wait.
std::size_t aged(std::size_t level, Duration wait, Duration ageing) {
  const auto steps = static_cast<std::size_t>(std::max(wait, Duration::zero()) / ageing);
  return level > steps ? level - steps : 1;
}

}  // namespace

/// The rows of a bucket in the order in which they go, all levels merged: by the level they count as, those
/// in time before those delayed, by order of joining.
class Batcher::Walk {
 public:
  using Rank = std::tuple<std::size_t, bool, std::uint64_t>;

  Walk(const Batcher& batcher, std::size_t bucket, Time now) : ageing_(batcher.policy_.ageing), now_(now) {
    for (std::size_t level = 1; level <= batcher.levels_.size(); ++level) {
      const Level& queues = batcher.levels_[level - 1];
      add(queues.in_time[bucket], level, false);
      add(queues.delayed[bucket], level, true);
    }
  }

  bool done() const { return lanes_.empty(); }
  Rank rank() const { return best()->rank; }
  const Waiting& row() const { return best()->at->second; }
  std::uint64_t order() const { return best()->at->first; }

  void next() {
    const auto lane = best();
    if (++lane->at == lane->end) {
      lanes_.erase(lane);
    } else {
      lane->rank = rank_of(*lane);
    }
  }

 private:
  struct Lane {
    Queue::const_iterator at;
    Queue::const_iterator end;
    std::size_t level;
    bool delayed;
    Rank rank;
  };

  Rank rank_of(const Lane& lane) const {
    return {aged(lane.level, now_ - lane.at->second.since, ageing_), lane.delayed, lane.at->first};
  }

  void add(const Queue& queue, std::size_t level, bool delayed) {
    if (queue.empty()) return;
    lanes_.push_back({queue.begin(), queue.end(), level, delayed, {}});
    lanes_.back().rank = rank_of(lanes_.back());
  }

  std::vector<Lane>::const_iterator best() const { return std::ranges::min_element(lanes_, {}, &Lane::rank); }
  std::vector<Lane>::iterator best() { return std::ranges::min_element(lanes_, {}, &Lane::rank); }

  Duration ageing_;
  Time now_;
  std::vector<Lane> lanes_;
};

Batcher::Batcher(BatchPolicy policy) : policy_(std::move(policy)) {
  const std::vector<Queue> queues(policy_.buckets.size());
  levels_.assign(policy_.levels.size(), {queues, queues});
}

Result<void> Batcher::push(QueuedRequest request, Time now) {
  const std::size_t level = request.level == 0 ? policy_.default_level : request.level;
  if (level > levels_.size()) {
    return fail(Code::kInvalidArgument, "priority {} is above priority_levels ({})", level, levels_.size());
  }
  if (request.rows.empty()) return fail(Code::kInvalidArgument, "the request has no rows");
  const std::uint32_t longest = *std::ranges::max_element(request.rows);
  if (longest > policy_.buckets.back()) {
    return fail(Code::kInvalidArgument, "a row has {} tokens; the model reads at most {}", longest,
                policy_.buckets.back());
  }
  if (request.deadline && *request.deadline <= now)
    return fail(Code::kDeadlineExceeded, "the deadline had passed when the request arrived");
  const QueuePolicy& queue = policy_.levels[level - 1];
  if (requests_.size() >= queue.max_requests) {
    const auto at_level =
        std::ranges::count(requests_, level, [](const auto& waiting) { return waiting.second.level; });
    if (static_cast<std::size_t>(at_level) >= queue.max_requests) {
      return fail(Code::kResourceExhausted,
                  "Exceeds maximum queue size: {} requests of priority {} wait (max_queue_size)", at_level,
                  level);
    }
  }
  Request waiting;
  waiting.rows = std::move(request.rows);
  waiting.level = level;
  waiting.since = now;
  waiting.deadline = request.deadline;
  const bool overrides = queue.may_override && request.timeout > Duration::zero();
  const Duration timeout = overrides ? request.timeout : queue.timeout;
  if (timeout > Duration::zero()) waiting.timeout = now + timeout;
  waiting_tokens_ += std::accumulate(waiting.rows.begin(), waiting.rows.end(), std::size_t{0});
  Request& kept = requests_.emplace(request.id, std::move(waiting)).first->second;
  schedule_end(request.id, kept);
  join(request.id, kept);
  return {};
}

std::vector<Batcher::Queue>& Batcher::queues_of(const Request& request) {
  Level& level = levels_[request.level - 1];
  return request.delayed ? level.delayed : level.in_time;
}

/// Its next rows enter the queue, at the end, until kBatchesAhead batches could be made of those there or
/// their tokens, padding included, fill kFullBatchesAhead.
void Batcher::join(RequestId id, Request& request) {
  const std::size_t most = kBatchesAhead * policy_.max_rows;
  const std::size_t most_tokens = kFullBatchesAhead * policy_.max_tokens;
  for (; request.joined < request.rows.size() && request.queued.size() < most; ++request.joined) {
    const std::uint32_t tokens = request.rows[request.joined];
    if (request.queued_tokens + policy_.padded(tokens) > most_tokens) break;
    request.queued_tokens += policy_.padded(tokens);
    const std::uint64_t order = next_order_++;
    queues_of(request)[policy_.bucket_of(tokens)].emplace(
        order, Waiting{{id, static_cast<std::uint32_t>(request.joined), tokens}, request.since});
    request.queued.emplace_back(order, static_cast<std::uint32_t>(request.joined));
  }
}

void Batcher::forget(RequestId id) {
  const auto found = requests_.find(id);
  Request& request = found->second;
  unschedule_end(id, request);
  for (const auto& [order, row] : request.queued) {
    waiting_tokens_ -= request.rows[row];
    queues_of(request)[policy_.bucket_of(request.rows[row])].erase(order);
  }
  waiting_tokens_ -= std::accumulate(request.rows.begin() + static_cast<std::ptrdiff_t>(request.joined),
                                     request.rows.end(), std::size_t{0});
  requests_.erase(found);
}

bool Batcher::cancel(RequestId id) {
  if (!requests_.contains(id)) return false;
  forget(id);
  return true;
}

/// Its rows go on waiting behind those of its level that are in time.
void Batcher::delay(Request& request) {
  std::vector<Queue>& from = queues_of(request);
  request.delayed = true;
  std::vector<Queue>& to = queues_of(request);
  for (const auto& [order, row] : request.queued) {
    const std::size_t bucket = policy_.bucket_of(request.rows[row]);
    to[bucket].insert(from[bucket].extract(order));
  }
}

void Batcher::schedule_end(RequestId id, const Request& request) {
  if (request.deadline) ends_.emplace(*request.deadline, id);
  if (request.timeout) ends_.emplace(*request.timeout, id);
}

void Batcher::unschedule_end(RequestId id, const Request& request) {
  if (request.deadline) ends_.erase({*request.deadline, id});
  if (request.timeout) ends_.erase({*request.timeout, id});
}

std::vector<Expired> Batcher::expire(Time now) {
  std::vector<Expired> expired;
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const auto [end, id] = *ends_.begin();
    Request& request = requests_.at(id);
    const bool deadline = request.deadline && *request.deadline <= now;
    if (deadline || policy_.levels[request.level - 1].action == TimeoutAction::kReject) {
      expired.push_back({id, deadline});
      forget(id);
    } else {
      ends_.erase(ends_.begin());
      request.timeout.reset();
      delay(request);
    }
  }
  return expired;
}

std::optional<Time> Batcher::next_expiry() const {
  if (ends_.empty()) return std::nullopt;
  return ends_.begin()->first;
}

/// False if the row does not fit.
bool Batcher::add(Batch& batch, const BatchRow& row) const {
  const std::size_t longest = std::max<std::size_t>(batch.longest, row.tokens);
  const std::size_t rows = batch.rows.size() + 1;
  if (rows > policy_.max_rows || rows * policy_.padded(longest) > policy_.max_tokens) return false;
  batch.rows.push_back(row);
  batch.longest = longest;
  return true;
}

/// Adds the rows of a bucket, then those of shorter ones that may ride along, and their orders. True if the
/// batch can take no more.
bool Batcher::fill(Batch& batch, std::size_t bucket, Time now, std::vector<std::uint64_t>& orders) const {
  const auto add_next = [&](Walk& walk) {
    if (!add(batch, walk.row().row)) return false;
    orders.push_back(walk.order());
    walk.next();
    return true;
  };
  for (Walk walk(*this, bucket, now); !walk.done();) {
    if (!add_next(walk)) return true;
  }
  for (std::size_t shorter = bucket; shorter-- > 0;) {
    for (Walk walk(*this, shorter, now); !walk.done();) {
      const bool cheap = batch.longest <= walk.row().row.tokens + policy_.free_padding;
      if (!cheap && now - walk.row().since < policy_.promote) break;
      if (!add_next(walk)) return true;
    }
  }
  return batch.rows.size() == policy_.max_rows;
}

/// Removes the rows from `from` on from the queues; the requests they leave empty-handed bring their next
/// ones.
void Batcher::take(const Batch& batch, std::size_t from, std::span<const std::uint64_t> orders) {
  for (std::size_t i = from; i < batch.rows.size(); ++i) {
    const BatchRow& row = batch.rows[i];
    Request& request = requests_.at(row.request);
    queues_of(request)[policy_.bucket_of(row.tokens)].erase(orders[i - from]);
    request.queued.erase(std::ranges::lower_bound(request.queued, orders[i - from], {}, &QueuedRow::first));
    request.queued_tokens -= policy_.padded(row.tokens);
    waiting_tokens_ -= row.tokens;
    join(row.request, request);
    if (request.queued.empty()) forget(row.request);
  }
}

/// The buckets where rows wait, that of the row which goes first in front.
std::vector<std::size_t> Batcher::buckets_by_rank(Time now) const {
  std::vector<std::pair<Walk::Rank, std::size_t>> found;
  for (std::size_t bucket = 0; bucket < policy_.buckets.size(); ++bucket) {
    if (const Walk walk(*this, bucket, now); !walk.done()) found.emplace_back(walk.rank(), bucket);
  }
  std::ranges::sort(found);
  std::vector<std::size_t> buckets;
  for (const auto& [rank, bucket] : found) buckets.push_back(bucket);
  return buckets;
}

std::optional<Batch> Batcher::next_batch(Time now) {
  for (const std::size_t bucket : buckets_by_rank(now)) {
    Batch batch;
    std::vector<std::uint64_t> orders;
    bool due = fill(batch, bucket, now, orders);
    for (const BatchRow& row : batch.rows)
      due = due || now - requests_.at(row.request).since >= policy_.window;
    std::size_t preferred = 0;
    for (const std::size_t rows : policy_.preferred_rows) {
      if (rows <= batch.rows.size()) preferred = std::max(preferred, rows);
    }
    if (!due && preferred == 0) continue;
    if (preferred > 0) {
      batch.rows.resize(preferred);
      orders.resize(preferred);
      batch.longest = std::ranges::max_element(batch.rows, {}, &BatchRow::tokens)->tokens;
    }
    take(batch, 0, orders);
    return batch;
  }
  return std::nullopt;
}

std::optional<Time> Batcher::next_due() const {
  std::optional<Time> due;
  for (const auto& [id, request] : requests_) {
    const Time end = request.since + policy_.window;
    if (!due || end < *due) due = end;
  }
  return due;
}

void Batcher::grow(Batch& batch, Time now) {
  const std::size_t before = batch.rows.size();
  std::vector<std::uint64_t> orders;
  fill(batch, policy_.bucket_of(batch.longest), now, orders);
  take(batch, before, orders);
}

std::size_t Batcher::waiting_rows() const {
  std::size_t rows = 0;
  for (const auto& [id, request] : requests_)
    rows += request.queued.size() + request.rows.size() - request.joined;
  return rows;
}

}  // namespace kefu::runtime
