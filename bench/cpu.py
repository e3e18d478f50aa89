"""CPU of a request of about 24 tokens outside the encoder's forward pass.

    python bench/cpu.py [--models models] [--texts 4000] [--repeats 5] [--seconds 3]

The server runs a package whose graph is a plan of the `fake` engine, which only copies its input. Its user and
system time over the requests of a keep-alive connection is what a request costs: socket, HTTP, JSON, language,
tokens, embedding rows, queue and wake-ups, the fake copy, heads, reply. `heads` is the median of the same replies'
timings_ms, `rest` all less their mean (wall time: on a busy machine it makes `heads` too high and `rest` too low).
Measured with a package trained here on about --texts texts of the reference domains, which the bars are for, and
with the default package. The real engine's timings are reported beside them: there the encoder's weights have driven
those of the heads out of the caches. Prints JSON on stdout, a table on stderr; fails if a bar is missed.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile

import messages
import packages
import servers
from load import drive
from tokenizers import Tokenizer

TOKENS = range(22, 27)
TIMED = 400
BARS = {"rest": 0.15, "heads": 0.10}


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


def measure(package, folder, texts, options):
    """Milliseconds of CPU a request, and the timings of the replies."""
    bodies = folder / "bodies.jsonl"
    messages.write_bodies(bodies, texts)
    with servers.kefu(packages.with_fake_graph(package, folder / "fake"), "engine.name=fake") as server:
        runs = [drive(server, bodies, 1, options.seconds, heads=True) for _ in range(options.repeats)]
    with servers.kefu(package.parents[1]) as server:
        real = timings(server, texts)
    cpu = {"all": statistics.median(run["cpu_ms"] for run in runs),
           "heads": statistics.median(run["heads_ms"] for run in runs),
           "rest": statistics.median(run["cpu_ms"] - run["heads_mean_ms"] for run in runs)}
    return {"requests": sum(run["requests"] for run in runs), "cpu_ms": cpu, "timings_ms_real_engine": real}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=servers.ROOT / "models")
    parser.add_argument("--texts", type=int, default=4000, help="that the package of the bars is trained on")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of a run")
    options = parser.parse_args()
    default = servers.newest_package(options.models)
    texts = messages_of_length(default)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part in ("few", "all"):
            (folder / part).mkdir()
        few = packages.train(folder / "few/models", packages.thinned_domains(folder / "domains", options.texts))
        found = {f"{options.texts} texts": measure(few, folder / "few", texts, options),
                 "default package": measure(default, folder / "all", texts, options)}
    cost = next(iter(found.values()))["cpu_ms"]
    missed = [f"{key} <= {limit} ms" for key, limit in BARS.items() if cost[key] > limit]
    print(json.dumps({"repeats": options.repeats, "tokens": [TOKENS.start, TOKENS.stop - 1], **found,
                      "missed_bars": missed}, indent=1))
    for name, figures in found.items():
        cpu, real = figures["cpu_ms"], figures["timings_ms_real_engine"]
        print(f"{name}: CPU of a request outside the encoder {cpu['all']:.3f} ms = heads {cpu['heads']:.3f} + rest "
              f"{cpu['rest']:.3f}; beside the real encoder tokenize {real['tokenize']:.3f}, heads "
              f"{real['heads']:.3f} (wall)", file=sys.stderr)
    if missed:
        raise SystemExit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
