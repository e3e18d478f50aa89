#pragma once
// Which language a text is in: scripts first, then fastText's lid.176.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kefu::text {

struct Language {
  std::string code = "und";  // ISO 639-1; "und" if unknown
  float confidence = 0;
};

/// Immutable after loading; identify() may be called from any thread.
class LanguageIdentifier {
 public:
  /// Below this the model has seen no feature it knows (it then answers "en" at 0.12).
  static constexpr float kLeastConfidence = 0.35F;

  /// Loads lid.176.ftz. kNotFound or kInvalidArgument with the path.
  static Result<std::shared_ptr<const LanguageIdentifier>> load(const std::filesystem::path& model);

  virtual ~LanguageIdentifier() = default;
  virtual Language identify(std::string_view utf8) const = 0;
};

/// The language that the scripts of a text alone decide: kana is ja, Hangul ko, Han without kana zh,
/// mostly Arabic letters ar. Empty code if they decide nothing.
Language language_by_script(std::u32string_view text);

}  // namespace kefu::text
