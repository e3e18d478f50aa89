#pragma once
// A report for a terminal.

#include "loadgen/report.h"

namespace kefu::loadgen {

std::string report_table(const Report& report);

}  // namespace kefu::loadgen
