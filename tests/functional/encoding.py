"""Texts and their embeddings, for tests that compare encoders."""
import json
import re

import numpy as np

from conftest import ROOT, kefu

SPAN = re.compile(r"\[([^\]\[]+)\](?:\([^()]+\)|\{[^{}]*\})")


def texts(count, files="*.yml"):
    """Training texts, evenly from the files of this pattern (all languages), markup removed."""
    out = []
    for path in sorted((ROOT / "domains").glob(f"*/nlu/{files}")):
        lines = [line[6:] for line in path.read_text().splitlines() if line.startswith("    - ")]
        out += [SPAN.sub(r"\1", line) for line in lines]
    return out[::max(1, len(out) // count)][:count]


def embed(lines, *options):
    """(token ids, embeddings) of `kefu embed` in f32."""
    done = kefu("embed", "--precision", "f32", *options, input="\n".join(lines) + "\n")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [r["tokens"] for r in rows], np.array([r["embedding"] for r in rows])


def assert_same_direction(ours, theirs):
    """The vectors of two encoders point the same way, text by text."""
    cosine = (ours * theirs).sum(axis=1) / np.linalg.norm(theirs, axis=1) / np.linalg.norm(ours, axis=1)
    print(f"cosine mean {cosine.mean():.6f} min {cosine.min():.6f} over {len(cosine)} texts")
    assert cosine.mean() >= 0.9999
    assert cosine.min() >= 0.9995
