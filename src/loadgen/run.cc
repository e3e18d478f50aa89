#include "loadgen/run.h"

#include <algorithm>
#include <ctime>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/circular_buffer.hpp>

#include "loadgen/recorder.h"

namespace kefu::loadgen {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::steady_clock;

/// How often requests under way are looked through for those whose time has run out.
Duration sweep_period(Duration timeout) {
  return std::clamp<Duration>(timeout / 10, std::chrono::milliseconds(1), std::chrono::milliseconds(100));
}

double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Sends what is due whenever a timer fires or a connection becomes free. Those that are due and wait need no
/// queue: they are the next arrivals of the schedule.
class Driver final : public Listener {
 public:
  Driver(const Plan& plan, Target& target);

  Result<Measurement> run();
  void on_answer(std::size_t connection, const Answer& answer) override;

 private:
  struct Carried {
    Time intended;
    Time sent;
    bool found_free = false;
    bool is_under_way = false;
    bool given_up = false;
  };

  void start();
  void send_due();
  void send(Time intended, Time now);
  void wait_until(Time due);
  void wait_to_sweep();
  void sweep();
  void give_up(std::size_t connection);
  void drop_unsent(Time now);
  bool has_more() const { return next_ < end_; }
  bool is_done() const { return !has_more() && free_.size() == carried_.size(); }
  void stop_if_done();

  Plan plan_;
  Target& target_;
  std::shared_ptr<asio::io_context> loop_ = std::make_shared<asio::io_context>(1);
  asio::steady_timer due_timer_{*loop_};
  asio::steady_timer sweep_timer_{*loop_};
  Schedule schedule_;
  std::vector<std::uint32_t> order_;          // of the target's requests
  std::size_t next_request_ = 0;              // in order_
  std::vector<Carried> carried_;              // by connection
  boost::circular_buffer<std::size_t> free_;  // connections, that used last at the end: all share the load
  Time start_;
  Time end_;         // no request is meant to be sent at or after it
  Time next_;        // when the next request is meant to be sent; in a closed loop: now
  Time awaited_;     // what due_timer_ waits for
  Time busy_until_;  // when last a connection became free after there was none
  Recorder recorder_;
};

Driver::Driver(const Plan& plan, Target& target)
    : plan_(plan),
      target_(target),
      schedule_(plan.is_open() ? plan.rate : 1, plan.arrivals, plan.seed),
      carried_(plan.connections),
      free_(plan.connections),
      recorder_(plan) {
  Random random(plan.seed);
  order_ = permutation(target.requests(), random);
  for (std::size_t i = 0; i < plan.connections; ++i) free_.push_back(i);
}

Result<Measurement> Driver::run() {
  KEFU_CHECK(target_.open(loop_, plan_, *this));
  const double cpu = thread_cpu_seconds();
  asio::post(*loop_, [this] { start(); });
  loop_->restart();
  loop_->run();
  const std::chrono::duration<double> took = steady_clock::now() - start_;
  target_.close();
  Measurement measurement = std::move(recorder_).finish();
  measurement.busy_share = (thread_cpu_seconds() - cpu) / took.count();
  return measurement;
}

void Driver::start() {
  start_ = busy_until_ = steady_clock::now();
  end_ = start_ + plan_.warmup + plan_.duration;
  next_ = plan_.is_open() ? start_ + schedule_.next() : start_;
  wait_to_sweep();
  send_due();
  stop_if_done();
}

/// All that are due in one go, as far as there are connections.
void Driver::send_due() {
  while (!free_.empty()) {
    const Time now = steady_clock::now();
    if (!plan_.is_open()) next_ = now;
    if (!has_more()) return;
    if (next_ > now) return wait_until(next_);
    send(next_, now);
    if (plan_.is_open()) next_ = start_ + schedule_.next();
  }
}

void Driver::send(Time intended, Time now) {
  const std::size_t connection = free_.front();
  free_.pop_front();
  carried_[connection] = {intended, now, intended >= busy_until_, true, false};
  target_.send(connection, order_[next_request_]);
  if (++next_request_ == order_.size()) next_request_ = 0;
}

void Driver::wait_until(Time due) {
  if (awaited_ == due) return;
  awaited_ = due;
  due_timer_.expires_at(due);
  due_timer_.async_wait([this](error_code error) {
    if (!error) send_due();
  });
}

void Driver::on_answer(std::size_t connection, const Answer& answer) {
  Carried& carried = carried_[connection];
  recorder_.record({.intended = carried.intended - start_,
                    .sent = carried.sent - start_,
                    .ended = answer.ended - start_,
                    .found_free = carried.found_free,
                    .outcome = carried.given_up ? Outcome{Outcome::Kind::kTimeout} : answer.outcome,
                    .sent_bytes = answer.sent_bytes,
                    .received_bytes = answer.received_bytes});
  carried.is_under_way = false;
  if (free_.empty()) busy_until_ = answer.ended;
  free_.push_back(connection);
  send_due();
  stop_if_done();
}

void Driver::wait_to_sweep() {
  sweep_timer_.expires_after(sweep_period(plan_.timeout));
  sweep_timer_.async_wait([this](error_code error) {
    if (!error) sweep();
  });
}

/// Gives up what takes too long: a request, and the rest of the run once its end is that long ago.
void Driver::sweep() {
  const Time now = steady_clock::now();
  const bool over = now >= end_ + plan_.timeout;
  if (!plan_.is_open()) next_ = now;
  if (over) drop_unsent(now);
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    if (carried_[i].is_under_way && (over || now >= carried_[i].sent + plan_.timeout)) give_up(i);
  }
  wait_to_sweep();
  stop_if_done();
}

void Driver::give_up(std::size_t connection) {
  if (carried_[connection].given_up) return;
  carried_[connection].given_up = true;
  target_.cancel(connection);
}

void Driver::drop_unsent(Time now) {
  for (; has_more(); next_ = start_ + schedule_.next()) {
    recorder_.record(
        {.intended = next_ - start_, .ended = now - start_, .outcome = {Outcome::Kind::kUnsent}});
  }
}

void Driver::stop_if_done() {
  if (!is_done()) return;
  due_timer_.cancel();
  sweep_timer_.cancel();
}

}  // namespace

Result<Measurement> run(const Plan& plan, Target& target) {
  return Driver(plan, target).run();
}

}  // namespace kefu::loadgen
