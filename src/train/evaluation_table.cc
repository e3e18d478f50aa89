#include "train/evaluation_table.h"

#include <algorithm>
#include <iterator>

namespace kefu::train {
namespace {

using Row = std::vector<std::string>;

std::string percent(std::optional<double> value) {
  return value ? fmt::format("{:.1f}", 100 * *value) : std::string("-");
}

Row row(const std::string& name, const Figures& figures) {
  return {name,
          fmt::format("{}", figures.in_scope),
          fmt::format("{}", figures.out_of_scope),
          percent(figures.intent.accuracy),
          percent(figures.intent.macro_f1),
          percent(figures.slots.overall.f1()),
          percent(figures.slots.with_role.f1()),
          percent(figures.calibration_error),
          percent(figures.scope_auroc),
          percent(figures.decided.out_of_scope_recall),
          percent(figures.decided.in_scope_kept),
          percent(figures.at_threshold.out_of_scope_recall),
          percent(figures.at_threshold.in_scope_kept)};
}

// Two heads: the group of columns, then the column.
std::vector<Row> heads() {
  return {{"", "texts", "", "intent", "", "slot", "+role", "calib.", "oos", "decided", "", "at thr.", ""},
          {"language", "in", "out", "acc", "mF1", "F1", "F1", "ECE", "AUROC", "recall", "kept", "recall",
           "kept"}};
}

void append_row(const Row& cells, const std::vector<std::size_t>& widths, std::string& out) {
  auto end = std::back_inserter(out);
  fmt::format_to(end, "{:<{}}", cells[0], widths[0]);
  for (std::size_t i = 1; i < cells.size(); ++i) fmt::format_to(end, "  {:>{}}", cells[i], widths[i]);
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

}  // namespace

std::string evaluation_table(const Evaluation& evaluation) {
  std::vector<Row> rows = heads();
  for (const auto& [language, figures] : evaluation.languages) rows.push_back(row(language, figures));
  rows.push_back(row("all", evaluation.overall));
  std::vector<std::size_t> widths(rows[0].size());
  for (const Row& cells : rows) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::size_t rule = 2 * (widths.size() - 1);
  for (const std::size_t width : widths) rule += width;
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 2 || i + 1 == rows.size()) out += std::string(rule, '-') + '\n';
    append_row(rows[i], widths, out);
  }
  if (evaluation.threshold) {
    fmt::format_to(std::back_inserter(out), "in per cent; threshold {:.4f} ({})\n", *evaluation.threshold,
                   evaluation.threshold_source == ThresholdSource::kGiven
                       ? std::string("given")
                       : fmt::format("keeps {:.1f} of in-scope texts of the {} set",
                                     100 * evaluation.share_kept, to_string(evaluation.threshold_source)));
  }
  return out;
}

}  // namespace kefu::train
