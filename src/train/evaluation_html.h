#pragma once
// An evaluation as one HTML page that needs nothing from outside itself.

#include <span>
#include <string>

#include "train/evaluation.h"

namespace kefu::train {

struct HtmlSettings {
  std::string title = {};             // name and version of the model; empty: "Evaluation"
  std::string data = {};              // what it was tested on; empty: not shown
  std::size_t most_errors = 500;      // listed, in the order of the texts
  std::size_t most_confusions = 20;   // listed
  std::size_t heat_map_intents = 30;  // the most confused
};

/// The page holds the texts that went wrong: keep it where the test set may be kept. Everything that comes
/// from data is escaped. `judged` is what `evaluation` was made of.
std::string evaluation_html(const Evaluation& evaluation, std::span<const Judged> judged,
                            const HtmlSettings& settings = {});

}  // namespace kefu::train
