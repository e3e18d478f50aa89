#include "loadgen/line_chart.h"

#include <algorithm>
#include <cmath>

namespace kefu::loadgen {
namespace {

// The plot and its place in the drawing, in SVG units.
constexpr double kWidth = 720;
constexpr double kHeight = 240;
constexpr double kLeft = 64;
constexpr double kTop = 12;
constexpr double kRight = 24;
constexpr double kBottom = 44;

double plot_x(const Axis& axis, double value) {
  return kLeft + kWidth * value / axis.end;
}
double plot_y(const Axis& axis, double value) {
  return kTop + kHeight * (1 - value / axis.end);
}

void add_axes(const Axis& x, const Axis& y, train::HtmlWriter& page) {
  for (const Tick& tick : y.ticks) {
    const double at = plot_y(y, tick.at);
    page.add("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", kLeft,
             kLeft + kWidth, at);
    page.add("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 8, at + 4, tick.label);
  }
  for (const Tick& tick : x.ticks) {
    const double at = plot_x(x, tick.at);
    page.add("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", at, kTop,
             kTop + kHeight);
    page.add("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", at, kTop + kHeight + 18,
             tick.label);
  }
  page.add("<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", kLeft + kWidth / 2,
           kTop + kHeight + 38, x.title);
  page.add("<text class=\"axis\" transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
           kTop + kHeight / 2, y.title);
}

void add_line(const Axis& x, const Axis& y, const Line& line, train::HtmlWriter& page) {
  page.add("<polyline class=\"{}\" points=\"", line.css_class);
  for (const auto& [at, value] : line.points)
    page.add("{:.1f},{:.1f} ", plot_x(x, std::min(at, x.end)), plot_y(y, std::min(value, y.end)));
  page.raw("\"/>");
}

}  // namespace

Axis round_axis(std::string title, double most) {
  Axis axis{.title = std::move(title)};
  if (!(most > 0)) most = 1;
  const double power = std::pow(10, std::floor(std::log10(most / 4)));
  double step = power;
  for (const double factor : {2.0, 5.0}) {
    if (most / 4 >= factor * power) step = factor * power;
  }
  const auto steps = static_cast<int>(std::ceil(most / step - 1e-9));
  axis.end = step * steps;
  for (int i = 0; i <= steps; ++i) axis.ticks.push_back({step * i, fmt::format("{:.6g}", step * i)});
  return axis;
}

void add_line_chart(std::string_view label, const Axis& x, const Axis& y, std::span<const Line> lines,
                    train::HtmlWriter& page) {
  page.add("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">", kLeft + kWidth + kRight,
           kTop + kHeight + kBottom, label);
  add_axes(x, y, page);
  for (const Line& line : lines) add_line(x, y, line, page);
  page.raw("</svg>");
}

}  // namespace kefu::loadgen
