"""What batching brings: the default encoder in FP32, messages of mixed lengths, against the same server without batching.

    python bench/batching.py [--models models] [--rounds 5] [--seconds 3]

Without batching (batching.max_batch=1) the best of several engine.threads x batching.instances counts. With it each
window of company is measured, to choose the default. Over 64 connections: requests per second. Then both at 70 % of what
the server without batching can do, at a steady rate: p99 from the intended send time. And the share of tokens that are
padding. Medians over interleaved rounds; JSON on stdout, a table on stderr; fails if a bar is missed.
"""
import argparse
import contextlib
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import urllib.request

import messages
import servers
from load import drive

ALONE = {f"alone {threads} x {instances}": ["batching.max_batch=1", "batching.window_ms=0", f"engine.threads={threads}",
                                            f"batching.instances={instances}"]
         for threads, instances in ((1, 1), (2, 1), (1, 2), (2, 2))}
WINDOWS = {f"window {ms} ms": [f"batching.window_ms={ms}"] for ms in (0, 1, 2, 3, 5)}
DEFAULT = "window 0 ms"
LOAD = 0.7  # of the capacity without batching


def mixed_texts():
    """The domains' test messages, and for each tenth a mail of several of them."""
    texts, rng = messages.read_messages(), random.Random(2)
    return [" ".join(rng.sample(texts, rng.randint(3, 8))) if rng.random() < 0.1 else text for text in texts]


def tokens(server):
    text = urllib.request.urlopen(server.process.metrics, timeout=30).read().decode()
    return {kind: sum(float(value) for value in re.findall(rf'^kefu_tokens_total{{.*kind="{kind}".*}} (\S+)$', text, re.M))
            for kind in ("real", "padding")}


def at_rate(server, texts, rate, seconds, folder):
    subprocess.run([servers.KEFU, "bench", server.url, "--texts", texts, "--rate", f"{rate:.1f}", "--connections", "256",
                    "--duration", str(seconds), "--warmup", "1", "--json", folder / "rate.json"], check=True,
                   stdout=subprocess.DEVNULL)
    report = json.loads((folder / "rate.json").read_text())
    if report["outcomes"].keys() != {"200"}:
        raise SystemExit(f"{server.url} answered {report['outcomes']}")
    server.settle()
    return report["latency_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=servers.ROOT / "models")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of a run")
    options = parser.parse_args()
    corpus = mixed_texts()
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        bodies, texts = folder / "bodies.jsonl", folder / "texts.txt"
        messages.write_bodies(bodies, corpus)
        texts.write_text("".join(text + "\n" for text in corpus), encoding="utf-8")
        running = {name: stack.enter_context(servers.kefu(options.models, "models.load=default", "metrics.port=0", *settings))
                   for name, settings in (ALONE | WINDOWS).items()}
        for server in running.values():
            drive(server, bodies, 64, 2)
        before, rates, p99 = tokens(running[DEFAULT]), {name: [] for name in running}, {name: [] for name in running}
        names = list(running)
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            for name in names[number % len(names):] + names[:number % len(names)]:
                run = drive(running[name], bodies, 64, options.seconds, number * len(corpus) // options.rounds)
                rates[name].append(run["requests_per_s"])
                p99[name].append(run["p99_ms"])
        used = {kind: value - before[kind] for kind, value in tokens(running[DEFAULT]).items()}
        medians = {name: statistics.median(of) for name, of in rates.items()}
        alone = max(ALONE, key=medians.get)
        rate, steady = LOAD * medians[alone], {alone: [], DEFAULT: []}
        for number in range(options.rounds):
            for name in sorted(steady, reverse=number % 2 == 1):
                steady[name].append(at_rate(running[name], texts, rate, options.seconds, folder)["p99"])
    gain = statistics.median(a / b for a, b in zip(rates[DEFAULT], rates[alone]))
    padding = used["padding"] / (used["padding"] + used["real"])
    steady = {name: statistics.median(of) for name, of in steady.items()}
    result = {"texts": len(corpus), "requests_per_s": medians, "p99_ms": {n: statistics.median(of) for n, of in p99.items()},
              "best_alone": alone, "gain": gain, "rate": rate, "p99_ms_at_rate": steady, "padding_share": padding}
    missed = [bar for bar, met in {
        "requests/s >= 1.5 x without batching": gain >= 1.5,
        "p99 at 70 % no worse than without": steady[DEFAULT] <= steady[alone],
        "padding <= 15 % of tokens": padding <= 0.15}.items() if not met]
    print(json.dumps(result | {"missed_bars": missed}, indent=1))
    print(f"\n{'64 connections':20}{'req/s':>10}{'p99 ms':>10}", file=sys.stderr)
    for name in names:
        print(f"{name:20}{medians[name]:10.1f}{result['p99_ms'][name]:10.1f}", file=sys.stderr)
    print(f"{DEFAULT} / {alone}: {gain:.2f}; at {rate:.0f} requests/s p99 {steady[DEFAULT]:.1f} against "
          f"{steady[alone]:.1f} ms; padding {100 * padding:.1f} %", file=sys.stderr)
    if missed:
        raise SystemExit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
