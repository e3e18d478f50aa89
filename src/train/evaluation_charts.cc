#include "train/evaluation_charts.h"

#include <algorithm>
#include <cmath>

namespace kefu::train {
namespace {

// Side of the reliability plot and its place in the drawing, in SVG units.
constexpr double kSide = 320;
constexpr double kLeft = 46;
constexpr double kTop = 10;

double plot_x(double share) {
  return kLeft + kSide * share;
}
double plot_y(double share) {
  return kTop + kSide * (1 - share);
}

void add_bar(std::optional<double> share, HtmlWriter& page) {
  if (!share) return page.raw("<td class=\"n none\">–</td>");
  page.add("<td class=\"n\"><span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span>{:.1f}</td>",
           100 * *share, 100 * *share);
}

void add_language_row(std::string_view name, const Figures& figures, HtmlWriter& page) {
  page.add("<th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td>", escape_html(name),
           figures.in_scope, figures.out_of_scope);
  add_bar(figures.intent.accuracy, page);
  add_bar(figures.intent.macro_f1, page);
  add_bar(figures.slots.overall.f1(), page);
  add_bar(figures.scope_auroc, page);
  add_bar(figures.decided.out_of_scope_recall, page);
  add_bar(figures.decided.in_scope_kept, page);
  add_bar(figures.at_threshold.out_of_scope_recall, page);
  page.add("<td class=\"n\">{}</td>", html_percent(figures.calibration_error));
}

void add_grid(HtmlWriter& page) {
  for (int tick = 0; tick <= 5; ++tick) {
    const double share = tick / 5.0;
    page.add("<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>", plot_x(0), plot_x(1),
             plot_y(share));
    page.add("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{:.1f}</text>", kLeft - 8, plot_y(share) + 4,
             share);
    page.add("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:.1f}</text>", plot_x(share), plot_y(0) + 18,
             share);
  }
  page.add("<line class=\"ideal\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>", plot_x(0), plot_y(0), plot_x(1),
           plot_y(1));
  page.add("<text class=\"axis\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">mean confidence</text>",
           plot_x(0.5), plot_y(0) + 38);
  page.add(
      "<text class=\"axis\" transform=\"translate(12 {}) rotate(-90)\" "
      "text-anchor=\"middle\">accuracy</text>",
      plot_y(0.5));
}

void add_dots(std::span<const ReliabilityBin> bins, HtmlWriter& page) {
  std::size_t most = 1;
  for (const ReliabilityBin& bin : bins) most = std::max(most, bin.count);
  for (const ReliabilityBin& bin : bins) {
    const double area = static_cast<double>(bin.count) / static_cast<double>(most);
    page.add("<line class=\"gap\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
             plot_x(bin.confidence), plot_y(bin.confidence), plot_y(bin.accuracy));
    page.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>", plot_x(bin.confidence),
             plot_y(bin.accuracy), std::max(3.0, 6.5 * std::sqrt(area)));
    page.add("{} texts, confidence {:.3f}, accuracy {:.3f}</title></circle>", bin.count, bin.confidence,
             bin.accuracy);
  }
}

void add_bin_table(std::span<const ReliabilityBin> bins, HtmlWriter& page) {
  page.raw(
      "<div class=\"scroll\"><table><thead><tr><th>confidences</th><th class=\"n\">texts</th>"
      "<th class=\"n\">confidence</th><th class=\"n\">accuracy</th><th class=\"n\">gap</th></tr></thead>");
  for (const ReliabilityBin& bin : bins) {
    page.add("<tr><td>{:.3f} – {:.3f}</td><td class=\"n\">{}</td><td class=\"n\">{:.3f}</td>", bin.least,
             bin.most, bin.count, bin.confidence);
    page.add("<td class=\"n\">{:.3f}</td><td class=\"n\">{:+.3f}</td></tr>", bin.accuracy,
             bin.accuracy - bin.confidence);
  }
  page.raw("</table></div>");
}

// Confused intents, most confusions (either way) first.
std::vector<std::string> most_confused(const IntentFigures& intent, std::size_t most) {
  std::map<std::string, std::size_t> counts;
  for (const Confusion& pair : intent.confusions) {
    counts[pair.expected] += pair.count;
    if (!pair.got.empty()) counts[pair.got] += pair.count;
  }
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  sorted.resize(std::min(sorted.size(), most));
  std::vector<std::string> names;
  for (const auto& [name, count] : sorted) names.push_back(name);
  return names;
}

using Pair = std::pair<std::string, std::string>;

// The shade is the share of the row's texts, by its square root so that single errors can be seen.
void add_heat_row(const std::string& expected, const std::vector<std::string>& names, std::size_t support,
                  const std::map<Pair, std::size_t>& counts, HtmlWriter& page) {
  for (const std::string& got : names) {
    const auto found = counts.find({expected, got});
    if (found == counts.end() || found->second == 0) {
      page.raw("<td></td>");
      continue;
    }
    const double share =
        static_cast<double>(found->second) / static_cast<double>(std::max<std::size_t>(1, support));
    page.add("<td class=\"{}{}\" style=\"--s:{:.0f}%\" title=\"{} → {}: {} of {}\">{}</td>",
             expected == got ? "hit" : "miss", share > 0.3 ? " deep" : "", 8 + 82 * std::sqrt(share),
             escape_html(expected), escape_html(got), found->second, support, found->second);
  }
}

}  // namespace

void add_language_bars(const Evaluation& evaluation, HtmlWriter& page) {
  page.add(
      "<section id=\"languages\"><h2>Languages</h2><p>Per cent. OOS is short for out of scope.</p>"
      "<div class=\"scroll\"><table class=\"languages\"><thead><tr><th>language</th>"
      "<th class=\"n\">in scope</th><th class=\"n\">OOS</th><th class=\"n\">accuracy</th>"
      "<th class=\"n\">macro-F1</th><th class=\"n\">slot F1</th><th class=\"n\">OOS AUROC</th>"
      "<th class=\"n\">OOS recall</th><th class=\"n\">kept</th><th class=\"n\">recall at thr.</th>"
      "<th class=\"n\">ECE</th></tr></thead>");
  for (const auto& [language, figures] : evaluation.languages) {
    page.raw("<tr>");
    add_language_row(language, figures, page);
    page.raw("</tr>");
  }
  page.raw("<tr class=\"all\">");
  add_language_row("all", evaluation.overall, page);
  page.raw("</tr></table></div></section>");
}

void add_reliability(const Figures& figures, HtmlWriter& page) {
  page.raw(
      "<section id=\"reliability\"><h2>Reliability</h2><p>In-scope texts in bins of equal mass by the "
      "confidence of the best intent. Below the diagonal the model is too sure, above it not sure "
      "enough.</p>");
  if (figures.bins.empty()) return page.raw("<p class=\"none\">There are no in-scope texts.</p></section>");
  page.add("<div class=\"pair\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Reliability diagram\">",
           kLeft + kSide + 16, kTop + kSide + 46);
  add_grid(page);
  add_dots(figures.bins, page);
  page.raw("</svg>");
  add_bin_table(figures.bins, page);
  page.raw("</div></section>");
}

void add_heat_map(const IntentFigures& intent, std::size_t most_intents, HtmlWriter& page) {
  const std::vector<std::string> names = most_confused(intent, most_intents);
  if (names.empty()) return;
  std::map<Pair, std::size_t> counts;
  for (const Confusion& pair : intent.confusions) counts[{pair.expected, pair.got}] = pair.count;
  for (const std::string& name : names) counts[{name, name}] = intent.intents.at(name).true_positives;
  page.add(
      "<h3>The {} most confused intents</h3><p>Rows: right intent; columns: given intent, in the same "
      "order.</p><div class=\"scroll\"><table class=\"heat\"><thead><tr><th></th><th></th>",
      names.size());
  for (std::size_t i = 1; i <= names.size(); ++i) {
    page.add("<th title=\"{}\">{}</th>", escape_html(names[i - 1]), i);
  }
  page.raw("</tr></thead>");
  for (std::size_t i = 0; i < names.size(); ++i) {
    page.add("<tr><th scope=\"row\">{}</th><th>{}</th>", escape_html(names[i]), i + 1);
    add_heat_row(names[i], names, intent.intents.at(names[i]).support(), counts, page);
    page.raw("</tr>");
  }
  page.raw("</table></div>");
}

}  // namespace kefu::train
