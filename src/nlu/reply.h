#pragma once
// What a parse takes and gives.

#include <chrono>
#include <string>
#include <vector>

#include "text/unicode.h"

namespace kefu::nlu {

/// The intent of a text that is out of scope or empty (Rasa's name for it).
constexpr const char* kFallbackIntent = "nlu_fallback";

struct ParseRequest {
  std::string text;      // UTF-8, at most 32,000 code points (the caller checks)
  std::string language;  // stated by the caller, ISO 639-1; empty: identify it
};

struct RankedIntent {
  std::string name;
  std::string domain;    // empty for nlu_fallback
  float confidence = 0;  // calibrated probability, 0..1
};

struct ParsedEntity {
  std::string entity;
  std::string role;   // empty: none
  std::string group;  // empty: none
  std::string value;  // canonical value
  text::Span span;    // code points of the request's text
  float confidence = 0;
};

struct LanguageGuess {
  std::string code;  // ISO 639-1, "und" if unknown
  float confidence = 0;
};

struct OutOfScope {
  float score = 0;        // 0..1, higher is farther out
  bool decision = false;  // score above the package's threshold
};

/// Where the time went.
struct Timings {
  std::chrono::microseconds tokenize{0};
  std::chrono::microseconds queue{0};
  std::chrono::microseconds infer{0};
  std::chrono::microseconds heads{0};
};

struct ParseReply {
  std::string text;
  RankedIntent intent;  // the best, or nlu_fallback
  std::vector<RankedIntent> ranking;
  std::vector<float> scores;  // calibrated probability of each intent, in the order of the package's labels
  std::vector<ParsedEntity> entities;
  LanguageGuess language;
  OutOfScope out_of_scope;
  std::string model;  // package name
  std::string version;
  std::size_t windows = 1;  // encoder windows the text was read in
  bool truncated = false;   // true if not all of the text was read
  Timings timings;
};

}  // namespace kefu::nlu
