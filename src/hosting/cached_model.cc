#include "hosting/cached_model.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "runtime/response_cache.h"

namespace kefu::hosting {
namespace {

using Kept = std::variant<oip::InferReply, std::vector<nlu::ParseReply>>;
using Cache = runtime::ResponseCache<Kept>;

template <typename Reply>
using Answer = std::function<void(Result<Reply>)>;

runtime::CacheKey key_of(const oip::InferRequest& request, const std::string& tenant) {
  runtime::KeyBuilder key;
  key.add("infer").add(tenant).add(std::uint64_t{request.inputs.size()});
  for (const oip::Tensor& input : request.inputs) {
    key.add(input.name)
        .add(static_cast<std::uint64_t>(input.datatype))
        .add(std::uint64_t{input.shape.size()});
    for (const std::int64_t dimension : input.shape) key.add(static_cast<std::uint64_t>(dimension));
    key.add(input.data);
  }
  for (const oip::RequestedOutput& output : request.outputs) key.add(output.name);
  return key.finish();
}

runtime::CacheKey key_of(const std::vector<nlu::ParseRequest>& texts, const std::string& tenant) {
  runtime::KeyBuilder key;
  key.add("parse").add(tenant);
  for (const nlu::ParseRequest& text : texts) key.add(text.text).add(text.language);
  return key.finish();
}

std::size_t cost_of(const oip::InferReply& reply) {
  std::size_t bytes = sizeof(reply);
  for (const oip::Tensor& output : reply.outputs)
    bytes += sizeof(output) + output.name.size() + output.data.size();
  return bytes;
}

std::size_t cost_of(const std::vector<nlu::ParseReply>& replies) {
  constexpr std::size_t kNames = 64;  // of an intent, about: heap blocks included
  std::size_t bytes = 0;
  for (const nlu::ParseReply& reply : replies) {
    bytes += sizeof(reply) + reply.text.size() + reply.scores.size() * sizeof(float) +
             reply.ranking.size() * (sizeof(nlu::RankedIntent) + kNames) +
             reply.entities.size() * (sizeof(nlu::ParsedEntity) + kNames);
  }
  return bytes;
}

bool is_bypassed(const oip::Parameters& parameters) {
  const auto found = parameters.find("kefu_cache");
  return found != parameters.end() && found->second == oip::Parameter(false);
}

runtime::Call unjudged(runtime::Call call) {
  call.is_judged = false;
  return call;
}

class CachedModel final : public ServedModel, public std::enable_shared_from_this<CachedModel> {
 public:
  explicit CachedModel(ModelRef model)
      : ServedModel(0), model_(std::move(model)), cache_(model_->description().settings.cache) {}

  const ModelDescription& description() const override { return model_->description(); }
  Record& record() override { return model_->record(); }

  runtime::StatisticsSnapshot statistics() const override {
    runtime::StatisticsSnapshot all = model_->statistics();
    const metrics::HistogramSnapshot hits = hits_.snapshot();
    for (std::size_t i = 0; i < hits.counts.size(); ++i) all.success.counts[i] += hits.counts[i];
    all.success.sum += hits.sum;
    all.cache_hit = runtime::total_of(hits);
    all.cache = cache_.statistics();
    return all;
  }

  void infer(oip::InferRequest request, const runtime::Call& call, InferDone done) override {
    if (is_bypassed(request.parameters)) return model_->infer(std::move(request), call, std::move(done));
    const auto key = key_of(request, call.tenant);
    const InferDone naming = [id = request.id, done = std::move(done)](Result<oip::InferReply> reply) {
      if (reply) reply->id = id;  // of this request, whoever computed the reply
      done(std::move(reply));
    };
    answer<oip::InferReply>(
        key, call,
        [model = model_, request = std::move(request), call = unjudged(call)](InferDone give) {
          model->infer(request, call, std::move(give));
        },
        naming);
  }

  void parse(std::vector<nlu::ParseRequest> texts, const runtime::Call& call, nlu::ParseDone done) override {
    const auto key = key_of(texts, call.tenant);
    answer<std::vector<nlu::ParseReply>>(
        key, call,
        [model = model_, texts = std::move(texts), call = unjudged(call)](nlu::ParseDone give) {
          model->parse(texts, call, std::move(give));
        },
        done);
  }

  /// Vectors are not kept: they are large, and who asks for them keeps them.
  void embed(std::vector<std::string> texts, const runtime::Call& call, nlu::EmbedDone done) override {
    model_->embed(std::move(texts), call, std::move(done));
  }

 private:
  /// Who waits for another's reply; as long as its waiter.
  template <typename Reply>
  struct Follower {
    Follower(std::shared_ptr<CachedModel> its_model, Answer<Reply> its_done)
        : model(std::move(its_model)), done(std::move(its_done)) {}

    std::shared_ptr<CachedModel> model;
    Answer<Reply> done;
    std::unique_ptr<boost::asio::steady_timer>
        timer{};  // of its deadline; touched on the timers' thread only
  };

  /// `compute` asks the model.
  template <typename Reply>
  void answer(const runtime::CacheKey& key, const runtime::Call& call,
              std::function<void(Answer<Reply>)> compute, const Answer<Reply>& done) {
    const auto settled = std::make_shared<std::atomic<bool>>(false);
    const auto lead = [self = shared_from_this(), compute = std::move(compute), done](Cache::Lead duty) {
      const auto held = std::make_shared<Cache::Lead>(std::move(duty));
      compute([self, held, done](Result<Reply> reply) {
        if (reply) {
          held->fulfil(std::make_shared<const Kept>(*reply), cost_of(*reply),
                       std::chrono::steady_clock::now());
        } else {
          held->give_up();
        }
        done(std::move(reply));
      });
    };
    const auto follower = std::make_shared<Follower<Reply>>(shared_from_this(), done);
    if (call.deadline) follower->timer = std::make_unique<boost::asio::steady_timer>(timers_, *call.deadline);
    auto waiter = [lead, follower, settled, received = call.received](Cache::Outcome outcome) {
      *settled = true;
      if (follower->timer)
        boost::asio::post(follower->model->timers_, [follower] { follower->timer->cancel(); });
      if (auto* value = std::get_if<Cache::ValuePtr>(&outcome))
        return follower->model->give(**value, received, follower->done);
      lead(std::get<Cache::Lead>(std::move(outcome)));
    };
    auto found = cache_.look_up(key, std::chrono::steady_clock::now(), std::move(waiter));
    if (auto* value = std::get_if<Cache::ValuePtr>(&found)) return give(**value, call.received, done);
    if (auto* mine = std::get_if<Cache::Lead>(&found)) return lead(std::move(*mine));
    if (!*settled) await<Reply>(std::get<Cache::Ticket>(found), call, follower);
  }

  template <typename Reply>
  void give(const Kept& kept, runtime::Time received, const Answer<Reply>& done) {
    hits_.observe(std::chrono::steady_clock::now() - received);
    done(std::get<Reply>(kept));
  }

  /// A follower may go, or run out of time, while the leader computes. Nothing here may keep it: it keeps its
  /// call, and that the cancellation.
  template <typename Reply>
  void await(const Cache::Ticket& ticket, const runtime::Call& call,
             const std::shared_ptr<Follower<Reply>>& follower) {
    const auto leave = [ticket, weak = std::weak_ptr(follower)](Code code, const char* why) {
      const auto held = weak.lock();
      if (held && held->model->cache_.withdraw(ticket)) held->done(fail(code, "{}", why));
    };
    if (call.cancellation)
      call.cancellation->on_cancel([leave] { leave(Code::kCancelled, "the caller has gone"); });
    if (!call.deadline) return;
    boost::asio::post(timers_, [weak = std::weak_ptr(follower), leave] {
      const auto held = weak.lock();
      if (!held) return;
      held->timer->async_wait([leave](const boost::system::error_code& error) {
        if (!error)
          leave(Code::kDeadlineExceeded, "the deadline passed before an equal request was answered");
      });
    });
  }

  ModelRef model_;
  Cache cache_;
  metrics::Histogram hits_{runtime::response_bounds()};
  boost::asio::thread_pool timers_{1};  // of followers; ends first
};

}  // namespace

ModelRef with_response_cache(ModelRef model, Reaper& reaper) {
  return reaper.own(std::make_unique<CachedModel>(std::move(model)));
}

}  // namespace kefu::hosting
