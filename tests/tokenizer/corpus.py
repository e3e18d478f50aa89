"""Texts for the parity tests: the product's own examples, characters that tokenisers trip over, fuzz."""
import functools
import pathlib
import random
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "zh", "es", "pt", "fr", "de", "ja", "ar")
# `tokenizers` 0.23 has categories of Unicode 8.0 (crate unicode_categories 0.1.1) and normalises by 9.0 (crate
# unicode-normalization-alignments 0.1.12).
# Code points whose category changed between Unicode 8.0 and ours, 15.0, are exempt with those newer than 8.0.
RECATEGORIZED = "\u166d\u1734\u1885\u1886\u1cf2\u1cf3\ua9bd\U000111c9"
AGE_FILE = pathlib.Path(__file__).parent / "unicode_8.txt"

FRENCH = [
    "Bonjour, où est mon colis ?", "Je n'ai toujours pas reçu ma facture d'août.", "Ça ne marche plus, aidez-moi !",
    "L'œuvre complète coûte 12,50 €.", "Pourriez-vous annuler ma commande n° 4512-B, s'il vous plaît ?",
    "Mon numéro est le 06 12 34 56 78.", "Noël approche : livrez-vous à l'étranger ?", "C'était « parfait », merci.",
]

EDGES = [
    "", " ", "  ", "a", "\n", "\r\n", "\t\tx", " a", "a ", " a  b ", "\u3000全角\u3000空白\u3000", "a\u00a0b\u2009c\u202fd\u205fe",
    # emoji: ZWJ sequences, flags, skin tones, keycaps, tags
    "😀", "👨‍👩‍👧‍👦", "👩🏽‍🚀👍🏿", "🇩🇪🇧🇷🇯🇵", "🇩🇪🇧", "1️⃣#️⃣*️⃣", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "❤️‍🔥☺︎☺️",
    # full-width and half-width forms
    "ＡＢＣａｂｃ１２３！？～＠", "ｶﾞｷﾞｸﾞﾊﾟﾋﾟ", "ﾞﾟ", "ｱﾞ", "ﾊﾞﾊﾟﾊ", "ｳﾞｧｲｵﾘﾝ", "￥￡￠￦", "ﾡﾢￂￃ",
    # combining marks: stacked, reordered, leading, blocked
    "e\u0301", "\u0301e", "a\u0323\u0307", "a\u0307\u0323", "a\u0315\u0300\u05ae\u0062", "q\u0307\u0323\u0301\u0302", "o\u0302\u0323",
    "e" + "\u0301" * 40, "\u0344\u0345\u0f73\u0f81", "ệ\u0323\u0302e", "Å\u212b\u00c5A\u030a", "か\u3099は\u309a\u3099", "i\u0307\u0130İI\u0307",
    # Arabic diacritics, presentation forms, tatweel
    "مَرْحَبًا بِكُمْ", "ﻣﺮﺣﺒﺎ ﷲ ﷺ ﻻ", "مـــرحـــبا", "أإآٱا\u0653\u0654\u0655", "؟،؛٪١٢٣۴۵", "لا\u064b\u0651\u0651\u064b",
    # control, zero width, bidirectional
    "a\u0000b", "\u0000", "a\u0001\u0008\u000b\u000c\u001f\u007f\u0080\u0085\u009fb", "a\u200bb\u200cc\u200dd\ufeffe\u2060f", "\u200e\u200f\u202a\u202e\u2066x\u2069",
    "\ufeffBOM", "\u00adsoft\u00adhyphen", "\u2028\u2029x", "\u180e\u1680x", "\ufffd\ufffc", "\ufdd0\uffff", "\ue000\U000f0000",
    # Hangul: syllables, jamo, halves
    "한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8", "\u1100\u1161\u11a8\u11a8", "가\u11a8", "각\u11a8", "\u1161\u11a8", "ㅎㅏㄴ", "ﾡￂ",
    # case, ligatures, compatibility
    "ẞßſ ŒœÆæ ﬁﬂﬀﬃ ŉ ǅ", "ΑΣ ΣΑΣ σς", "ǰΐΰ", "①②⑩㊗㍻㌀㎏ℵ™℠", "½⅓x²y₃", "Ⅷ ⅷ", "ﬀ\u0301", "…‥․", "ª º µ", "\u2126\u212a",
    # words and numbers as customers write them
    "It's we'll I'D they'RE you'Ve DON'T 'tis 'ſ 'S", "12,345.67 €100 ¥1,000 3/4 2024-05-06T07:08", "a.b@c-d.example, +49 (0)30/123", "C++ C# .NET node.js",
    "  \n \n  x\n\n\ny  z\r\n\r\n", "x   ", "   x", "a\t b \t c", "snake_case camelCase __init__", "_\u203f_\u2040", "e.g., i.e.", "#hash @at $5 ^ ` ~ | <x> = +",
    "नमस्ते क्षत्रिय", "สวัสดีครับ", "שלום\u05b0", "ქართული", "\u0f40\u0f90\u0fb5", "𝕬𝖇𝖈 𝟙𝟚 𝒜", "\U0001d15e\U0001d1bc", "\u2f00\u2fd5\uf900\ufa30\U0002f800", "𠀀𪜀",
    "x" * 99, "x" * 100, "x" * 101, "é" * 100, "e\u0301" * 60, "漢" * 120,
    "▁x ▁▁y", "## ##a [a] [ ]", "Ġ Ċ ĉ", "<0x41> <0xE2>",
]


@functools.cache
def examples():
    """(language, text) from the product's NLU files, markup `[x](y)` stripped."""
    found = []
    for path in sorted(ROOT.glob("domains/*/nlu/*.yml")):
        for item in yaml.safe_load(path.read_text(encoding="utf-8")).get("nlu", []):
            for line in item.get("examples", "").splitlines():
                text = re.sub(r"\[([^\]]*)\](\([^)]*\)|\{[^}]*\})", r"\1", line.strip().removeprefix("- "))
                if text:
                    found.append((path.stem, text))
    return found + [("fr", text) for text in FRENCH]


@functools.cache
def known_code_points():
    """All code points that `tokenizers`' tables know: the others are exempt from parity."""
    ranges = (line.split("-") for line in AGE_FILE.read_text().splitlines() if not line.startswith("#"))
    every = (chr(c) for first, last in ranges for c in range(int(first, 16), int(last, 16) + 1))
    return "".join(c for c in every if c not in RECATEGORIZED)


def _mixes(count, rng):
    texts = [text for _, text in examples()]
    for _ in range(count):
        parts = rng.choices(texts, k=2) + rng.choices(EDGES, k=2)
        rng.shuffle(parts)
        yield rng.choice(["", " ", "\n", "、", "-"]).join(part[:60] for part in parts)


def _fuzz(count, rng):
    alphabet = known_code_points()
    blocks = ["abc ABC 019 .,'", "éèüßñç ", "\u0300\u0301\u0307\u0308\u0323\u0327e", "ｶｷﾊﾞﾟガ゙", "가각ᄀ\u1161\u11a8", "ابتثـًٌٍ", "한漢かカ", "👩🏽\u200d🚀\ufe0f🇩🇪", " \t\n\u00a0\u3000\u200b"]
    for i in range(count):
        size = rng.randrange(1, 24)
        pick = alphabet if i % 2 == 0 else "".join(rng.sample(blocks, 3))
        yield "".join(rng.choice(pick) for _ in range(size))


def _case_and_width(count, rng):
    texts = [text for _, text in examples()]
    wide = {c: c + 0xFEE0 for c in range(0x21, 0x7F)}
    for text in rng.sample(texts, count):
        yield rng.choice([str.upper, str.title, lambda t: t.translate(wide), lambda t: t[::-1], lambda t: t + " " + t.swapcase()])(text)


@functools.cache
def parity_texts(fuzz=2500):
    rng = random.Random(20261130)
    texts = [text for _, text in examples()]
    texts = rng.sample(texts, min(len(texts), 2500)) + EDGES
    texts += list(_mixes(600, rng)) + list(_case_and_width(400, rng)) + list(_fuzz(fuzz, rng))
    return texts


def ordinary_texts():
    """Texts of the eight languages without anything special."""
    return [text for language, text in examples() if language in LANGUAGES]
