#include "train/trainer.h"

#include <algorithm>
#include <set>

#include "train/embedder.h"
#include "train/slot_trainer.h"

namespace kefu::train {
std::vector<nlu::SlotType> slot_types(const Dataset& data) {
  std::set<nlu::SlotType> types;
  for (const Example& example : data.examples) {
    for (const Entity& entity : example.entities) types.insert({entity.name, entity.role, entity.group});
  }
  return {types.begin(), types.end()};
}

Result<std::vector<std::size_t>> tag_units(const Example& example, const std::vector<text::Unit>& units,
                                           const std::vector<nlu::SlotType>& types) {
  std::vector<std::size_t> tags(units.size(), 0);
  for (const Entity& entity : example.entities) {
    const auto type = std::ranges::lower_bound(types, nlu::SlotType{entity.name, entity.role, entity.group}) -
                      types.begin();
    const auto first =
        std::ranges::find(units, entity.span.begin, [](const text::Unit& u) { return u.span.begin; });
    const auto last =
        std::ranges::find(units, entity.span.end, [](const text::Unit& u) { return u.span.end; });
    if (first == units.end() || last == units.end() || last < first) {
      return fail(Code::kInvalidArgument,
                  "{}:{}: the {} at {}..{} of \"{}\" begins or ends inside a word; annotate whole words",
                  example.origin.file, example.origin.line, entity.name, entity.span.begin, entity.span.end,
                  example.text);
    }
    for (auto unit = first; unit <= last; ++unit) {
      tags[static_cast<std::size_t>(unit - units.begin())] =
          static_cast<std::size_t>(type) * 2 + (unit == first ? 1 : 2);
    }
  }
  return tags;
}

Result<Trained> train_heads(const nlu::TextEncoder& encoder, const Dataset& data,
                            const TrainSettings& settings,
                            const std::function<void(std::string_view, std::size_t, std::size_t)>& progress) {
  Trained trained;
  trained.heads.slot_types = slot_types(data);
  trained.heads.synonyms = data.synonyms;
  KEFU_ASSIGN(trained.heads.gazetteer, nlu::Gazetteer::create(data.lookups, data.regexes));
  const bool with_slots = !trained.heads.slot_types.empty();
  KEFU_ASSIGN(Embedded embedded, embed(encoder, trained.heads.gazetteer, data.examples, with_slots,
                                       [&](auto done, auto all) { progress("encode", done, all); }));
  progress("intents", 0, 1);
  KEFU_ASSIGN(trained.details, train_intents(data, embedded, settings.intents, trained.heads));
  progress("intents", 1, 1);

  SlotTrainerSettings slots{.slot_types = trained.heads.slot_types.size(),
                            .hidden = embedded.hidden,
                            .seed = settings.intents.seed};
  std::vector<TaggedText> texts;
  for (std::size_t i = 0; with_slots && i < data.examples.size(); ++i) {
    KEFU_ASSIGN(auto tags, tag_units(data.examples[i], embedded.slots[i].units, trained.heads.slot_types));
    texts.push_back({std::move(embedded.slots[i]), std::move(tags)});
  }
  trained.heads.slots =
      nlu::SlotHead(train_slots(texts, slots, [&](std::size_t epoch, std::size_t epochs, double) {
        progress("slots", epoch, epochs);
      }));
  trained.details["slot_types"] = trained.heads.slot_types.size();
  return trained;
}

}  // namespace kefu::train
