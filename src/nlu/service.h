#pragma once
// The seam between transports and inference.

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "nlu/reply.h"

namespace kefu::nlu {

/// Name and version of a loaded model.
struct ModelName {
  std::string name;
  std::string version;
};

/// A loaded model as its users see it.
struct ModelDescription {
  ModelName name;
  std::vector<std::string> intents;  // in the order of ParseReply::scores
};

/// Parses texts asynchronously. Thread-safe.
class NluService {
 public:
  /// As many replies as texts, in their order.
  using Done = std::function<void(Result<std::vector<ParseReply>>)>;

  virtual ~NluService() = default;

  /// Queues the texts of a request for the named model (empty: the default) and returns at once; `done` is
  /// called exactly once, on a thread of the service or on the caller's, and must not block. kNotFound: no
  /// such model; kResourceExhausted: the queue is full; kUnavailable: shutting down.
  virtual void parse(std::string_view model, std::vector<ParseRequest> texts, Done done) = 0;

  /// kNotFound: no such model.
  virtual Result<ModelDescription> describe(std::string_view model) const = 0;

  virtual std::vector<ModelName> models() const = 0;

  /// False until every model is loaded and warm, and again once shutting down.
  virtual bool ready() const = 0;
};

}  // namespace kefu::nlu
