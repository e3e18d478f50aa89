"""The service that people write today, to compare with: FastAPI, uvicorn, `tokenizers` and ONNX Runtime.

    python bench/python_service.py [--package FOLDER] [--graph FILE] [--workers 1] [--threads 2] [--port 8081]

The encoder in FP32, intents and out-of-scope rule of Kefu's package; a message a run, as such services do. It
leaves out what Kefu does besides: language, slots, n-grams of the intent head, windows of long texts.
"""
import argparse
import asyncio
import json
import os
import pathlib
from concurrent.futures import ThreadPoolExecutor

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}  # read at import

import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import uvicorn  # noqa: E402
from fastapi import FastAPI  # noqa: E402
from pydantic import BaseModel  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402

NEIGHBORS = 5
RANKED = 10
TYPES = {"F32": "<f4", "I8": "i1", "I32": "<i4"}


def read_tensors(path):
    """The tensors of a safetensors file by name."""
    data = pathlib.Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[8 + size + begin:8 + size + end], TYPES[entry["dtype"]])
        tensors[name] = values.reshape(entry["shape"])
    return tensors


class Heads:
    """Intent and scope of a sentence vector, from the dense parts of a Kefu package."""

    def __init__(self, package):
        t = read_tensors(package / "heads.safetensors")
        labels = json.loads((package / "labels.json").read_text())
        self.names = [intent["name"] for intent in labels["intents"]]
        self.mean, self.scale = t["centering.mean"], t["centering.scale"][0]
        self.weights, self.bias = t["intent.weights"], t["intent.bias"]
        self.inside, self.outside = (self.unit_rows(t, f"scope.{side}") for side in ("inside", "outside"))
        judgement = t["judgement.without_ngrams"]
        self.temperature, self.offset, self.threshold = judgement[:3]
        self.rule = judgement[3:].reshape(3, 4)  # mean, deviation, weight of the four signals

    @staticmethod
    def unit_rows(tensors, name):
        return tensors[name + ".rows"].astype(np.float32) * tensors[name + ".scales"][:, None]

    @staticmethod
    def closeness(rows, vector):
        return np.partition(rows @ vector, -NEIGHBORS)[-NEIGHBORS:].mean() if len(rows) else -1

    def judge(self, vector):
        vector = (vector - self.mean) / self.scale
        logits = self.weights @ vector + self.bias
        energy = np.logaddexp.reduce(logits)
        logits /= self.temperature
        probabilities = np.exp(logits - np.logaddexp.reduce(logits))
        vector /= np.linalg.norm(vector)
        near = [self.closeness(rows, vector) for rows in (self.inside, self.outside)]
        signals = np.array([energy, *near, probabilities.max()])
        mean, deviation, weight = self.rule
        score = 1 / (1 + np.exp(self.offset + weight @ ((signals - mean) / deviation)))
        best = np.argsort(probabilities)[:-RANKED - 1:-1]
        ranking = [{"name": self.names[i], "confidence": float(probabilities[i])} for i in best]
        return float(score), ranking


class Model:
    def __init__(self, package, graph, threads):
        encoder = json.loads((package / "encoder" / "manifest.json").read_text())
        self.prefix = encoder["prefix"]
        self.tokenizer = Tokenizer.from_file(str(package / "encoder" / "tokenizer.json"))
        self.tokenizer.enable_truncation(encoder["max_tokens"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self.heads = Heads(package)

    def parse(self, text):
        ids = np.array([self.tokenizer.encode(self.prefix + text).ids], np.int64)
        states, = self.session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
        vector = states[0].mean(axis=0)
        vector /= np.linalg.norm(vector)
        score, ranking = self.heads.judge(vector)
        outside = bool(score > self.heads.threshold)
        if outside:
            ranking.insert(0, {"name": "nlu_fallback", "confidence": score})
        return {"text": text, "intent": ranking[0], "intent_ranking": ranking,
                "out_of_scope": {"score": score, "decision": outside}}


class Message(BaseModel):
    text: str


def create_app():
    """Called in every worker process; settings come through the environment, as uvicorn's workers need."""
    model = Model(pathlib.Path(os.environ["PACKAGE"]), os.environ["GRAPH"], int(os.environ["THREADS"]))
    model.parse("warm up")
    app = FastAPI()
    # One thread beside the event loop: HTTP goes on while the encoder runs.
    pool = ThreadPoolExecutor(1)

    @app.post("/model/parse")
    async def parse(message: Message) -> dict:
        return await asyncio.get_running_loop().run_in_executor(pool, model.parse, message.text)

    @app.get("/health/ready")
    async def ready() -> dict:
        return {"ready": True}

    return app


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=pathlib.Path, default=pathlib.Path("models/default/1"))
    parser.add_argument("--graph", type=pathlib.Path, default=pathlib.Path(".cache/bench/e5-small/full.onnx"))
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2, help="of ONNX Runtime in a worker")
    parser.add_argument("--port", type=int, default=8081)
    options = parser.parse_args()
    os.environ |= {"PACKAGE": str(options.package), "GRAPH": str(options.graph),
                   "THREADS": str(options.threads)}
    uvicorn.run("python_service:create_app", factory=True, app_dir=str(pathlib.Path(__file__).parent),
                workers=options.workers, port=options.port, loop="uvloop", http="httptools",
                log_level="warning")


if __name__ == "__main__":
    main()
