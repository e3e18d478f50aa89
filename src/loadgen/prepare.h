#pragma once
// From options and files to a target with its requests ready.

#include "loadgen/options.h"
#include "loadgen/texts.h"

namespace kefu::loadgen {

struct Prepared {
  std::unique_ptr<Target> target;
  std::string request;                  // for people: "POST /model/parse"
  std::optional<Histogram> text_bytes;  // lengths of the texts, if texts are sent
};

/// Reads the files; opens no connection.
Result<Prepared> prepare(const Options& options);

}  // namespace kefu::loadgen
