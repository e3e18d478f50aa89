#include "text/language.h"

#include <array>
#include <sstream>

#include <fasttext/fasttext.h>

#include "text/unicode.h"

namespace kefu::text {
namespace {

constexpr float kByScript = 0.99F;

struct ScriptCounts {
  std::size_t kana = 0;
  std::size_t hangul = 0;
  std::size_t han = 0;
  std::size_t arabic = 0;
  std::size_t latin = 0;
};

ScriptCounts count_scripts(std::u32string_view text) {
  ScriptCounts counts;
  for (const char32_t c : text) {
    if ((c >= 0x3041 && c <= 0x30FF && c != 0x30FB && c != 0x30FC) || (c >= 0xFF66 && c <= 0xFF9F))
      ++counts.kana;
    if ((c >= 0xAC00 && c <= 0xD7A3) || (c >= 0x1100 && c <= 0x11FF)) ++counts.hangul;
    if ((c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF)) ++counts.han;
    if ((c >= 0x0620 && c <= 0x06FF) || (c >= 0xFB50 && c <= 0xFDFF) || (c >= 0xFE70 && c <= 0xFEFC))
      ++counts.arabic;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0x24F)) ++counts.latin;
  }
  return counts;
}

/// Labels of close relatives that a customer of these languages is taken for.
std::string canonical(const std::string& code) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNeighbours{{{"wuu", "zh"},
                                                                                             {"yue", "zh"},
                                                                                             {"arz", "ar"},
                                                                                             {"als", "de"},
                                                                                             {"gl", "pt"},
                                                                                             {"ast", "es"},
                                                                                             {"oc", "fr"}}};
  for (const auto& [from, to] : kNeighbours) {
    if (code == from) return std::string(to);
  }
  return code;
}

class FastTextIdentifier final : public LanguageIdentifier {
 public:
  void load(const std::string& path) { model_.loadModel(path); }

  Language identify(std::string_view utf8) const override {
    Language by_script = language_by_script(decode_utf8(utf8));
    if (!by_script.code.empty()) return by_script;
    std::string line(utf8);  // the model reads one line
    for (char& c : line) {
      if (c == '\n' || c == '\r' || c == '\0') c = ' ';
    }
    std::istringstream in(line + "\n");
    std::vector<std::pair<fasttext::real, std::string>> best;
    if (!model_.predictLine(in, best, 1, 0.0F) || best.empty() || best[0].first < kLeastConfidence) return {};
    constexpr std::size_t kLabelPrefix = 9;  // "__label__"
    return {canonical(best[0].second.substr(kLabelPrefix)), std::min(best[0].first, 1.0F)};
  }

 private:
  fasttext::FastText model_;
};

}  // namespace

Language language_by_script(std::u32string_view text) {
  const ScriptCounts counts = count_scripts(text);
  if (counts.kana > 0 && counts.kana + counts.han >= counts.latin / 4) return {"ja", kByScript};
  if (counts.hangul > 0 && counts.hangul >= counts.latin / 4) return {"ko", kByScript};
  if (counts.han > 0 && 4 * counts.han >= counts.latin) return {"zh", kByScript};
  if (counts.arabic > counts.latin) return {"ar", kByScript};
  return {"", 0};
}

Result<std::shared_ptr<const LanguageIdentifier>> LanguageIdentifier::load(
    const std::filesystem::path& model) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(model, error)) {
    return fail(Code::kNotFound, "there is no language model {}; run scripts/setup encoders", model.string());
  }
  auto identifier = std::make_shared<FastTextIdentifier>();
  try {
    identifier->load(model.string());
  } catch (const std::exception& failure) {
    return fail(Code::kInvalidArgument, "{} is no fastText model: {}", model.string(), failure.what());
  }
  return identifier;
}

}  // namespace kefu::text
