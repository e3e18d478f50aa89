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

/// Parses texts asynchronously. Thread-safe.
class NluService {
 public:
  using Done = std::function<void(Result<ParseReply>)>;

  virtual ~NluService() = default;

  /// Queues a request for the named model (empty: the default) and returns at once; `done` is called exactly
  /// once, on a worker thread or on the caller's, and must not block. kNotFound: no such model;
  /// kResourceExhausted: the queue is full; kUnavailable: shutting down.
  virtual void parse(std::string_view model, ParseRequest request, Done done) = 0;

  virtual std::vector<ModelName> models() const = 0;

  /// False until every model is loaded and warm, and again once shutting down.
  virtual bool ready() const = 0;
};

}  // namespace kefu::nlu
