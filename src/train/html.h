#pragma once
// Pieces of HTML that the sections of a report share.

#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace kefu::train {

/// Text as HTML text or attribute value. Bytes that are not UTF-8 and control characters but tab and line
/// feed become U+FFFD.
std::string escape_html(std::string_view utf8);

/// "97.3", in per cent; "–" if not defined.
std::string html_percent(std::optional<double> share);

/// A page under construction.
class HtmlWriter {
 public:
  /// Appends formatted HTML; arguments that come from data must have been escaped.
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(html_), format, std::forward<Args>(args)...);
  }

  /// Appends HTML as it is.
  void raw(std::string_view html) { html_ += html; }

  std::string finish() && { return std::move(html_); }

 private:
  std::string html_;
};

}  // namespace kefu::train
