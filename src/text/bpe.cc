#include "text/bpe.h"

#include <algorithm>

#include "text/unigram.h"

namespace kefu::text {

namespace {
constexpr std::size_t kShortWord = 32;  // symbols up to which scanning beats a queue
constexpr std::size_t kKeptSymbols = 1 << 16;
}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, MergeTable merges, Options options)
    : trie_(make_trie(vocabulary)), merges_(std::move(merges)), options_(options) {
  if (options_.byte_fallback) byte_ids_ = find_byte_pieces(vocabulary);
}

void Bpe::put_unknown(const Normalized& text, std::uint32_t at, Symbols& symbols) const {
  if (!byte_ids_.empty()) {
    std::string bytes;
    append_utf8(text[at], bytes);
    const auto id_of = [this](char byte) { return byte_ids_[static_cast<unsigned char>(byte)]; };
    if (std::all_of(bytes.begin(), bytes.end(), [&](char byte) { return id_of(byte) >= 0; })) {
      for (const char byte : bytes) symbols.push_back({id_of(byte), at, at + 1, -1, -1});
      return;
    }
  }
  if (options_.unknown_id < 0) return;
  const bool fuse = options_.fuse_unknown && !symbols.empty() && symbols.back().id == options_.unknown_id;
  if (fuse) {
    symbols.back().end = at + 1;
  } else {
    symbols.push_back({options_.unknown_id, at, at + 1, -1, -1});
  }
}

void Bpe::put_symbols(const Normalized& text, Span piece, Symbols& symbols) const {
  symbols.clear();
  for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
    PieceTrie::Node node = PieceTrie::kRoot;
    TokenId id = -1;
    if (trie_.step(node, text[i], id) && id >= 0) {
      symbols.push_back({id, i, i + 1, -1, -1});
    } else {
      put_unknown(text, i, symbols);
    }
  }
}

// Merges in place by repeated scanning; the ranks of the neighbours are kept beside the symbols.
void Bpe::merge_short(Symbols& symbols) const {
  Merge merges[kShortWord];
  std::size_t count = symbols.size();
  for (std::size_t i = 0; i + 1 < count; ++i) merges[i] = merges_.find(symbols[i].id, symbols[i + 1].id);
  while (count > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < count; ++i) {
      if (merges[i].rank < merges[best].rank) best = i;
    }
    if (merges[best].rank == UINT32_MAX) break;
    symbols[best].id = merges[best].merged;
    symbols[best].end = symbols[best + 1].end;
    std::move(symbols.begin() + best + 2, symbols.begin() + count, symbols.begin() + best + 1);
    std::move(merges + best + 1, merges + count - 1, merges + best);
    --count;
    if (best > 0) merges[best - 1] = merges_.find(symbols[best - 1].id, symbols[best].id);
    if (best + 1 < count) merges[best] = merges_.find(symbols[best].id, symbols[best + 1].id);
  }
  symbols.resize(count);
}

// Merges a linked list of symbols by a queue ordered by (rank, position). An entry is stale if its pair is
// gone: the symbol was swallowed, or the pair now found there merges to something else.
void Bpe::merge_long(Symbols& symbols) const {
  struct Entry {
    std::uint64_t order;  // rank, then position
    TokenId merged;
    bool operator<(const Entry& other) const { return order > other.order; }
  };
  static thread_local std::vector<Entry> queue;
  queue.clear();
  const auto count = static_cast<std::int32_t>(symbols.size());
  const auto entry_at = [&](std::int32_t left, std::int32_t right) {
    const Merge merge = merges_.find(symbols[left].id, symbols[right].id);
    return Entry{std::uint64_t{merge.rank} << 32 | static_cast<std::uint32_t>(left), merge.merged};
  };
  for (std::int32_t i = 0; i < count; ++i) {
    symbols[i].previous = i - 1;
    symbols[i].next = i + 1 < count ? i + 1 : -1;
    if (i + 1 == count) break;
    if (const Entry entry = entry_at(i, i + 1); entry.merged >= 0) queue.push_back(entry);
  }
  std::make_heap(queue.begin(), queue.end());
  const auto push = [&](std::int32_t left, std::int32_t right) {
    if (left < 0 || right < 0) return;
    if (const Entry entry = entry_at(left, right); entry.merged >= 0) {
      queue.push_back(entry);
      std::push_heap(queue.begin(), queue.end());
    }
  };
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end());
    const Entry top = queue.back();
    queue.pop_back();
    const auto at = static_cast<std::int32_t>(top.order & 0xFFFFFFFF);
    Symbol& left = symbols[at];
    if (left.id < 0 || left.next < 0) continue;
    Symbol& right = symbols[left.next];
    if (merges_.find(left.id, right.id).merged != top.merged) continue;
    left = {top.merged, left.begin, right.end, left.previous, right.next};
    right.id = -1;
    if (left.next >= 0) symbols[left.next].previous = at;
    push(left.previous, at);
    push(at, left.next);
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.id < 0; });
  if (queue.capacity() > kKeptSymbols) std::vector<Entry>().swap(queue);
}

void Bpe::encode(const Normalized& text, Span piece, Encoding& out) const {
  static thread_local Symbols symbols;
  if (options_.ignore_merges) {
    const TokenId id = trie_.find(text.text().substr(piece.begin, piece.end - piece.begin));
    if (id >= 0) return put_token(id, text, piece.begin, piece.end, out);
  }
  put_symbols(text, piece, symbols);
  if (symbols.size() <= kShortWord) {
    merge_short(symbols);
  } else {
    merge_long(symbols);
  }
  for (const Symbol& symbol : symbols) put_token(symbol.id, text, symbol.begin, symbol.end, out);
  if (symbols.capacity() > kKeptSymbols) Symbols().swap(symbols);
}

}  // namespace kefu::text
