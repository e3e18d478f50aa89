#include "metrics/exposition.h"

#include <fmt/format.h>

namespace kefu::metrics {
namespace {

/// A label's value between quotes.
void append_escaped(std::string_view value, std::string& text) {
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else {
      text += c;
    }
  }
}

}  // namespace

void Exposition::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void Exposition::line(std::string_view suffix, const Labels& labels, std::string_view value) {
  text_.append(name_).append(suffix);
  char separator = '{';
  for (const auto& [name, label] : labels) {
    text_ += separator;
    text_.append(name).append("=\"");
    append_escaped(label, text_);
    text_ += '"';
    separator = ',';
  }
  if (separator == ',') text_ += '}';
  text_.append(" ").append(value).append("\n");
}

void Exposition::sample(const Labels& labels, std::uint64_t value) {
  line("", labels, fmt::to_string(value));
}

void Exposition::sample(const Labels& labels, double value) {
  line("", labels, fmt::to_string(value));
}

void Exposition::sample(const Labels& labels, const Bounds& bounds, const HistogramSnapshot& histogram,
                        double scale) {
  Labels bucket = labels;
  bucket.emplace_back("le", "");
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    so_far += histogram.counts[i];
    bucket.back().second =
        i < bounds.size() ? fmt::format("{:.6g}", static_cast<double>(bounds[i]) * scale) : "+Inf";
    line("_bucket", bucket, fmt::to_string(so_far));
  }
  line("_sum", labels, fmt::to_string(static_cast<double>(histogram.sum) * scale));
  line("_count", labels, fmt::to_string(so_far));
}

}  // namespace kefu::metrics
