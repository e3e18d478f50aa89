#pragma once
// The steps under "normalizer" of a tokenizer.json.

#include <memory>
#include <vector>

#include "text/json_node.h"
#include "text/normalized.h"

namespace kefu::text {

/// Immutable after loading; any number of threads may use one at once.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(Normalized& text) const = 0;
};

using Normalizers = std::vector<std::unique_ptr<Normalizer>>;

/// Appends the steps of `node` to `out`, sequences flattened and neighbouring replacements of single code
/// points merged into one step.
Result<void> load_normalizer(const JsonNode& node, Normalizers& out);

}  // namespace kefu::text
