#pragma once
// SentencePiece's compiled normalisation rules (`precompiled_charsmap`).

#include <cstdint>
#include <string>
#include <vector>

#include "text/normalizer.h"

namespace kefu::text {

/// The rules: a Darts double array from UTF-8 keys to positions in a block of NUL-terminated texts.
class CharsMap {
 public:
  /// Parses u32 size, u32 units of the double array, texts (little-endian).
  static Result<CharsMap> parse(std::string_view bytes, std::string_view where);

  /// The replacement of the SHORTEST key that is a prefix of `key`, as Hugging Face looks it up; false if
  /// there is none. NUL ends a key.
  bool find(std::string_view key, std::string_view& replacement) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string texts_;
};

/// Replaces grapheme clusters shorter than 6 bytes, else single code points.
class Precompiled : public Normalizer {
 public:
  explicit Precompiled(CharsMap map);
  void apply(Normalized& text) const override;

 private:
  bool changes_ascii(char32_t c) const { return ascii_changes_[c]; }
  void rewrite_cluster(std::u32string_view cluster, std::vector<Change>& out, bool& modified) const;

  CharsMap map_;
  bool ascii_changes_[128] = {};
};

Result<void> load_precompiled(const JsonNode& node, Normalizers& out);

/// Decodes base64 (RFC 4648, padded); false if malformed.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace kefu::text
