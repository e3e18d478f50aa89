#pragma once
// What the server says of itself, whatever the transport.

#include <array>
#include <string_view>

namespace kefu::oip {

/// What of Triton's superset is there; only what is.
inline constexpr std::array<std::string_view, 10> kExtensions{"binary_tensor_data",
                                                              "classification",
                                                              "model_configuration",
                                                              "model_repository",
                                                              "model_repository(unload_dependents)",
                                                              "schedule_policy",
                                                              "parameters",
                                                              "statistics",
                                                              "trace",
                                                              "logging"};

}  // namespace kefu::oip
