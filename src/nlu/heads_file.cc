// Heads to and from a package's labels.json and heads.safetensors.

#include "nlu/nlu_model.h"

namespace kefu::nlu {

Json labels_to_json(const Heads& heads) {
  Json intents = Json::array();
  for (const IntentLabel& intent : heads.intents)
    intents.push_back({{"name", intent.name}, {"domain", intent.domain}});
  Json slots = Json::array();
  for (const SlotType& type : heads.slot_types) {
    slots.push_back({{"entity", type.entity}, {"role", type.role}, {"group", type.group}});
  }
  return {{"intents", intents},
          {"slots", slots},
          {"synonyms", heads.synonyms},
          {"languages", heads.languages},
          {"lookups", heads.gazetteer.lookups()},
          {"regexes", heads.gazetteer.regexes()}};
}

namespace {

void write_judgement(const Judgement& judgement, const std::string& name, TensorFileWriter& file) {
  const ScopeRule& rule = judgement.scope;
  std::vector<float> numbers{judgement.temperature, rule.offset, rule.threshold};
  for (const auto& part : {rule.mean, rule.deviation, rule.weight})
    numbers.insert(numbers.end(), part.begin(), part.end());
  file.add(name, {numbers.size()}, numbers);
}

}  // namespace

std::string heads_to_tensors(const Heads& heads) {
  TensorFileWriter file;
  file.add("centering.mean", {heads.centering.mean.size()}, heads.centering.mean);
  file.add("centering.scale", {1}, std::vector<float>{heads.centering.scale});
  heads.vectors.write(file);
  heads.ngrams.write(file);
  heads.inside.write(file, "scope.inside");
  heads.outside.write(file, "scope.outside");
  write_judgement(heads.with_ngrams, "judgement.with_ngrams", file);
  write_judgement(heads.without_ngrams, "judgement.without_ngrams", file);
  heads.slots.write(file);
  return file.finish();
}

namespace {

Result<void> read_labels(const Json& labels, Heads& heads) {
  for (const Json& intent : labels.value("intents", Json::array())) {
    KEFU_ASSIGN(auto name, json_get<std::string>(intent, "name", "labels.json"));
    KEFU_ASSIGN(auto domain, json_get<std::string>(intent, "domain", "labels.json"));
    heads.intents.push_back({std::move(name), std::move(domain)});
  }
  for (const Json& slot : labels.value("slots", Json::array())) {
    KEFU_ASSIGN(auto entity, json_get<std::string>(slot, "entity", "labels.json"));
    KEFU_ASSIGN(auto role, json_get<std::string>(slot, "role", "labels.json"));
    KEFU_ASSIGN(auto group, json_get<std::string>(slot, "group", "labels.json"));
    heads.slot_types.push_back({std::move(entity), std::move(role), std::move(group)});
  }
  KEFU_ASSIGN(heads.synonyms,
              (json_get<std::map<std::string, std::string>>(labels, "synonyms", "labels.json")));
  KEFU_ASSIGN(heads.languages, (json_get<std::set<std::string>>(labels, "languages", "labels.json")));
  KEFU_ASSIGN(auto lookups, json_get<NamedLists>(labels, "lookups", "labels.json"));
  KEFU_ASSIGN(auto regexes, json_get<NamedLists>(labels, "regexes", "labels.json"));
  KEFU_ASSIGN(heads.gazetteer, Gazetteer::create(std::move(lookups), std::move(regexes)));
  if (heads.intents.empty())
    return fail(Code::kDataLoss, "labels.json names no intents; train the model again with kefu train");
  return {};
}

Result<Judgement> read_judgement(const TensorFile& file, const std::string& name) {
  KEFU_ASSIGN(const auto numbers, file.get<float>(name, {15}));
  Judgement judgement{numbers[0], {}};
  ScopeRule& rule = judgement.scope;
  rule.offset = numbers[1];
  rule.threshold = numbers[2];
  std::copy_n(numbers.begin() + 3, 4, rule.mean.begin());
  std::copy_n(numbers.begin() + 7, 4, rule.deviation.begin());
  std::copy_n(numbers.begin() + 11, 4, rule.weight.begin());
  return judgement;
}

}  // namespace

Result<Heads> read_heads(const Json& labels, const std::filesystem::path& tensors, std::size_t hidden) {
  Heads heads;
  KEFU_CHECK(read_labels(labels, heads));
  KEFU_ASSIGN(const TensorFile file, TensorFile::open(tensors));
  KEFU_ASSIGN(const auto mean, file.get<float>("centering.mean", {hidden}));
  KEFU_ASSIGN(const auto scale, file.get<float>("centering.scale", {1}));
  heads.centering = {{mean.begin(), mean.end()}, scale[0]};
  KEFU_ASSIGN(heads.vectors, VectorHead::read(file, heads.intents.size(), hidden));
  KEFU_ASSIGN(heads.ngrams, NgramHead::read(file, heads.intents.size()));
  KEFU_ASSIGN(heads.inside, NeighborIndex::read(file, "scope.inside", hidden));
  KEFU_ASSIGN(heads.outside, NeighborIndex::read(file, "scope.outside", hidden));
  KEFU_ASSIGN(heads.with_ngrams, read_judgement(file, "judgement.with_ngrams"));
  KEFU_ASSIGN(heads.without_ngrams, read_judgement(file, "judgement.without_ngrams"));
  KEFU_ASSIGN(heads.slots, SlotHead::read(file, heads.slot_types.size(), hidden));
  return heads;
}

}  // namespace kefu::nlu
