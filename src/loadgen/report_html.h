#pragma once
// A report as one page that loads nothing.

#include <string>

#include "loadgen/report.h"

namespace kefu::loadgen {

std::string report_html(const Report& report);

}  // namespace kefu::loadgen
