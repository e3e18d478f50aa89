#include "loadgen/texts.h"

#include <algorithm>

#include "text/unicode.h"

namespace kefu::loadgen {

Result<std::vector<std::string>> split_texts(std::string_view content, std::string_view source) {
  std::vector<std::string> texts;
  for (std::size_t number = 1; !content.empty(); ++number) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    std::string_view line = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (!text::is_valid_utf8(line))
      return fail(Code::kInvalidArgument, "{}:{}: the line is not UTF-8; convert the file", source, number);
    texts.emplace_back(line);
  }
  if (texts.empty()) return fail(Code::kInvalidArgument, "{} has no texts; write one message a line", source);
  return texts;
}

Histogram text_lengths(const std::vector<std::string>& texts) {
  Histogram lengths;
  for (const std::string& text : texts) lengths.record(text.size());
  return lengths;
}

}  // namespace kefu::loadgen
