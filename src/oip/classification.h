#pragma once
// Triton's classification extension: instead of a tensor of scores its largest ones, with their names.

#include <string>
#include <vector>

#include "oip/message.h"

namespace kefu::oip {

/// The `most` largest values of each row of `scores` as BYTES "value:index" or, where there is a label,
/// "value:index:label", descending, the lower index first among equals: [rows, most], or [most] if the tensor
/// has no rows. kInvalidArgument: values that have no order, such as BYTES.
Result<Tensor> classify(const Tensor& scores, std::size_t most, const std::vector<std::string>& labels,
                        bool has_rows);

/// The parameter `classification` of a requested output; 0: it has none. kInvalidArgument: not a positive
/// number.
Result<std::size_t> classes_wanted(const RequestedOutput& output);

}  // namespace kefu::oip
