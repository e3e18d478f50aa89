#pragma once
// A drawing of lines over two axes, as SVG inside a page whose CSS gives the colours.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "train/html.h"

namespace kefu::loadgen {

struct Tick {
  double at = 0;
  std::string label;
};

/// From 0 to `end`, which is above 0.
struct Axis {
  std::string title;
  double end = 1;
  std::vector<Tick> ticks = {};
};

struct Line {
  std::string css_class;
  std::vector<std::pair<double, double>> points;  // x, y; in the order of x
};

/// An axis that ends at or a little above `most`, with four to ten round ticks.
Axis round_axis(std::string title, double most);

/// `label` says for those who cannot see it what it shows. All texts are HTML already.
void add_line_chart(std::string_view label, const Axis& x, const Axis& y, std::span<const Line> lines,
                    train::HtmlWriter& page);

}  // namespace kefu::loadgen
