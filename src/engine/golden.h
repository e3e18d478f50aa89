#pragma once
// What a reference computed from an encoder body's inputs; for tests. The files are written and described by
// scripts/make-engine-golden.

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/tensor_file.h"
#include "engine/encoder.h"

namespace kefu::engine {

struct GoldenCase {
  std::string name;           // "8x128": rows x longest row
  TokenBatch batch;           // ids are rows of Golden::words
  std::vector<float> states;  // one vector a token, in the order of the ids
};

struct Golden {
  std::size_t hidden = 0;
  std::vector<float> words;
  std::vector<GoldenCase> cases;

  std::span<const float> word(std::int32_t id) const {
    return std::span(words).subspan(static_cast<std::size_t>(id) * hidden, hidden);
  }
};

inline Result<GoldenCase> read_golden_case(const TensorFile& file, std::int32_t rows, std::int32_t longest) {
  GoldenCase out{.name = fmt::format("{}x{}", rows, longest), .batch = {}, .states = {}};
  const std::vector<std::size_t> shape = file.shape(out.name + ".states");
  if (shape.size() != 2) return fail(Code::kDataLoss, "the golden file has no states of {}", out.name);
  KEFU_ASSIGN(const auto states, file.get<float>(out.name + ".states", shape));
  KEFU_ASSIGN(const auto ids, file.get<std::int32_t>(out.name + ".ids", {shape[0]}));
  KEFU_ASSIGN(const auto lengths, file.get<std::int32_t>(out.name + ".lengths", {std::size_t(rows)}));
  out.states.assign(states.begin(), states.end());
  std::size_t at = 0;
  for (const std::int32_t length : lengths) {
    out.batch.add(ids.subspan(at, static_cast<std::size_t>(length)));
    at += static_cast<std::size_t>(length);
  }
  return out;
}

inline Result<Golden> read_golden(const std::filesystem::path& path) {
  KEFU_ASSIGN(const TensorFile file, TensorFile::open(path));
  const std::vector<std::size_t> shape = file.shape("words");
  const std::vector<std::size_t> cases_shape = file.shape("cases");
  KEFU_ASSIGN(const auto words, file.get<float>("words", shape));
  KEFU_ASSIGN(const auto cases, file.get<std::int32_t>("cases", cases_shape));
  Golden golden{.hidden = shape.back(), .words = {words.begin(), words.end()}, .cases = {}};
  for (std::size_t i = 0; i + 1 < cases.size(); i += 2) {
    KEFU_ASSIGN(GoldenCase next, read_golden_case(file, cases[i], cases[i + 1]));
    golden.cases.push_back(std::move(next));
  }
  return golden;
}

/// Of the fake engine, which hands its inputs through.
inline Golden golden_of_fake() {
  Golden golden{.hidden = 4, .words = {}, .cases = {}};
  for (int i = 0; i < 40; ++i) golden.words.push_back(std::sin(static_cast<float>(i)));
  const std::vector<std::vector<std::size_t>> shapes{{1}, {3, 1}, {7, 2, 5, 7, 1}, {31, 4, 16}};
  for (const auto& lengths : shapes) {
    GoldenCase& next = golden.cases.emplace_back();
    next.name = fmt::format("{}x{}", lengths.size(), lengths[0]);
    for (const std::size_t length : lengths) {
      std::vector<std::int32_t> row;
      for (std::size_t i = 0; i < length; ++i)
        row.push_back(static_cast<std::int32_t>((i * 7 + length) % 10));
      next.batch.add(row);
    }
    for (const std::int32_t id : next.batch.ids) {
      const auto word = golden.word(id);
      next.states.insert(next.states.end(), word.begin(), word.end());
    }
  }
  return golden;
}

/// Runs a batch and drops the padding from its states. Padding holds a word, not zeros, so that an engine
/// that reads it is found out.
inline Result<std::vector<float>> run_golden(ExecutionContext& context, const Golden& golden,
                                             const TokenBatch& batch) {
  const std::size_t padded = batch.max_length();
  std::vector<float> embeds;
  std::vector<std::int64_t> mask;
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    for (std::size_t t = 0; t < padded; ++t) {
      const auto word = golden.word(t < batch.length(i) ? batch.row(i)[t] : 0);
      embeds.insert(embeds.end(), word.begin(), word.end());
      mask.push_back(t < batch.length(i) ? 1 : 0);
    }
  }
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(batch.rows()),
                                        static_cast<std::int64_t>(padded),
                                        static_cast<std::int64_t>(golden.hidden)};
  const std::vector<InputTensor> inputs{
      {"inputs_embeds", DataType::kFp32, shape, embeds.data()},
      {"attention_mask", DataType::kInt64, {shape[0], shape[1]}, mask.data()}};
  std::vector<OutputTensor> outputs;
  KEFU_CHECK(context.run(inputs, outputs));
  if (outputs.size() != 1 || outputs[0].shape != shape || outputs[0].floats().size() != embeds.size())
    return fail(Code::kInternal, "the output is not one state a token");
  std::vector<float> states;
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    const auto row = outputs[0].floats().subspan(i * padded * golden.hidden, batch.length(i) * golden.hidden);
    states.insert(states.end(), row.begin(), row.end());
  }
  return states;
}

/// max |a - b| / max(1, |b|), infinite if they differ in size or one is no number.
inline double worst_error(std::span<const float> a, std::span<const float> b) {
  double worst = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < a.size() && std::isfinite(worst); ++i) {
    const double error = std::abs(double{a[i]} - double{b[i]}) / std::max(1.0, std::abs(double{b[i]}));
    worst = std::isfinite(error) ? std::max(worst, error) : std::numeric_limits<double>::infinity();
  }
  return worst;
}

}  // namespace kefu::engine
