#include "loadgen/outcome.h"

#include "base/result.h"

namespace kefu::loadgen {

bool is_success(Outcome outcome) {
  if (outcome.kind == Outcome::Kind::kGrpc) return outcome.code == 0;
  return outcome.kind == Outcome::Kind::kHttp && outcome.code / 100 == 2;
}

bool is_given_up(Outcome outcome) {
  return outcome.kind == Outcome::Kind::kTimeout || outcome.kind == Outcome::Kind::kUnsent;
}

std::string outcome_name(Outcome outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::kHttp:
      return std::to_string(outcome.code);
    case Outcome::Kind::kGrpc: {
      if (outcome.code == 0) return "OK";
      const bool known = outcome.code > 0 && outcome.code <= static_cast<int>(Code::kUnauthenticated) + 1;
      return std::string(code_name(known ? static_cast<Code>(outcome.code - 1) : Code::kUnknown));
    }
    case Outcome::Kind::kTimeout:
      return "timeout";
    case Outcome::Kind::kConnection:
      return "connection";
    case Outcome::Kind::kUnsent:
      return "unsent";
  }
  return "";
}

}  // namespace kefu::loadgen
