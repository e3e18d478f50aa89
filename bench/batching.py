"""What batching brings: the default encoder, messages of mixed lengths, against the same server without batching.

    python bench/batching.py [--precision f32|bf16] [--models models] [--rounds 5] [--seconds 3]

Without batching (batching.max_batch=1) the best of several engine.threads x batching.instances counts; with it the best
of the same counts, and each window of company, to choose the default. Over 64 connections: requests per second, and in
FP32 how many the machine's arithmetic would allow without padding (bench/arithmetic.py, measured in the same run). Then
the two best at 70 % of what the server without batching can do, at a steady rate: p99 from the intended send time. And
the share of tokens that are padding. Medians over interleaved rounds; JSON on stdout, a table on stderr; fails if a bar
is missed.
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

import arithmetic
import messages
import servers
from load import drive

COUNTS = ((1, 1), (2, 1), (1, 2), (2, 2))


def streams(threads, instances):
    return [f"engine.threads={threads}", f"batching.instances={instances}"]


ALONE = {f"alone {threads} x {instances}": ["batching.max_batch=1", "batching.window_ms=0", *streams(threads, instances)]
         for threads, instances in COUNTS}
BATCHED = {f"batched {threads} x {instances}": streams(threads, instances) for threads, instances in COUNTS}
WINDOWS = {f"window {ms} ms": [f"batching.window_ms={ms}"] for ms in (0, 1, 2, 3, 5)}
DEFAULT = "window 0 ms"
E5_SMALL = {"layers": 12, "hidden": 384, "inner": 1536}
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
    parser.add_argument("--precision", choices=("f32", "bf16"), default="f32")
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
        running = {name: stack.enter_context(servers.kefu(options.models, "models.load=default", "metrics.port=0",
                                                            f"engine.precision={options.precision}", *settings))
                   for name, settings in (ALONE | BATCHED | WINDOWS).items()}
        for server in running.values():
            drive(server, bodies, 64, 2)
        before, rates, p99 = tokens(running[DEFAULT]), {name: [] for name in running}, {name: [] for name in running}
        peaks, answered = [], 0
        names = list(running)
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            for name in names[number % len(names):] + names[:number % len(names)]:
                run = drive(running[name], bodies, 64, options.seconds, number * len(corpus) // options.rounds)
                rates[name].append(run["requests_per_s"])
                p99[name].append(run["p99_ms"])
                answered += run["requests"] if name == DEFAULT else 0
            peaks.append(arithmetic.peak_flops())
        used = {kind: value - before[kind] for kind, value in tokens(running[DEFAULT]).items()}
        medians = {name: statistics.median(of) for name, of in rates.items()}
        alone, batched = max(ALONE, key=medians.get), max(BATCHED, key=medians.get)
        rate, steady = LOAD * medians[alone], {alone: [], batched: []}
        for number in range(options.rounds):
            for name in sorted(steady, reverse=number % 2 == 1):
                steady[name].append(at_rate(running[name], texts, rate, options.seconds, folder)["p99"])
    gain = statistics.median(a / b for a, b in zip(rates[batched], rates[alone]))
    limit = statistics.median(peaks) / (arithmetic.encoder_flops(**E5_SMALL) * used["real"] / answered)
    padding = used["padding"] / (used["padding"] + used["real"])
    steady = {name: statistics.median(of) for name, of in steady.items()}
    result = {"texts": len(corpus), "precision": options.precision, "requests_per_s": medians,
              "p99_ms": {name: statistics.median(of) for name, of in p99.items()},
              "best_alone": alone, "best_batched": batched, "gain": gain,
              "tokens_of_request": used["real"] / answered, "f32_limit_requests_per_s": limit,
              "rate": rate, "p99_ms_at_rate": steady, "padding_share": padding}
    missed = [bar for bar, met in {
        "requests/s >= 1.5 x without batching": gain >= 1.5,
        "p99 at 70 % no worse than without": steady[batched] <= steady[alone],
        "padding <= 15 % of tokens": padding <= 0.15}.items() if not met]
    print(json.dumps(result | {"missed_bars": missed}, indent=1))
    print(f"\n{'64 connections':20}{'req/s':>10}{'p99 ms':>10}", file=sys.stderr)
    for name in names:
        print(f"{name:20}{medians[name]:10.1f}{result['p99_ms'][name]:10.1f}", file=sys.stderr)
    print(f"{batched} / {alone}: {gain:.2f}; FP32 arithmetic allows {limit:.0f} requests/s, {limit / medians[alone]:.2f}\n"
          f"at {rate:.0f} requests/s p99 {steady[batched]:.1f} against {steady[alone]:.1f} ms; padding "
          f"{100 * padding:.1f} %", file=sys.stderr)
    if missed:
        raise SystemExit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
