#include "train/evaluation_html.h"

#include <algorithm>

#include "train/evaluation_charts.h"
#include "train/evaluation_errors.h"
#include "train/html.h"

namespace kefu::train {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--ink:#1b2330;--soft:#5d6878;--line:#e1e5ea;
--blue:#2563c9;--red:#c2413a;--chip:#eef1f5;--deep:#fff}
@media(prefers-color-scheme:dark){:root{--page:#11151b;--card:#191f28;--ink:#e4e8ee;--soft:#98a3b3;
--line:#2b333f;--blue:#6ea3f5;--red:#ee7d74;--chip:#252d39;--deep:#10151c}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC",sans-serif}
main{max-width:1240px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:26px;line-height:1.2;margin:0}h2{font-size:18px;margin:0 0 4px}h3{font-size:15px;margin:28px 0 4px}
p{margin:0 0 14px;color:var(--soft);max-width:80ch}
nav{margin:14px 0 24px;display:flex;gap:18px;flex-wrap:wrap}a{color:var(--blue);text-decoration:none}
section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:22px 24px;margin:0 0 20px}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(240px,1fr));gap:12px;margin:0 0 20px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px}
.tile span{color:var(--soft)}.tile b{display:block;font-size:27px;line-height:1.3;font-weight:600}
.tile small,small{color:var(--soft);font-size:12px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:6px 10px;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--soft);font-weight:500;white-space:nowrap}tbody th{font-weight:500}
.n{text-align:right;white-space:nowrap}.none{color:var(--soft)}
.languages .bar{display:inline-block;width:44px;height:7px;margin-right:8px;background:var(--chip);border-radius:3px;
overflow:hidden;vertical-align:middle}.bar i{display:block;height:100%;background:var(--blue)}
.all>*{border-bottom:0;border-top:2px solid var(--line);font-weight:600}
.pair{display:grid;grid-template-columns:minmax(300px,460px) 1fr;gap:32px;align-items:start}
@media(max-width:820px){.pair{grid-template-columns:1fr}}
svg{width:100%;height:auto}svg text{fill:var(--soft);font-size:11px}svg .axis{font-size:12px}
.grid{stroke:var(--line)}.ideal{stroke:var(--soft);stroke-dasharray:4 4}.gap{stroke:var(--red);stroke-width:2}
circle{fill:var(--blue);stroke:var(--card);stroke-width:1.5}
.heat{width:auto;font-size:12px}.heat th,.heat td{border:0;padding:3px 4px}
.heat td{min-width:26px;text-align:center;border:1px solid var(--card);background:var(--page)}
.heat thead th,.heat th+th{text-align:center;color:var(--soft);font-weight:400}.heat th{white-space:nowrap}
.heat .hit{background:color-mix(in srgb,var(--blue) var(--s),var(--card))}
.heat .miss{background:color-mix(in srgb,var(--red) var(--s),var(--card))}.heat .deep{color:var(--deep)}
.kind{display:inline-block;background:var(--chip);border-radius:4px;padding:0 7px;font-size:12px;white-space:nowrap}
.text{min-width:260px}.text bdi{display:block;white-space:pre-wrap;overflow-wrap:anywhere}
.name{overflow-wrap:anywhere;min-width:110px}.slot{font-size:13px}.slot b{font-weight:500;color:var(--red)}
.slot bdi{background:var(--chip);border-radius:3px;padding:0 4px}
input{width:100%;max-width:420px;margin:0 0 12px;padding:7px 11px;font:inherit;color:inherit;background:var(--page);
border:1px solid var(--line);border-radius:7px}
@media print{nav,input{display:none}section{break-inside:avoid-page}}
)css";

// Filters the rows of errors; the page is complete without it.
constexpr std::string_view kScript = R"js(
const filter=document.getElementById('filter');
if(filter){filter.hidden=false;const rows=[...document.querySelectorAll('.errors tbody tr')];
const texts=rows.map(row=>row.textContent.toLowerCase());
filter.addEventListener('input',()=>{const words=filter.value.toLowerCase().split(/\s+/);
rows.forEach((row,i)=>{row.hidden=!words.every(word=>texts[i].includes(word))})})}
)js";

void add_tile(std::string_view name, std::optional<double> share, std::string_view note, HtmlWriter& page) {
  page.add("<div class=\"tile\"><span>{}</span><b>{}{}</b><small>{}</small></div>", name, html_percent(share),
           share ? "\u2009%" : "", note);
}

std::string threshold_note(const Evaluation& evaluation) {
  if (!evaluation.threshold) return "no threshold";
  if (evaluation.threshold_source == ThresholdSource::kGiven) {
    return fmt::format("at the given threshold {:.4f}", *evaluation.threshold);
  }
  return fmt::format("at {:.4f}, which keeps {}\u2009% of the {} set's in-scope texts", *evaluation.threshold,
                     html_percent(evaluation.share_kept), to_string(evaluation.threshold_source));
}

void add_headline(const Evaluation& evaluation, HtmlWriter& page) {
  const Figures& all = evaluation.overall;
  page.raw("<div class=\"tiles\">");
  add_tile("Intent accuracy", all.intent.accuracy, fmt::format("{} in-scope texts", all.in_scope), page);
  add_tile("Intent macro-F1", all.intent.macro_f1, fmt::format("{} intents", all.intent.intents.size()),
           page);
  add_tile("Slot F1", all.slots.overall.f1(), fmt::format("{} slots", all.slots.overall.support()), page);
  add_tile("Slot F1 with roles", all.slots.with_role.f1(), "the role must be right too", page);
  add_tile("Calibration error", all.calibration_error, fmt::format("{} bins of equal mass", all.bins.size()),
           page);
  add_tile("Out of scope: AUROC", all.scope_auroc, fmt::format("{} out-of-scope texts", all.out_of_scope),
           page);
  add_tile("Out of scope: recall", all.decided.out_of_scope_recall,
           fmt::format("{}\u2009% of in-scope texts kept", html_percent(all.decided.in_scope_kept)), page);
  add_tile("Recall at threshold", all.at_threshold.out_of_scope_recall, threshold_note(evaluation), page);
  page.raw("</div>");
}

void add_confusions(const IntentFigures& intent, const HtmlSettings& settings, HtmlWriter& page) {
  page.raw("<section id=\"confusions\"><h2>Confusions</h2>");
  if (intent.confusions.empty()) return page.raw("<p>No intent was taken for another one.</p></section>");
  const std::size_t shown = std::min(settings.most_confusions, intent.confusions.size());
  page.add(
      "<p>The {} most frequent of {} pairs.</p><div class=\"scroll\"><table><thead><tr><th>expected</th>"
      "<th>given</th><th class=\"n\">texts</th><th class=\"n\">of expected</th></tr></thead>",
      shown, intent.confusions.size());
  for (const Confusion& pair : std::span(intent.confusions).first(shown)) {
    const std::size_t support = intent.intents.at(pair.expected).support();
    page.add("<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}\u2009%</td></tr>",
             escape_html(pair.expected), pair.got.empty() ? "(none)" : escape_html(pair.got), pair.count,
             html_percent(static_cast<double>(pair.count) / static_cast<double>(support)));
  }
  page.raw("</table></div>");
  add_heat_map(intent, settings.heat_map_intents, page);
  page.raw("</section>");
}

// Worst F1 first.
void add_tallies(std::string_view id, std::string_view title, std::string_view kind,
                 const std::map<std::string, Tally>& tallies, HtmlWriter& page) {
  if (tallies.empty()) return;
  std::vector<std::pair<std::string, Tally>> sorted(tallies.begin(), tallies.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.f1().value_or(0) < b.second.f1().value_or(0);
  });
  page.add(
      "<section id=\"{}\"><h2>{}</h2><p>Per cent, the worst first.</p><div "
      "class=\"scroll\"><table><thead><tr>"
      "<th>{}</th><th class=\"n\">precision</th><th class=\"n\">recall</th><th class=\"n\">F1</th>"
      "<th class=\"n\">support</th></tr></thead>",
      id, title, kind);
  for (const auto& [name, tally] : sorted) {
    page.add(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td></tr>",
        escape_html(name), html_percent(tally.precision()), html_percent(tally.recall()),
        html_percent(tally.f1()), tally.support());
  }
  page.raw("</table></div></section>");
}

}  // namespace

std::string evaluation_html(const Evaluation& evaluation, std::span<const Judged> judged,
                            const HtmlSettings& settings) {
  const Figures& all = evaluation.overall;
  const std::string title = settings.title.empty() ? "Evaluation" : escape_html(settings.title);
  HtmlWriter page;
  page.add(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><style>{}</style></head>"
      "<body><main><header><h1>{}</h1><p>{}</p></header>",
      title, kStyle, title, escape_html(settings.data));
  page.raw(
      "<nav><a href=\"#languages\">Languages</a><a href=\"#reliability\">Reliability</a>"
      "<a href=\"#confusions\">Confusions</a><a href=\"#slots\">Slots</a><a href=\"#intents\">Intents</a>"
      "<a href=\"#errors\">Errors</a></nav>");
  add_headline(evaluation, page);
  add_language_bars(evaluation, page);
  add_reliability(all, page);
  add_confusions(all.intent, settings, page);
  add_tallies("slots", "Slots", "entity", all.slots.entities, page);
  add_tallies("intents", "Intents", "intent", all.intent.intents, page);
  add_errors(judged, settings.most_errors, page);
  page.add("</main><script>{}</script></body></html>\n", kScript);
  return std::move(page).finish();
}

}  // namespace kefu::train
