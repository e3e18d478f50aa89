"""CPU of a request of about 24 tokens outside the encoder's forward pass.

    python bench/cpu.py [--models models] [--repeats 5] [--seconds 3]

The server runs a copy of the default package whose graph is a plan of the `fake` engine, which only copies
its input. Its user and system time over the requests of a keep-alive connection is what a request costs:
socket, HTTP, JSON, language, tokens, embedding rows, queue and wake-ups, the fake copy, heads, reply. `rest` is
that without the heads, as the reply's timings_ms state them (wall time, so on a busy machine `heads` is too
high and `rest` too low). The real engine's timings are reported beside them: there the encoder's weights have driven
those of the heads out of the caches. Prints JSON on stdout, a table on stderr; fails if a bar is missed.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

import messages
import servers
from load import drive
from tokenizers import Tokenizer

TOKENS = range(22, 27)
TIMED = 400
BARS = {"rest": 0.15, "heads": 0.10}


def fake_repository(package, folder):
    """A repository whose default model is `package` with a plan of the fake engine as its graph."""
    copy = folder / "default" / "1"
    shutil.copytree(package, copy, copy_function=lambda source, link: os.symlink(os.path.abspath(source), link))
    manifest = json.loads((copy / "encoder/manifest.json").read_text())
    plan = json.dumps({"hidden": manifest["hidden"]}).encode()
    manifest["files"]["body.onnx"] = {"sha256": hashlib.sha256(plan).hexdigest(), "bytes": len(plan)}
    for name, content in (("body.onnx", plan), ("manifest.json", json.dumps(manifest).encode())):
        (copy / "encoder" / name).unlink()
        (copy / "encoder" / name).write_bytes(content)
    return folder


def messages_of_length(package):
    """Messages that the encoder reads as about 24 tokens, prefix and special tokens included."""
    tokenizer = Tokenizer.from_file(str(package / "encoder/tokenizer.json"))
    prefix = json.loads((package / "encoder/manifest.json").read_text())["prefix"]
    return [text for text in messages.read_messages() if len(tokenizer.encode(prefix + text).ids) in TOKENS]


def timings(server, texts):
    """Medians of the reply's timings_ms over TIMED requests, the first ones left out."""
    with server.session() as ask:
        replies = [ask(texts[i % len(texts)])["timings_ms"] for i in range(TIMED + 50)][50:]
    return {key: statistics.median(reply[key] for reply in replies) for key in replies[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=servers.ROOT / "models")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of a run")
    options = parser.parse_args()
    package = servers.newest_package(options.models)
    texts = messages_of_length(package)
    with tempfile.TemporaryDirectory() as folder:
        bodies = pathlib.Path(folder) / "bodies.jsonl"
        messages.write_bodies(bodies, texts)
        repository = fake_repository(package, pathlib.Path(folder) / "models")
        with servers.kefu(repository, "engine.name=fake") as server:
            runs = [drive(server, bodies, 1, options.seconds) for _ in range(options.repeats)]
            fake = timings(server, texts)
        with servers.kefu(options.models) as server:
            real = timings(server, texts)
    cpu = statistics.median(run["cpu_ms"] for run in runs)
    cost = {"all": cpu, "heads": fake["heads"], "rest": cpu - fake["heads"]}
    missed = [f"{key} <= {limit} ms" for key, limit in BARS.items() if cost[key] > limit]
    print(json.dumps({"repeats": options.repeats, "requests": sum(run["requests"] for run in runs),
                      "tokens": [TOKENS.start, TOKENS.stop - 1], "cpu_ms": cost, "timings_ms_fake_engine": fake,
                      "timings_ms_real_engine": real, "missed_bars": missed}, indent=1))
    print(f"\nCPU of a request outside the encoder: {cost['all']:.3f} ms = heads {cost['heads']:.3f} + rest "
          f"{cost['rest']:.3f}\nbeside the real encoder: tokenize {real['tokenize']:.3f} ms, heads "
          f"{real['heads']:.3f} ms (wall)", file=sys.stderr)
    if missed:
        raise SystemExit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
