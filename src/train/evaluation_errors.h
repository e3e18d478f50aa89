#pragma once
// The list of errors of an evaluation's page.

#include <span>

#include "train/evaluation.h"
#include "train/html.h"

namespace kefu::train {

/// Texts whose intent, rejection or slots are wrong, at most `most`, in their order.
void add_errors(std::span<const Judged> judged, std::size_t most, HtmlWriter& page);

}  // namespace kefu::train
