#pragma once
// What a model says of itself in the Open Inference Protocol v2.

#include <cstdint>
#include <string>
#include <vector>

#include "oip/datatype.h"

namespace kefu::oip {

struct TensorMetadata {
  std::string name;
  DataType datatype = DataType::kFp32;
  std::vector<std::int64_t> shape;  // -1: any
  bool optional = false;            // an input that may be left out
};

struct ModelMetadata {
  std::string name;
  std::vector<std::string> versions;
  std::string platform;
  std::vector<TensorMetadata> inputs;
  std::vector<TensorMetadata> outputs;
};

}  // namespace kefu::oip
