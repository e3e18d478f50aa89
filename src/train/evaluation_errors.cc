#include "train/evaluation_errors.h"

#include <algorithm>

namespace kefu::train {
namespace {

struct Faults {
  bool intent = false;    // in scope, another intent
  bool rejected = false;  // in scope, rejected
  bool accepted = false;  // out of scope, not rejected
  std::vector<SlotError> slots;

  bool any() const { return intent || rejected || accepted || !slots.empty(); }
};

Faults faults_of(const Judged& judged) {
  const bool rejected = judged.reply.out_of_scope.decision;
  if (!is_in_scope(judged)) return {false, false, !rejected, {}};
  return {judged.in_scope_best != judged.example->intent, rejected, false, slot_errors(judged)};
}

std::string text_of(const std::u32string& text, text::Span span) {
  const std::size_t begin = std::min<std::size_t>(span.begin, text.size());
  const std::size_t end = std::clamp<std::size_t>(span.end, begin, text.size());
  return escape_html(text::encode_utf8(std::u32string_view(text).substr(begin, end - begin)));
}

void add_slots(const Example& example, const std::vector<SlotError>& errors, HtmlWriter& page) {
  const std::u32string text = text::decode_utf8(example.text);
  for (const SlotError& error : errors) {
    page.add("<div class=\"slot\"><b>{}</b> {}{}{} <bdi>{}</bdi> <small>{}–{}</small></div>",
             error.missed ? "missed" : "spurious", escape_html(error.entity), error.role.empty() ? "" : ":",
             escape_html(error.role), text_of(text, error.span), error.span.begin, error.span.end);
  }
}

void add_kinds(const Faults& faults, HtmlWriter& page) {
  const std::pair<bool, const char*> kinds[] = {{faults.intent, "wrong intent"},
                                                {faults.rejected, "rejected"},
                                                {faults.accepted, "accepted"},
                                                {!faults.slots.empty(), "slots"}};
  for (const auto& [present, name] : kinds) {
    if (present) page.add("<span class=\"kind\">{}</span> ", name);
  }
}

void add_error(const Judged& judged, const Faults& faults, HtmlWriter& page) {
  const Example& example = *judged.example;
  page.raw("<tr><td>");
  add_kinds(faults, page);
  page.add("</td><td class=\"text\"><bdi dir=\"auto\">{}</bdi><small>{}:{}</small></td><td>{}</td>",
           escape_html(example.text), escape_html(example.origin.file), example.origin.line,
           escape_html(example.language.empty() ? "und" : example.language));
  page.add("<td class=\"name\">{}</td><td class=\"name\">{}</td>", escape_html(example.intent),
           judged.in_scope_best.empty() ? "(none)" : escape_html(judged.in_scope_best));
  page.add("<td class=\"n\">{:.3f}</td><td class=\"n\">{:.3f}</td><td>", judged.in_scope_confidence,
           judged.reply.out_of_scope.score);
  add_slots(example, faults.slots, page);
  page.raw("</td></tr>");
}

}  // namespace

void add_errors(std::span<const Judged> judged, std::size_t most, HtmlWriter& page) {
  HtmlWriter rows;
  std::size_t count = 0;
  for (const Judged& one : judged) {
    const Faults faults = faults_of(one);
    if (faults.any() && count++ < most) add_error(one, faults, rows);
  }
  page.add(
      "<section id=\"errors\"><h2>Errors</h2><p>{} of {} texts went wrong{}. <i>Rejected</i>: in scope, "
      "taken for out of scope; <i>accepted</i>: the other way round. The given intent is the best of "
      "those in scope.</p>",
      count, judged.size(), count > most ? fmt::format("; the first {} are listed", most) : std::string());
  if (count == 0) return page.raw("</section>");
  page.raw(
      "<input id=\"filter\" type=\"search\" placeholder=\"Filter: text, intent, language, file …\" "
      "aria-label=\"Filter errors\" hidden><div class=\"scroll\"><table class=\"errors\"><thead><tr>"
      "<th>kind</th><th>text</th><th>lang.</th><th>expected</th><th>given</th><th class=\"n\">confidence</th>"
      "<th class=\"n\">OOS score</th><th>slots</th></tr></thead><tbody>");
  page.raw(std::move(rows).finish());
  page.raw("</tbody></table></div></section>");
}

}  // namespace kefu::train
