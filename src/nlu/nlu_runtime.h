#pragma once
// The NluService over instance pools, one a model.

#include <atomic>
#include <memory>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "nlu/nlu_model.h"
#include "nlu/service.h"
#include "runtime/instance_pool.h"

namespace kefu::nlu {

struct BatchingSettings {
  std::size_t max_batch = 8;            // windows a run; more gain little speed and make the others wait
  std::size_t max_batch_tokens = 4096;  // of a run, padding included
  std::size_t max_queue = 1024;         // requests of a model that wait
  int window_ms = 0;                    // longest wait of a request for company
  std::size_t instances = 1;            // runs of a model at once
};

/// Owns its models and their threads; the destructor answers what is queued and joins.
class NluRuntime final : public NluService {
 public:
  /// Warms every model. The first one is the default. kInvalidArgument: settings that contradict each other.
  static Result<std::unique_ptr<NluRuntime>> start(std::vector<std::shared_ptr<const NluModel>> models,
                                                   const BatchingSettings& settings);
  ~NluRuntime() override;

  void parse(std::string_view model, std::vector<ParseRequest> texts, Done done) override;
  Result<ModelDescription> describe(std::string_view model) const override;
  std::vector<ModelName> models() const override;
  bool ready() const override { return !closing_; }

 private:
  struct Served {
    std::shared_ptr<const NluModel> model;
    std::unique_ptr<runtime::InstancePool> pool;
  };

  NluRuntime() = default;
  Result<const Served*> find(std::string_view model) const;
  static void submit(const Served& served, std::vector<ParseRequest> texts, runtime::Time received,
                     Done done);

  std::vector<Served> served_;
  std::atomic<bool> closing_ = false;
  boost::asio::thread_pool tokenizing_{1};  // long texts, which would keep an I/O thread too long
};

}  // namespace kefu::nlu
