#include "text/normalizer.h"

#include "text/normalizer_bert.h"
#include "text/normalizer_precompiled.h"
#include "text/normalizer_replace.h"
#include "text/normalizer_simple.h"

namespace kefu::text {
namespace {

constexpr std::string_view kKnownNormalizers =
    "known are Sequence, NFC, NFD, NFKC, NFKD, Replace, Strip, StripAccents, Lowercase, BertNormalizer, "
    "Prepend, "
    "Precompiled, Nmt";

Result<void> load_sequence(const JsonNode& node, Normalizers& out) {
  KEFU_ASSIGN(const std::vector<JsonNode> steps, node.list("normalizers"));
  for (const JsonNode& step : steps) KEFU_CHECK(load_normalizer(step, out));
  return {};
}

Result<void> load_strip(const JsonNode& node, Normalizers& out) {
  KEFU_ASSIGN(const bool left, node.boolean("strip_left", true));
  KEFU_ASSIGN(const bool right, node.boolean("strip_right", true));
  out.push_back(std::make_unique<Strip>(left, right));
  return {};
}

Result<void> load_prepend(const JsonNode& node, Normalizers& out) {
  KEFU_ASSIGN(const std::string_view prefix, node.string("prepend"));
  out.push_back(std::make_unique<Prepend>(decode_utf8(prefix)));
  return {};
}

}  // namespace

Result<void> load_normalizer(const JsonNode& node, Normalizers& out) {
  KEFU_ASSIGN(const std::string_view type, node.string("type"));
  const auto add = [&out](auto step) -> Result<void> {
    out.push_back(std::move(step));
    return {};
  };
  if (type == "Sequence") return load_sequence(node, out);
  if (type == "NFC") return add(std::make_unique<FormNormalizer>(NormalForm::kC));
  if (type == "NFD") return add(std::make_unique<FormNormalizer>(NormalForm::kD));
  if (type == "NFKC") return add(std::make_unique<FormNormalizer>(NormalForm::kKC));
  if (type == "NFKD") return add(std::make_unique<FormNormalizer>(NormalForm::kKD));
  if (type == "Replace") return load_replace(node, out);
  if (type == "Strip") return load_strip(node, out);
  if (type == "StripAccents") return add(std::make_unique<StripMarks>(kMark));
  if (type == "Lowercase") return add(std::make_unique<Lowercase>());
  if (type == "BertNormalizer") return load_bert_normalizer(node, out);
  if (type == "Prepend") return load_prepend(node, out);
  if (type == "Precompiled") return load_precompiled(node, out);
  if (type == "Nmt") return add(std::make_unique<Nmt>());
  return node.unsupported(fmt::format("a normalizer \"{}\"", type), kKnownNormalizers);
}

}  // namespace kefu::text
