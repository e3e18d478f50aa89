"""Memory of `kefu serve` after 200 requests and its time from start to ready, in FP32.

    python bench/memory.py [--models models] [--repeats 5]

Memory is Rss and Pss of /proc/PID/smaps_rollup; ready is the first 200 of /health/ready, asked as soon as
the server has printed its address. Prints JSON on stdout, a table on stderr; fails if a bar is missed.
"""
import argparse
import json
import pathlib
import statistics
import sys
import time
import urllib.request

import messages
import servers

REQUESTS = 200
BARS = {"rss_mb": 450, "ready_s": 3}


def measure(models, texts):
    start = time.perf_counter()
    with servers.kefu(models) as server:
        urllib.request.urlopen(server.url + "/health/ready", timeout=30).close()
        ready = time.perf_counter() - start
        with server.session() as ask:
            for text in texts[:REQUESTS]:
                ask(text)
        memory = server.memory_mb()
    return {"rss_mb": memory["rss"], "pss_mb": memory["pss"], "ready_s": ready}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=servers.ROOT / "models")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    texts = messages.read_messages()
    runs = [measure(options.models, texts) for _ in range(options.repeats)]
    medians = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    missed = [f"{key} <= {limit}" for key, limit in BARS.items() if medians[key] > limit]
    result = {"repeats": options.repeats, "requests": REQUESTS, "precision": "f32"} | medians
    print(json.dumps(result | {"missed_bars": missed}, indent=1))
    rss, pss, ready = (medians[key] for key in ("rss_mb", "pss_mb", "ready_s"))
    print(f"\nresident {rss:.0f} MB, Pss {pss:.0f} MB, ready in {ready:.2f} s", file=sys.stderr)
    if missed:
        raise SystemExit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
