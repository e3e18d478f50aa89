#include "nlu/nlu_model.h"

#include <algorithm>
#include <numeric>

#include <utf8proc.h>

namespace kefu::nlu {
namespace {

/// Letters or digits: what a text must hold to be read at all.
bool has_content(std::u32string_view text) {
  return std::ranges::any_of(text, [](char32_t c) {
    const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
  });
}

/// The part of the text that a window's tokens cover.
std::u32string_view text_of(const PreparedText& text, const Window& window) {
  if (text.windows.size() == 1) return text.text;
  const std::uint32_t begin = text.tokens.offsets[window.begin].begin;
  const std::uint32_t end = text.tokens.offsets[window.end - 1].end;
  return std::u32string_view(text.text).substr(begin, end - begin);
}

ParseReply empty_reply(const PreparedText& text, std::size_t intents) {
  ParseReply reply;
  reply.scores.assign(intents, 0.0F);
  reply.text = text.request.text;
  reply.language = text.language;
  reply.intent = {kFallbackIntent, "", 1};
  reply.ranking = {reply.intent};
  reply.out_of_scope = {1, true};
  return reply;
}

}  // namespace

bool Heads::reads_words_of(const std::string& language) const {
  return languages.empty() || language == text::Language().code || languages.contains(language);
}

void sentence_vector(const engine::RowStates& states, std::span<float> out) {
  mean_pool(states, out);
  normalize_length(out);
}

SlotInput slot_input(const TextEncoder& encoder, const Gazetteer& gazetteer, std::u32string_view text,
                     const TokenizedText& tokens, const std::vector<Window>& windows,
                     std::span<const engine::RowStates> states) {
  SlotInput input;
  input.units = text::cut_units(text);
  DenseAccumulator dense(input.units, encoder.encoder()->hidden());
  const std::span<const text::Span> spans(tokens.offsets);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    dense.add(spans.subspan(windows[i].begin, windows[i].end - windows[i].begin), states[i],
              encoder.head_size());
  }
  input.dense = std::move(dense).finish();
  input.lexical = lexical_features(text, input.units, tokens.offsets);
  gazetteer.add_features(text, input.units, input.lexical);
  return input;
}

NluModel::NluModel(model::NluManifest manifest, Heads heads, std::shared_ptr<const TextEncoder> encoder,
                   std::shared_ptr<const text::LanguageIdentifier> languages)
    : manifest_(std::move(manifest)),
      heads_(std::move(heads)),
      encoder_(std::move(encoder)),
      languages_(std::move(languages)) {}

PreparedText NluModel::prepare(ParseRequest request) const {
  PreparedText text;
  text.text = text::decode_utf8(request.text);
  if (!request.language.empty()) {
    text.language = {request.language, 1};
  } else {
    const text::Language language = languages_->identify(request.text);
    text.language = {language.code, language.confidence};
  }
  if (has_content(text.text)) {
    text.tokens = encoder_->tokenize(request.text);
    if (!text.tokens.ids.empty())
      text.windows =
          cut_windows(text.tokens.ids.size(), encoder_->window_capacity(), TextEncoder::kWindowOverlap);
  }
  text.request = std::move(request);
  return text;
}

NluModel::IntentResult NluModel::judge(const PreparedText& text, const Window& window,
                                       const engine::RowStates& states) const {
  std::vector<float> vector(states.hidden);
  sentence_vector(states, vector);
  heads_.centering.apply(vector, vector);
  IntentResult result;
  result.probabilities.resize(heads_.intents.size());
  heads_.vectors.logits(vector, result.probabilities);
  const bool words = heads_.reads_words_of(text.language.code);
  if (words) heads_.ngrams.add_logits(text_of(text, window), result.probabilities);
  const Judgement& judgement = words ? heads_.with_ngrams : heads_.without_ngrams;
  result.signals.energy = log_sum_exp(result.probabilities);
  softmax(result.probabilities, judgement.temperature);
  result.signals.confidence = *std::ranges::max_element(result.probabilities);
  result.signals.inside = heads_.inside.closeness(vector);
  result.signals.outside = heads_.outside.closeness(vector);
  result.out_of_scope = judgement.scope.score(result.signals);
  result.rejected = result.out_of_scope > judgement.scope.threshold;
  return result;
}

void NluModel::rank(const IntentResult& result, ParseReply& reply) const {
  reply.out_of_scope.score = result.out_of_scope;
  reply.out_of_scope.decision = result.rejected;
  std::vector<std::size_t> order(result.probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr std::size_t kRanked = 10;
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(kRanked, order.size()));
  std::partial_sort(order.begin(), middle, order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(result.probabilities[b], a) < std::tie(result.probabilities[a], b);
  });
  if (reply.out_of_scope.decision) reply.ranking.push_back({kFallbackIntent, "", reply.out_of_scope.score});
  for (auto at = order.begin(); at != middle; ++at) {
    reply.ranking.push_back(
        {heads_.intents[*at].name, heads_.intents[*at].domain, result.probabilities[*at]});
  }
  reply.intent = reply.ranking.front();
  reply.scores = result.probabilities;
}

void NluModel::find_slots(const PreparedText& text, std::span<const engine::RowStates> states,
                          ParseReply& reply) const {
  if (heads_.slot_types.empty()) return;
  const SlotInput input =
      slot_input(*encoder_, heads_.gazetteer, text.text, text.tokens, text.windows, states);
  for (const TaggedSlot& slot : heads_.slots.tag(input)) {
    const SlotType& type = heads_.slot_types[slot.type];
    const text::Span span{input.units[slot.begin].span.begin, input.units[slot.end - 1].span.end};
    std::string value =
        text::encode_utf8(std::u32string_view(text.text).substr(span.begin, span.end - span.begin));
    if (const auto synonym = heads_.synonyms.find(value); synonym != heads_.synonyms.end())
      value = synonym->second;
    reply.entities.push_back({type.entity, type.role, type.group, std::move(value), span, slot.confidence});
  }
}

ParseReply NluModel::decode(const PreparedText& text, std::span<const engine::RowStates> states) const {
  ParseReply reply;
  if (text.windows.empty()) {
    reply = empty_reply(text, heads_.intents.size());
  } else {
    reply.text = text.request.text;
    reply.language = text.language;
    reply.windows = text.windows.size();
    IntentResult best = judge(text, text.windows[0], states[0]);
    for (std::size_t i = 1; i < states.size(); ++i) {
      IntentResult other = judge(text, text.windows[i], states[i]);
      if (other.signals.confidence > best.signals.confidence) best = std::move(other);
    }
    rank(best, reply);
    find_slots(text, states, reply);
  }
  reply.model = manifest_.name;
  reply.version = manifest_.version;
  return reply;
}

Result<std::shared_ptr<const NluModel>> load_nlu_model(
    const model::PackageId& id, std::string_view engine, const engine::EngineOptions& options,
    std::shared_ptr<const text::LanguageIdentifier> languages) {
  KEFU_ASSIGN(model::NluPackage package, model::load_nlu_package(id));
  const std::size_t hidden = package.encoder.manifest.hidden;
  KEFU_ASSIGN(Heads heads, read_heads(package.labels, package.heads(), hidden));
  KEFU_ASSIGN(auto encoder, TextEncoder::load(std::move(package.encoder), engine, options));
  return std::make_shared<const NluModel>(std::move(package.manifest), std::move(heads), std::move(encoder),
                                          std::move(languages));
}

}  // namespace kefu::nlu
