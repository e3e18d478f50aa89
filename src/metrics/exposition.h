#pragma once
// Prometheus' text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats).

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/histogram.h"

namespace kefu::metrics {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// Writes families one after another, each with all of its samples. Not thread-safe.
class Exposition {
 public:
  /// Begins a family; `type` is counter, gauge or histogram.
  void family(std::string_view name, std::string_view type, std::string_view help);

  /// A sample of the family begun last.
  void sample(const Labels& labels, std::uint64_t value);
  void sample(const Labels& labels, double value);

  /// A histogram's samples, in the unit of what was observed times `scale` (1e-9: nanoseconds as seconds).
  void sample(const Labels& labels, const Bounds& bounds, const HistogramSnapshot& histogram, double scale);

  std::string text() && { return std::move(text_); }

 private:
  void line(std::string_view suffix, const Labels& labels, std::string_view value);

  std::string name_;
  std::string text_;
};

}  // namespace kefu::metrics
