#pragma once
// A report for programs.

#include "base/json.h"
#include "loadgen/report.h"

namespace kefu::loadgen {

/// Times in milliseconds, rates in requests a second; figures of nothing are null.
Json report_json(const Report& report);

/// The same as text of two-space indentation.
std::string report_json_text(const Report& report);

}  // namespace kefu::loadgen
