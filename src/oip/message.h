#pragma once
// Inference requests and replies of the Open Inference Protocol v2, whatever transport and encoding they came
// by.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "oip/datatype.h"

namespace kefu::oip {

/// A parameter's value; the types of gRPC's InferParameter.
using Parameter = std::variant<bool, std::int64_t, std::string, double, std::uint64_t>;
using Parameters = std::map<std::string, Parameter, std::less<>>;

/// A tensor with its values as they travel in binary: little-endian, row-major; each element of BYTES is a
/// length of four bytes and so many bytes.
struct Tensor {
  std::string name;
  DataType datatype = DataType::kFp32;
  std::vector<std::int64_t> shape;
  Parameters parameters;
  std::string data;
};

struct RequestedOutput {
  std::string name;
  Parameters parameters;
};

struct InferRequest {
  std::string model;
  std::string version;  // empty: the server chooses
  std::string id;       // echoed
  Parameters parameters;
  std::vector<Tensor> inputs;
  std::vector<RequestedOutput> outputs;  // empty: all
};

struct InferReply {
  std::string model;
  std::string version;
  std::string id;
  Parameters parameters;
  std::vector<Tensor> outputs;
};

/// The product of the dimensions. kInvalidArgument, naming the tensor: more than kMaxRank dimensions, a
/// negative one, or more than `most` elements.
Result<std::size_t> element_count(std::string_view tensor, const std::vector<std::int64_t>& shape,
                                  std::size_t most);

inline constexpr std::size_t kMaxRank = 8;
inline constexpr std::size_t kMaxRows = 8192;  // of a request

/// kInvalidArgument if the data is not what shape and type need.
Result<void> check_data(const Tensor& tensor, std::size_t elements);

/// Appends an element of BYTES.
void append_bytes_element(std::string_view element, std::string& data);

/// Where each of `rows` equal shares of the `elements` in the data of a BYTES tensor begins, and where the
/// last one ends; the data is as long as check_data() wants it.
std::vector<std::size_t> bytes_row_offsets(std::string_view data, std::size_t elements, std::size_t rows);

/// The elements of a BYTES tensor that has passed check_data(); they live as long as the tensor.
std::vector<std::string_view> bytes_elements(const Tensor& tensor);

}  // namespace kefu::oip
