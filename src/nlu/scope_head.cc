#include "nlu/scope_head.h"

#include <cmath>

namespace kefu::nlu {

float ScopeRule::score(const ScopeSignals& signals) const {
  const auto values = signals.values();
  float sum = offset;
  for (std::size_t i = 0; i < values.size(); ++i) sum += weight[i] * (values[i] - mean[i]) / deviation[i];
  return 1 / (1 + std::exp(sum));
}

}  // namespace kefu::nlu
