"""`kefu serve` against the Python service: requests per second and latency, both in FP32 on the same cores.

    python bench/serve.py [--models models] [--rounds 5] [--seconds 3]

Every server runs throughout; a round drives each in turn with the same messages, over 64 keep-alive
connections and then over 1. Figures are medians over the rounds; a ratio is the median of the rounds' ratios of
Kefu and the best Python setting. Prints JSON on stdout, a table on stderr; fails if a bar is missed.
"""
import argparse
import contextlib
import json
import pathlib
import statistics
import sys
import tempfile

import messages
import servers
from load import drive

CONNECTIONS = (64, 1)
PYTHON = [(workers, threads) for workers in (1, 2) for threads in (1, 2)]
WARM_UP_SECONDS = 5
FIGURES = ("requests_per_s", "p50_ms", "p99_ms", "cpu_ms")


def measure(running, bodies, rounds, seconds, count):
    """{connections: {name: [run, ...]}}; the order of the servers turns by one each round."""
    for name, server in running.items():
        print(f"warming up {name}", file=sys.stderr)
        drive(server, bodies, CONNECTIONS[0], WARM_UP_SECONDS)
    names = list(running)
    runs = {c: {name: [] for name in names} for c in CONNECTIONS}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for connections in CONNECTIONS:
            for name in names[number % len(names):] + names[:number % len(names)]:
                first = number * count // rounds
                runs[connections][name].append(drive(running[name], bodies, connections, seconds, first))
    return runs


def summarize(runs):
    medians = {name: {key: statistics.median(run[key] for run in of) for key in FIGURES}
               for name, of in runs.items()}
    best = max(medians.keys() - {"kefu"}, key=lambda name: medians[name]["requests_per_s"])
    ratios = {key: statistics.median(ours[key] / theirs[key] for ours, theirs in zip(runs["kefu"], runs[best]))
              for key in FIGURES}
    return {"servers": medians, "best_python": best, "kefu_to_best_python": ratios}


def table(result):
    for connections, part in result["connections"].items():
        title = f"{connections} connection" + "s" * (connections > 1)
        print(f"\n{title:26}{'req/s':>10}{'p50 ms':>10}{'p99 ms':>10}{'CPU ms':>10}", file=sys.stderr)
        rows = part["servers"] | {f"kefu / {part['best_python']}": part["kefu_to_best_python"]}
        for name, row in rows.items():
            print(f"{name:26}" + "".join(f"{row[key]:10.2f}" for key in FIGURES), file=sys.stderr)


def missed_bars(result):
    many, one = (result["connections"][c]["kefu_to_best_python"] for c in CONNECTIONS)
    bars = {"requests/s at 64 connections >= 1.1 x Python": many["requests_per_s"] >= 1.1,
            "p99 at 64 connections below Python": many["p99_ms"] < 1,
            "requests/s at 1 connection >= Python": one["requests_per_s"] >= 1}
    return [bar for bar, met in bars.items() if not met]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=servers.ROOT / "models")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of a run")
    options = parser.parse_args()
    texts = messages.read_messages()
    package = servers.newest_package(options.models)
    with contextlib.ExitStack() as stack:
        bodies = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory())) / "bodies.jsonl"
        messages.write_bodies(bodies, texts)
        running = {"kefu": stack.enter_context(servers.kefu(options.models))}
        for workers, threads in PYTHON:
            name = f"python {workers} x {threads}"
            running[name] = stack.enter_context(servers.python(package, workers, threads))
        runs = measure(running, bodies, options.rounds, options.seconds, len(texts))
    result = {"rounds": options.rounds, "seconds": options.seconds, "precision": "f32", "messages": len(texts),
              "connections": {c: summarize(of) for c, of in runs.items()}}
    missed = missed_bars(result)
    print(json.dumps(result | {"missed_bars": missed}, indent=1))
    table(result)
    if missed:
        raise SystemExit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
