#pragma once
// An evaluation as a table for a terminal: a line per language and one for all.

#include <string>

#include "train/evaluation.h"

namespace kefu::train {

/// Figures in per cent with one decimal, "-" where not defined; ASCII but for the languages' names.
std::string evaluation_table(const Evaluation& evaluation);

}  // namespace kefu::train
