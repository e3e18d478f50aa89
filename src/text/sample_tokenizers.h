#pragma once
// Small tokenizer.json documents for unit tests and the fuzzer, one for each kind of tokeniser.

#include <array>
#include <string_view>

namespace kefu::text::sample {

inline constexpr std::string_view kUnigram = R"({
  "added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "</s>", "special": true},
                   {"id": 2, "content": "<unk>", "special": true}, {"id": 9, "content": "<mask>", "special": true}],
  "normalizer": {"type": "Sequence", "normalizers": [
    {"type": "NFKC"}, {"type": "Replace", "pattern": {"String": "\t"}, "content": " "},
    {"type": "Replace", "pattern": {"String": "\u200b"}, "content": ""}, {"type": "Strip"},
    {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
  "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
               {"SpecialToken": {"id": "</s>", "type_id": 0}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0]}, "</s>": {"id": "</s>", "ids": [1]}}},
  "model": {"type": "Unigram", "unk_id": 2, "vocab": [["<s>", 0], ["</s>", 0], ["<unk>", 0], ["▁", -2], ["a", -3],
    ["b", -3.5], ["ab", -4], ["▁ab", -5], ["é", -6]]}
})";

inline constexpr std::string_view kByteFallback = R"({
  "normalizer": {"type": "Nmt"},
  "model": {"type": "Unigram", "unk_id": 0, "byte_fallback": true,
    "vocab": [["<unk>", 0], ["a", -1], ["<0xC3>", -9], ["<0xA9>", -9], ["<0xA8>", -9]]}
})";

inline constexpr std::string_view kWordPiece = R"({
  "added_tokens": [{"id": 0, "content": "[UNK]", "special": true}, {"id": 1, "content": "[CLS]", "special": true},
                   {"id": 2, "content": "[SEP]", "special": true}],
  "normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
  "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
  "model": {"type": "WordPiece", "unk_token": "[UNK]", "max_input_chars_per_word": 5, "vocab": {"[UNK]": 0, "[CLS]": 1,
    "[SEP]": 2, "un": 3, "##want": 4, "##ed": 5, "漢": 6, "[": 7, "]": 8, "sep": 9, "e": 10, "##e": 11, "a": 12}}
})";

inline constexpr std::string_view kByteLevel = R"({
  "added_tokens": [{"id": 0, "content": "<s>", "special": true}, {"id": 1, "content": "</s>", "special": true}],
  "normalizer": {"type": "NFC"},
  "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true, "use_regex": true},
  "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0], "trim_offsets": true,
    "add_prefix_space": true},
  "model": {"type": "BPE", "vocab": {"<s>": 0, "</s>": 1, "Ġ": 2, "a": 3, "b": 4, "ab": 5, "Ġab": 6, "Ã": 7, "©": 8,
    "Ã©": 9, "s": 10, "<": 11, ">": 12, "'": 13, "Ċ": 14}, "merges": ["a b", ["Ġ", "ab"], "Ã ©"]}
})";

inline constexpr std::string_view kCharacters = R"({
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"},
    {"type": "Replace", "pattern": {"String": "--"}, "content": "-"}, {"type": "Prepend", "prepend": "^"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Whitespace"},
    {"type": "Digits", "individual_digits": true}, {"type": "Punctuation", "behavior": "MergedWithPrevious"},
    {"type": "Split", "pattern": {"String": "x"}, "behavior": "Contiguous", "invert": true}]},
  "model": {"type": "BPE", "unk_token": "?", "fuse_unk": true, "byte_fallback": true,
    "vocab": {"?": 0, "a": 1, "b": 2, "ab": 3, "<0xC3>": 4, "<0xA6>": 5}, "merges": [["a", "b"]]}
})";

inline constexpr std::array kAll = {kUnigram, kByteFallback, kWordPiece, kByteLevel, kCharacters};

}  // namespace kefu::text::sample
