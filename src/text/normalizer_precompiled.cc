#include "text/normalizer_precompiled.h"

#include <utf8proc.h>

#include "text/char_table.h"

namespace kefu::text {
namespace {

constexpr std::size_t kClusterBytes = 6;  // longer clusters are looked up code point by code point

int utf8_size(char32_t c) {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

// Appends the replacement of `old_size` code points. If it is shorter, the last code point written so far
// (even one of an earlier replacement) removes the rest; if nothing was written, nothing is removed, and
// what follows takes the spans: Hugging Face does the same.
void put_replacement(std::string_view replacement, std::size_t old_size, std::vector<Change>& out) {
  static thread_local std::u32string text;
  decode_utf8(replacement, text);
  for (std::size_t i = 0; i < text.size(); ++i) out.push_back({text[i], i < old_size ? 0 : 1});
  if (text.size() < old_size && !out.empty()) out.back().change -= static_cast<int>(old_size - text.size());
}

// End of the grapheme cluster that starts at `begin`.
std::size_t cluster_end(std::u32string_view text, std::size_t begin, const CharTable& table) {
  utf8proc_int32_t state = 0;
  std::size_t end = begin + 1;
  for (; end < text.size(); ++end) {
    const char32_t left = text[end - 1];
    const char32_t right = text[end];
    if (end == begin + 1 && (table[left] & table[right] & kSingleGrapheme) != 0) break;
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(left),
                                         static_cast<utf8proc_int32_t>(right), &state)) {
      break;
    }
  }
  return end;
}

}  // namespace

Precompiled::Precompiled(CharsMap map) : map_(std::move(map)) {
  std::string_view replacement;
  for (int c = 0; c < 128; ++c) {
    const char byte = static_cast<char>(c);
    ascii_changes_[c] = map_.find(std::string_view(&byte, 1), replacement);
  }
}

void Precompiled::rewrite_cluster(std::u32string_view cluster, std::vector<Change>& out,
                                  bool& modified) const {
  std::string_view replacement;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < cluster.size() && bytes < kClusterBytes; ++i) bytes += utf8_size(cluster[i]);
  static thread_local std::string key;
  if (cluster.size() > 1 && bytes < kClusterBytes) {
    key.clear();
    for (const char32_t c : cluster) append_utf8(c, key);
    if (map_.find(key, replacement)) {
      put_replacement(replacement, cluster.size(), out);
      modified = true;
      return;
    }
  }
  for (const char32_t c : cluster) {
    key.clear();
    append_utf8(c, key);
    if (map_.find(key, replacement)) {
      put_replacement(replacement, 1, out);
      modified = true;
    } else {
      out.push_back({c, 0});
    }
  }
}

void Precompiled::apply(Normalized& text) const {
  static thread_local std::vector<Change> changes;
  const CharTable& table = CharTable::get();
  const std::u32string_view input = text.text();
  const std::size_t size = input.size();
  std::size_t unchanged = 0;  // plain ASCII before plain ASCII: no rule, no cluster
  const auto plain = [&](std::size_t i) {
    return input[i] < 0x80 && !changes_ascii(input[i]) && input[i] != U'\r';
  };
  while (unchanged < size && plain(unchanged) && (unchanged + 1 == size || input[unchanged + 1] < 0x80))
    ++unchanged;
  if (unchanged == size) return;
  if (unchanged > 0) --unchanged;  // a deletion is charged to the code point before it
  changes.clear();
  bool modified = false;
  for (std::size_t i = unchanged; i < size;) {
    const std::size_t end = cluster_end(input, i, table);
    rewrite_cluster(input.substr(i, end - i), changes, modified);
    i = end;
  }
  if (!modified) return;
  text.begin_edit(unchanged);
  text.put_changes(changes, unchanged);
  text.commit();
}

Result<void> load_precompiled(const JsonNode& node, Normalizers& out) {
  KEFU_ASSIGN(const std::string_view encoded, node.string("precompiled_charsmap"));
  std::string bytes;
  if (!decode_base64(encoded, bytes)) return node.wrong("precompiled_charsmap", "base64 text");
  KEFU_ASSIGN(CharsMap map, CharsMap::parse(bytes, node.where()));
  out.push_back(std::make_unique<Precompiled>(std::move(map)));
  return {};
}

}  // namespace kefu::text
