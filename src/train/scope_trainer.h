#pragma once
// Chooses how the out-of-scope signals are weighted and where the threshold lies.

#include <string>
#include <vector>

#include "nlu/scope_head.h"

namespace kefu::train {

struct ScopeFit {
  nlu::ScopeRule rule;
  std::string method;  // the candidate chosen
  double auroc = 0;    // on the signals given; 0 without out-of-scope texts
};

/// `inside` are signals of in-scope texts by models that had not seen them, `outside` of known out-of-scope
/// texts (may be empty: then energy plus neighbours, unselected). The threshold is score 0.5 and keeps the
/// share `kept` of `inside`.
ScopeFit fit_scope(const std::vector<nlu::ScopeSignals>& inside,
                   const std::vector<nlu::ScopeSignals>& outside, double kept);

}  // namespace kefu::train
