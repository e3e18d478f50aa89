#include "train/data_text.h"

#include <algorithm>

#include "base/compression.h"
#include "base/file.h"

namespace kefu::train {
namespace {

constexpr std::size_t kMaxUnpackedBytes = std::size_t{1} << 30;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool looks_like_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1F\x8B");
}

/// The first line (from 1) that is not valid UTF-8.
std::size_t first_invalid_line(std::string_view text) {
  const std::vector<std::string_view> lines = split_lines(text);
  const auto found = std::ranges::find_if_not(lines, text::is_valid_utf8);
  return static_cast<std::size_t>(found - lines.begin()) + 1;
}

}  // namespace

Result<std::string> read_data_text(const std::filesystem::path& path) {
  KEFU_ASSIGN(std::string content, read_file(path));
  if (!looks_like_gzip(content)) return content;
  auto text = unpack(content, kMaxUnpackedBytes);
  if (text) return text;
  if (text.error().code == Code::kOutOfRange)
    return fail(Code::kResourceExhausted, "{} unpacks to more than 1 GiB; split it", path.string());
  return fail(Code::kDataLoss, "{}: {}; fetch the file again", path.string(), text.error().message);
}

std::string mend_utf8(std::string text, const std::string& file, Complaint::Level level, Dataset& data) {
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (text::is_valid_utf8(text)) return text;
  data.complaints.push_back({level,
                             {file, first_invalid_line(text)},
                             "bytes that are not UTF-8 are read as U+FFFD; save the file as UTF-8"});
  return text::encode_utf8(text::decode_utf8(text));
}

Result<std::string> read_public_text(const std::filesystem::path& path, Dataset& data) {
  KEFU_ASSIGN(std::string content, read_data_text(path));
  return mend_utf8(std::move(content), path.string(), Complaint::Level::kWarning, data);
}

std::string language_of_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::string stem = name.substr(0, name.find_first_of("-."));
  const bool is_code =
      stem.size() == 2 && std::ranges::all_of(stem, [](char c) { return c >= 'a' && c <= 'z'; });
  return is_code ? stem : std::string();
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::uint32_t count_code_points(std::string_view utf8) {
  const auto starts =
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return static_cast<std::uint32_t>(starts);
}

}  // namespace kefu::train
