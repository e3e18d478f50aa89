#pragma once
// Charts of an evaluation's page.

#include "train/evaluation.h"
#include "train/html.h"

namespace kefu::train {

/// A table of the languages and all texts, a bar in each cell.
void add_language_bars(const Evaluation& evaluation, HtmlWriter& page);

/// Accuracy over confidence, a dot per bin (its area in proportion to the bin's texts), and the bins as a
/// table.
void add_reliability(const Figures& figures, HtmlWriter& page);

/// Texts by right intent (rows) and given intent (columns), for the intents with most confusions.
void add_heat_map(const IntentFigures& intent, std::size_t most_intents, HtmlWriter& page);

}  // namespace kefu::train
