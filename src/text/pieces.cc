#include "text/pieces.h"

namespace kefu::text {
namespace {

void append_contiguous(const std::vector<Part>& parts, std::vector<Span>& out) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i].is_match == parts[i - 1].is_match) {
      out.back().end = parts[i].end;
    } else {
      out.push_back({parts[i].begin, parts[i].end});
    }
  }
}

// A match joins what is before it, unless that is a match too.
void append_merged_with_previous(const std::vector<Part>& parts, std::vector<Span>& out) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i].is_match && !parts[i - 1].is_match) {
      out.back().end = parts[i].end;
    } else {
      out.push_back({parts[i].begin, parts[i].end});
    }
  }
}

void append_merged_with_next(const std::vector<Part>& parts, std::vector<Span>& out) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && parts[i - 1].is_match && !parts[i].is_match) {
      out.back().end = parts[i].end;
    } else {
      out.push_back({parts[i].begin, parts[i].end});
    }
  }
}

}  // namespace

Result<Behavior> parse_behavior(std::string_view name, std::string_view where) {
  if (name == "Removed") return Behavior::kRemoved;
  if (name == "Isolated") return Behavior::kIsolated;
  if (name == "MergedWithPrevious") return Behavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return Behavior::kMergedWithNext;
  if (name == "Contiguous") return Behavior::kContiguous;
  return fail(
      Code::kUnimplemented,
      "{}: the behavior \"{}\" is none of Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous",
      where, name);
}

void append_pieces(Behavior behavior, const std::vector<Part>& parts, std::vector<Span>& out) {
  switch (behavior) {
    case Behavior::kContiguous:
      return append_contiguous(parts, out);
    case Behavior::kMergedWithPrevious:
      return append_merged_with_previous(parts, out);
    case Behavior::kMergedWithNext:
      return append_merged_with_next(parts, out);
    case Behavior::kRemoved:
    case Behavior::kIsolated:
      break;
  }
  for (const Part& part : parts) {
    if (!part.is_match || behavior == Behavior::kIsolated) out.push_back({part.begin, part.end});
  }
}

}  // namespace kefu::text
