#include "train/html.h"

#include "text/unicode.h"

namespace kefu::train {

std::string escape_html(std::string_view utf8) {
  std::string html;
  html.reserve(utf8.size() + utf8.size() / 8);
  for (const char32_t code_point : text::decode_utf8(utf8)) {
    switch (code_point) {
      case U'&':
        html += "&amp;";
        break;
      case U'<':
        html += "&lt;";
        break;
      case U'>':
        html += "&gt;";
        break;
      case U'"':
        html += "&quot;";
        break;
      case U'\'':
        html += "&#39;";
        break;
      case U'\t':
      case U'\n':
        html += static_cast<char>(code_point);
        break;
      default: {
        const bool control = code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0);
        text::append_utf8(control ? text::kReplacement : code_point, html);
      }
    }
  }
  return html;
}

std::string html_percent(std::optional<double> share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : std::string("–");
}

}  // namespace kefu::train
