#pragma once
// A loaded NLU package: everything from text to reply but the encoder's run.

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/nlu_package.h"
#include "nlu/gazetteer.h"
#include "nlu/intent_head.h"
#include "nlu/neighbor_index.h"
#include "nlu/reply.h"
#include "nlu/scope_head.h"
#include "nlu/slot_head.h"
#include "nlu/text_encoder.h"
#include "text/language.h"

namespace kefu::nlu {

/// How intent logits become confidences and an out-of-scope decision.
struct Judgement {
  float temperature = 1;
  ScopeRule scope;
};

/// The trained parts of a package.
struct Heads {
  std::vector<IntentLabel> intents;
  std::vector<SlotType> slot_types;
  std::map<std::string, std::string> synonyms;  // spoken form, exactly -> canonical value
  std::set<std::string> languages;              // of the training texts; empty: not stated
  Centering centering;
  VectorHead vectors;
  NgramHead ngrams;
  NeighborIndex inside;
  NeighborIndex outside;
  Judgement with_ngrams;     // texts in a language of the training texts, or in an unknown one
  Judgement without_ngrams;  // texts in any other language: words say nothing there, meaning still does
  Gazetteer gazetteer;
  SlotHead slots;

  bool reads_words_of(const std::string& language) const;
};

Json labels_to_json(const Heads& heads);
std::string heads_to_tensors(const Heads& heads);
Result<Heads> read_heads(const Json& labels, const std::filesystem::path& tensors, std::size_t hidden);

/// A request ready for the encoder.
struct PreparedText {
  ParseRequest request;
  std::u32string text;
  TokenizedText tokens;
  std::vector<Window> windows;  // empty: nothing to encode, the reply is the fallback
  LanguageGuess language;
};

/// Immutable; any number of threads. Two phases around the encoder's run: prepare() and decode().
class NluModel {
 public:
  NluModel(model::NluManifest manifest, Heads heads, std::shared_ptr<const TextEncoder> encoder,
           std::shared_ptr<const text::LanguageIdentifier> languages);

  PreparedText prepare(ParseRequest request) const;

  /// `states[i]` belongs to text.windows[i]. Fills everything but the timings.
  ParseReply decode(const PreparedText& text, std::span<const engine::RowStates> states) const;

  const model::NluManifest& manifest() const { return manifest_; }
  const TextEncoder& encoder() const { return *encoder_; }
  const Heads& heads() const { return heads_; }

 private:
  struct IntentResult {
    std::vector<float> probabilities;
    ScopeSignals signals;
    float out_of_scope = 0;
    bool rejected = false;
  };
  IntentResult judge(const PreparedText& text, const Window& window, const engine::RowStates& states) const;
  void rank(const IntentResult& result, ParseReply& reply) const;
  void find_slots(const PreparedText& text, std::span<const engine::RowStates> states,
                  ParseReply& reply) const;

  model::NluManifest manifest_;
  Heads heads_;
  std::shared_ptr<const TextEncoder> encoder_;
  std::shared_ptr<const text::LanguageIdentifier> languages_;
};

/// Loads a package with its own encoder on the named engine.
Result<std::shared_ptr<const NluModel>> load_nlu_model(
    const model::PackageId& id, std::string_view engine, const engine::EngineOptions& options,
    std::shared_ptr<const text::LanguageIdentifier> languages);

/// Sentence vector as the heads read it: mean of the states, scaled to length 1.
void sentence_vector(const engine::RowStates& states, std::span<float> out);

/// The slot tagger's view of a text whose windows have these states.
SlotInput slot_input(const TextEncoder& encoder, const Gazetteer& gazetteer, std::u32string_view text,
                     const TokenizedText& tokens, const std::vector<Window>& windows,
                     std::span<const engine::RowStates> states);

}  // namespace kefu::nlu
