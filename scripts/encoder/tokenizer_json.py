"""Writes multilingual-e5-small's tokeniser as a tokenizer.json that the Hugging Face library can run too.

The model's character map equals NFKC on all but a few code points, so NFKC runs first and a Replace step
follows for each code point that differs; the map alone would miss sequences that compose. One common code
point, U+FF5E, is kept by the model but changed by NFKC: it is carried past NFKC as a private-use code point.
"""
import json
import unicodedata


KEPT = "\uff5e"  # FULLWIDTH TILDE, frequent in Chinese and Japanese chat
CARRIER = "\ue000"


def replacements(character_map):
    """{code point: replacement} where NFKC of the code point is not what the model's map says."""
    return {chr(c): to for c, to in sorted(character_map.items())
            if unicodedata.normalize("NFKC", chr(c)) != to and unicodedata.normalize("NFKC", chr(c)) == chr(c)}


def replace(text, by):
    return {"type": "Replace", "pattern": {"String": text}, "content": by}


def write_tokenizer(e5, path):
    special = [(e5.bos, "<s>"), (e5.pad, "<pad>"), (e5.eos, "</s>"), (e5.unk, "<unk>"),
               (e5.piece_count - 1, "<mask>")]
    for token, piece in special:
        if e5.pieces[token] != piece:
            raise SystemExit(f"piece {token} of the E5S1 file is {e5.pieces[token]!r}, expected {piece!r}")
    steps = [replace(KEPT, CARRIER), {"type": "NFKC"}, replace(CARRIER, KEPT)]
    steps += [replace(c, to) for c, to in replacements(e5.character_map).items()]
    steps += [{"type": "Strip", "strip_left": True, "strip_right": True},
              {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]
    tokens = {piece: {"id": piece, "ids": [token], "tokens": [piece]} for token, piece in special}
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": token, "content": piece, "single_word": False, "lstrip": False, "rstrip": False,
                          "normalized": False, "special": True} for token, piece in sorted(special)],
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                     {"SpecialToken": {"id": "</s>", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}},
                     {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "special_tokens": {piece: tokens[piece] for piece in ("<s>", "</s>")}},
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {"type": "Unigram", "unk_id": e5.unk, "byte_fallback": False,
                  "vocab": [[piece, float(score)] for piece, score in zip(e5.pieces, e5.scores)]}}
    path.write_text(json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
