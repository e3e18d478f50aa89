#include "text/bpe.h"

namespace kefu::text {
namespace {

struct MergePair {
  std::string_view left;
  std::string_view right;
};

// "left right" or ["left", "right"].
bool read_merge(simdjson::dom::element entry, MergePair& out) {
  std::string_view text;
  if (entry.get(text) == simdjson::SUCCESS) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) return false;
    out = {text.substr(0, space), text.substr(space + 1)};
    return true;
  }
  simdjson::dom::array pair;
  return entry.get(pair) == simdjson::SUCCESS && pair.size() == 2 &&
         pair.at(0).get(out.left) == simdjson::SUCCESS && pair.at(1).get(out.right) == simdjson::SUCCESS;
}

Result<MergeTable> load_merges(const JsonNode& model, const Vocabulary& vocabulary) {
  KEFU_ASSIGN(const std::vector<JsonNode> entries, model.list("merges"));
  const auto ids = vocabulary.index();
  MergeTable merges(entries.size());
  std::string merged;
  for (std::uint32_t rank = 0; rank < entries.size(); ++rank) {
    const JsonNode& entry = entries[rank];
    MergePair pair;
    if (!read_merge(entry.value(), pair))
      return model.wrong("merges", "list of \"left right\" or [left, right]");
    merged.assign(pair.left).append(pair.right);
    for (const std::string_view piece : {pair.left, pair.right, std::string_view(merged)}) {
      if (ids.contains(piece)) continue;
      return fail(Code::kInvalidArgument, "{}: the piece \"{}\" is not in the vocabulary: add it",
                  entry.where(), piece);
    }
    merges.add(ids.at(pair.left), ids.at(pair.right), {rank, ids.at(merged)});
  }
  return merges;
}

Result<void> refuse_unknown_options(const JsonNode& model) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    KEFU_ASSIGN(const std::string_view affix, model.string(key, ""));
    if (!affix.empty()) {
      return model.unsupported(fmt::format("a BPE model with \"{}\"", key),
                               "use byte-level BPE, which has none");
    }
  }
  if (const auto dropout = model.find("dropout")) {
    double rate = 1;
    if (dropout->value().get(rate) != simdjson::SUCCESS || rate != 0) {
      return model.unsupported("a BPE model with \"dropout\"", "set it to null: it is for training");
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<PieceModel>> load_bpe(const JsonNode& model, const Vocabulary& vocabulary) {
  KEFU_CHECK(refuse_unknown_options(model));
  Bpe::Options options;
  KEFU_ASSIGN(options.fuse_unknown, model.boolean("fuse_unk", false));
  KEFU_ASSIGN(options.ignore_merges, model.boolean("ignore_merges", false));
  KEFU_ASSIGN(options.byte_fallback, model.boolean("byte_fallback", false));
  KEFU_ASSIGN(const std::string_view unknown, model.string("unk_token", ""));
  if (!unknown.empty()) {
    KEFU_ASSIGN(options.unknown_id, id_of_piece(unknown, vocabulary, model.where()));
  }
  KEFU_ASSIGN(MergeTable merges, load_merges(model, vocabulary));
  return std::make_unique<Bpe>(vocabulary, std::move(merges), options);
}

}  // namespace kefu::text
