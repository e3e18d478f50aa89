#pragma once
// The seam between transports and inference: a loaded version of a model with its instances.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hosting/model_settings.h"
#include "hosting/record.h"
#include "nlu/embed_task.h"
#include "nlu/parse_task.h"
#include "oip/message.h"
#include "oip/model_metadata.h"
#include "runtime/instance_pool.h"

namespace kefu::hosting {

using InferDone = std::function<void(Result<oip::InferReply>)>;

/// What does not change while a version is in service.
struct ModelDescription {
  oip::ModelMetadata metadata{};       // `versions` holds this one
  std::string digest{};                // of its files: equal digests, equal models
  ModelSettings settings{};            // effective ones
  std::size_t max_batch_size = 0;      // rows a run; 0: no batch dimension
  std::vector<std::string> intents{};  // in the order of nlu::ParseReply::scores; none if it reads no text

  const std::string& name() const { return metadata.name; }
  const std::string& version() const { return metadata.versions.front(); }
};

/// Thread-safe. It lives as long as somebody holds it or waits for an answer of it.
class ServedModel {
 public:
  /// `labels`: intents it can give.
  explicit ServedModel(std::size_t labels) : record_(labels) {}
  virtual ~ServedModel() = default;

  virtual const ModelDescription& description() const = 0;

  /// Queues a request and returns at once; `done` is called exactly once, on a thread of the model or on the
  /// caller's, and must not block. kInvalidArgument names the tensor at fault; kResourceExhausted: the queue
  /// is full; kUnavailable: it waited too long, or the server shuts down; kDeadlineExceeded; kCancelled.
  virtual void infer(oip::InferRequest request, const runtime::Call& call, InferDone done) = 0;

  /// The same for texts, as many replies as texts. kInvalidArgument: the model does not read text.
  virtual void parse(std::vector<nlu::ParseRequest> texts, const runtime::Call& call,
                     nlu::ParseDone done) = 0;

  /// Vectors of texts, as many as texts, which are not none. kInvalidArgument: the model has no encoder.
  virtual void embed(std::vector<std::string> texts, const runtime::Call& call, nlu::EmbedDone done) = 0;

  /// Takes no lock.
  virtual runtime::StatisticsSnapshot statistics() const = 0;

  /// What whoever asks it, and it itself, say of its answers.
  virtual Record& record() { return record_; }

 private:
  Record record_;
};

using ModelRef = std::shared_ptr<ServedModel>;

}  // namespace kefu::hosting
