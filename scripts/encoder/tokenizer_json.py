"""Writes the tokeniser of an E5S1 file as the `tokenizer.json` of Hugging Face `tokenizers`.

The file's character map works code point by code point; NFKC, then the map where it differs from NFKC, gives
the same on ordinary texts and composes what the map cannot (`e` + U+0301, half-width katakana with marks).
"""
import json
import pathlib
import unicodedata

from e5 import E5File

SPACE = "\u2581"  # how SentencePiece writes a space
MASK = "<mask>"
PLACEHOLDER = "\ufdd0"  # a noncharacter: never in text meant for interchange (Unicode 15, section 23.7)


def nfkc(text):
    return unicodedata.normalize("NFKC", text)


def replace(old, new, kind="String"):
    return {"type": "Replace", "pattern": {kind: old}, "content": new}


def code_points():
    return (chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000)


def split_differences(e5: E5File):
    """(kept, replaced): code points that NFKC changes and the map keeps, and those the map alone replaces.

    Kept ones newer than the map (Unicode 9) are left to NFKC: the map merely did not know them.
    """
    kept, replaced = [], {}
    for char in code_points():
        mapped = e5.character_map.get(ord(char), char)
        if mapped == nfkc(char):
            continue
        if nfkc(char) == char:
            replaced[char] = mapped
        elif ord(char) in e5.character_map:
            raise SystemExit(f"NFKC and the character map of the E5S1 file both change U+{ord(char):04X}, "
                             f"to different texts: this case needs a rule of its own")
        elif unicodedata.ucd_3_2_0.category(char) != "Cn":
            kept.append(char)
    return kept, replaced


def normalizer(e5: E5File):
    kept, replaced = split_differences(e5)
    if len(kept) > 1:
        raise SystemExit(f"the character map keeps {kept}, but there is one placeholder only")
    steps = [replace(char, PLACEHOLDER) for char in kept] + [{"type": "NFKC"}]
    # Replaced characters may not be produced by replacements, or the order would matter.
    if any(char in out for char in replaced for out in replaced.values()):
        raise SystemExit("the character map of the E5S1 file replaces what it produces")
    steps += [replace(char, out) for char, out in sorted(replaced.items())]
    steps += [replace(PLACEHOLDER, char) for char in kept]
    steps += [{"type": "Strip", "strip_left": True, "strip_right": True}, replace(" {2,}", " ", "Regex")]
    return {"type": "Sequence", "normalizers": steps}


def special_tokens(e5: E5File):
    ids = sorted({e5.bos, e5.pad, e5.eos, e5.unk, e5.pieces.index(MASK)})
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return [{"id": i, "content": e5.pieces[i], **flags} for i in ids]


def template(e5: E5File):
    def special(i):
        return {"SpecialToken": {"id": e5.pieces[i], "type_id": 0}}

    def text(name):
        return {"Sequence": {"id": name, "type_id": 0}}

    single = [special(e5.bos), text("A"), special(e5.eos)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": single + [special(e5.eos), text("B"), special(e5.eos)],
        "special_tokens": {
            e5.pieces[i]: {"id": e5.pieces[i], "ids": [i], "tokens": [e5.pieces[i]]} for i in (e5.bos, e5.eos)
        },
    }


def write_tokenizer(e5: E5File, path: pathlib.Path):
    """Writes `path`; equal input gives equal bytes."""
    metaspace = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "always", "split": True}
    document = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special_tokens(e5),
        "normalizer": normalizer(e5),
        "pre_tokenizer": metaspace,
        "post_processor": template(e5),
        "decoder": metaspace,
        "model": {
            "type": "Unigram",
            "unk_id": e5.unk,
            "vocab": [[piece, float(score)] for piece, score in zip(e5.pieces, e5.scores)],
            "byte_fallback": False,
        },
    }
    path.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
