"""A long run of mixed requests, good and bad, against `kefu serve`.

    python bench/soak.py [--models models] [--minutes 30] [--connections 16] [--growth-mb 32]

Every connection sends real messages of all languages, long texts, empty texts, and requests that must be
refused. Fails on a request without an answer, on any status but the expected one (so on every 5xx), and if
resident memory at the end exceeds that after the warm-up by more than --growth-mb. Prints JSON on stdout.
"""
import argparse
import collections
import http.client
import json
import pathlib
import random
import sys
import threading
import time
import urllib.parse

import messages
import servers

PARSE = "/model/parse"
WARM_UP_SHARE = 0.2  # of the run; by then every shape of batch has been seen


def body(text):
    return json.dumps({"text": text}, ensure_ascii=False).encode()


# (method, path, body, expected status)
BAD = [("POST", PARSE, b"", 400), ("POST", PARSE, b'{"text": 3}', 400),
       ("POST", PARSE, b'{"text": "\xff"}', 400), ("POST", PARSE, b"[" * 1000, 400),
       ("POST", PARSE, body("a" * 40_000), 400), ("POST", PARSE, body("a" * (3 << 20)), 413),
       ("POST", PARSE + "?model=none", body("hello"), 404), ("GET", PARSE, None, 405), ("GET", "/nowhere", None, 404)]
ODD = [("POST", PARSE, body(""), 200), ("POST", PARSE, body("🙂"), 200), ("GET", "/health/ready", None, 200),
       ("GET", "/openapi.json", None, 200), ("GET", "/", None, 200)]


def mixed_requests(texts, seed):
    """Endless; mostly messages, one in ten odd or bad, one in a hundred a long text."""
    chance = random.Random(seed)
    while True:
        draw = chance.random()
        if draw < 0.05:
            yield chance.choice(BAD)
        elif draw < 0.10:
            yield chance.choice(ODD)
        elif draw < 0.11:
            yield "POST", PARSE, body(" ".join(chance.sample(texts, 60))), 200
        else:
            yield "POST", PARSE, body(chance.choice(texts)), 200


class Client(threading.Thread):
    """One connection, opened again whenever the server closes it after a refusal."""

    def __init__(self, url, requests, until, stop):
        super().__init__()
        self.address = urllib.parse.urlsplit(url)
        self.requests, self.until, self.halt = requests, until, stop
        self.statuses = collections.Counter()
        self.problem = None

    def run(self):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=120)
        while time.monotonic() < self.until and not self.halt.is_set():
            method, path, content, expected = next(self.requests)
            shown = f"{method} {path} {content and content[:100]!r}"
            try:
                connection.request(method, path, content, {"Content-Type": "application/json"})
                reply = connection.getresponse()
                reply.read()
            except (OSError, http.client.HTTPException) as error:
                self.problem = f"{shown}: no answer, {error!r}"
            else:
                self.statuses[reply.status] += 1
                if reply.status != expected:
                    self.problem = f"{shown}: {reply.status}, expected {expected}"
            if self.problem:
                self.halt.set()
        connection.close()


def soak(server, texts, minutes, connections):
    """Drives the server; (requests by status, problems, resident MB after the warm-up, at the end)."""
    stop = threading.Event()
    start = time.monotonic()
    clients = [Client(server.url, mixed_requests(texts, seed), start + 60 * minutes, stop)
               for seed in range(connections)]
    for client in clients:
        client.start()
    try:
        stop.wait(60 * minutes * WARM_UP_SHARE)
        warm = server.memory_mb()["rss"]
    finally:
        for client in clients:
            client.join()
    statuses = sum((client.statuses for client in clients), collections.Counter())
    return statuses, [client.problem for client in clients if client.problem], warm, server.memory_mb()["rss"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, default=servers.ROOT / "models")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--growth-mb", type=float, default=32)
    options = parser.parse_args()
    with servers.kefu(options.models) as server:
        texts = messages.read_messages()
        statuses, problems, warm, end = soak(server, texts, options.minutes, options.connections)
        if end - warm > options.growth_mb:
            problems.append(f"resident memory grew from {warm:.0f} to {end:.0f} MB")
    print(json.dumps({"minutes": options.minutes, "requests": statuses.total(),
                      "statuses": dict(sorted(statuses.items())), "rss_mb": {"warm": warm, "end": end},
                      "problems": problems}, indent=1))
    print(f"\n{statuses.total()} requests in {options.minutes:g} minutes, resident {warm:.0f} -> {end:.0f} MB",
          file=sys.stderr)
    if problems:
        raise SystemExit("failed: " + "; ".join(problems))


if __name__ == "__main__":
    main()
