#pragma once
// A text encoder: embedding table + engine. Token ids in, one state vector per token out.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/embedding_table.h"
#include "engine/engine.h"

namespace kefu::engine {

/// Rows of tokens, flat and free of padding: row i is ids[cu_seqlens[i], cu_seqlens[i + 1]).
struct TokenBatch {
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> cu_seqlens{0};

  std::size_t rows() const { return cu_seqlens.size() - 1; }
  std::span<const std::int32_t> row(std::size_t i) const {
    return std::span(ids).subspan(static_cast<std::size_t>(cu_seqlens[i]), length(i));
  }
  std::size_t length(std::size_t i) const {
    return static_cast<std::size_t>(cu_seqlens[i + 1] - cu_seqlens[i]);
  }
  std::size_t max_length() const;

  void add(std::span<const std::int32_t> row);
  void clear();
};

/// The states of one row: `tokens` vectors of `hidden` floats, row-major.
struct RowStates {
  std::span<const float> values;
  std::size_t tokens = 0;
  std::size_t hidden = 0;

  std::span<const float> token(std::size_t i) const { return values.subspan(i * hidden, hidden); }
};

/// Immutable and shared between threads; one EncoderSession a thread runs it.
class Encoder {
 public:
  /// kInvalidArgument if the plan's inputs or width do not fit the table.
  static Result<std::shared_ptr<Encoder>> create(EmbeddingTable table, std::unique_ptr<Engine> engine,
                                                 std::size_t max_tokens);

  std::size_t hidden() const { return table_.columns(); }
  std::size_t max_tokens() const { return max_tokens_; }
  std::size_t vocabulary() const { return table_.rows(); }
  const EmbeddingTable& table() const { return table_; }
  Engine& engine() { return *engine_; }

 private:
  Encoder(EmbeddingTable table, std::unique_ptr<Engine> engine, std::size_t max_tokens)
      : table_(std::move(table)), engine_(std::move(engine)), max_tokens_(max_tokens) {}

  EmbeddingTable table_;
  std::unique_ptr<Engine> engine_;
  std::size_t max_tokens_;
};

/// An execution context with its buffers. One thread at a time; encode() blocks.
class EncoderSession {
 public:
  static Result<EncoderSession> create(std::shared_ptr<Encoder> encoder);

  /// Padded tokens a run at most, so that a long text of many windows does not ask for all memory at once.
  static constexpr std::size_t kRunTokens = 16384;

  /// Encodes all rows, in one run padded to the longest if they fit kRunTokens. The states live until the
  /// next call.
  /// kInvalidArgument: a row longer than max_tokens() or an id outside the vocabulary.
  Result<void> encode(const TokenBatch& batch);

  /// States of row i of the last batch.
  RowStates row(std::size_t i) const { return rows_[i]; }

 private:
  EncoderSession(std::shared_ptr<Encoder> encoder, std::unique_ptr<ExecutionContext> context)
      : encoder_(std::move(encoder)), context_(std::move(context)) {}

  Result<void> check(const TokenBatch& batch) const;
  static std::size_t end_of_run(const TokenBatch& batch, std::size_t first);
  Result<std::size_t> run(const TokenBatch& batch, std::size_t first, std::size_t end);

  std::shared_ptr<Encoder> encoder_;
  std::unique_ptr<ExecutionContext> context_;
  std::vector<float> embeds_;
  std::vector<std::int64_t> mask_;
  std::vector<OutputTensor> outputs_;
  std::vector<std::vector<float>> kept_;  // outputs of each run, if there was more than one
  std::vector<RowStates> rows_;
};

}  // namespace kefu::engine
