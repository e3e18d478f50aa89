"""What watching costs: the null model with metrics scraped each second, and traces on, against the same server without.

    python bench/overhead.py [--rounds 7] [--seconds 2]

CPU of a request and p99 over 64 connections, server and load on a core each (see null.py). The collector takes traces and
throws them away. Medians of the rounds' ratios; JSON on stdout; fails if a bar is missed.
"""
import argparse
import contextlib
import http.server
import json
import pathlib
import statistics
import sys
import tempfile
import threading
import urllib.request

import null
import servers
from load import post

BAR = 1.02


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


def scraped(server, act):
    """Runs `act` while the server's metrics are read each second, if it has any."""
    ending = threading.Event()

    def scrape():
        while server.process.metrics and not ending.wait(1):
            urllib.request.urlopen(server.process.metrics, timeout=9).read()

    thread = threading.Thread(target=scrape)
    thread.start()
    try:
        return act()
    finally:
        ending.set()
        thread.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    options = parser.parse_args()
    collector = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    traces = f"tracing.otlp_endpoint=http://127.0.0.1:{collector.server_port}/v1/traces"
    variants = {"off": ["metrics.enabled=false"], "metrics": ["metrics.port=0"],
                "metrics and traces": ["metrics.port=0", traces]}
    runs = {name: [] for name in variants}
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        null.publish(folder, "null", null.PLAN)
        body = null.write_body(folder)
        running = {name: stack.enter_context(servers.kefu(folder / "models", "models.load=null", *settings,
                                                          prefix=null.SERVER_CORE)) for name, settings in variants.items()}
        names = list(running)
        for number in range(options.rounds + 1):
            for name in names[number % 3:] + names[:number % 3]:
                run = scraped(running[name], lambda: post(running[name], null.PATH, body, 64, options.seconds, null.LOAD_CORE))
                if number:
                    runs[name].append(run)
    ratios = {name: {key: statistics.median(a[key] / b[key] for a, b in zip(of, runs["off"])) for key in ("cpu_ms", "p99_ms")}
              for name, of in runs.items() if name != "off"}
    result = {"cpu_us": {name: 1000 * statistics.median(run["cpu_ms"] for run in of) for name, of in runs.items()},
              "to_off": ratios, "bar": BAR}
    print(json.dumps(result, indent=1))
    missed = [name for name, of in ratios.items() if max(of.values()) > BAR]
    if missed:
        sys.exit(f"missed: {', '.join(missed)} cost more than {BAR}")


if __name__ == "__main__":
    main()
