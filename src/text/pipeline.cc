#include "text/pipeline.h"

#include "text/char_table.h"

namespace kefu::text {

Pipeline::Pipeline(PipelineParts parts) : parts_(std::move(parts)) {
  CharTable::get();  // built now, not in the first request
}

void Pipeline::encode(std::string_view utf8, Encoding& out) const {
  static thread_local Normalized text;
  static thread_local Pieces pieces;
  text.assign(utf8);
  for (const auto& normalizer : parts_.normalizers) normalizer->apply(text);
  pieces.ranges.clear();
  pieces.cut = false;
  if (text.size() > 0) pieces.ranges.push_back({0, static_cast<std::uint32_t>(text.size())});
  for (const auto& pre_tokenizer : parts_.pre_tokenizers) pre_tokenizer->apply(text, pieces);
  const std::size_t first = out.ids.size();
  for (const Span piece : pieces.ranges) parts_.model->encode(text, piece, out);
  parts_.post_processor.trim_offsets(first, out);
  text.shrink();
}

}  // namespace kefu::text
