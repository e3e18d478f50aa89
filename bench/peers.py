"""An identity model behind Kefu, a real Triton (its core with a C++ backend of ours) and mosec.

    python bench/peers.py [--rounds 5] [--seconds 2]     after scripts/get-peers

Requests of the Open Inference Protocol in JSON from wrk over 64 connections; server and load on a core each. Triton waits
0 or 1 ms for company, the better counts. Requests per second of the server's CPU, and p99; medians of the rounds' ratios.
JSON on stdout, a table on stderr; fails if a bar is missed.
"""
import argparse
import contextlib
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import null
import servers
from load import post

PEERS = servers.ROOT / ".cache/peers"
BAR = 2.0
CONFIG = """name: "null"
backend: "identity"
max_batch_size: 32
input [ {{ name: "INPUT0" data_type: TYPE_FP32 dims: [ {values} ] }} ]
output [ {{ name: "OUTPUT0" data_type: TYPE_FP32 dims: [ {values} ] }} ]
dynamic_batching {{ max_queue_delay_microseconds: {delay} }}
instance_group [ {{ count: 1 kind: KIND_CPU }} ]
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def answering(url, probe):
    def wait(process):
        end = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < end:
            try:
                urllib.request.urlopen(url + probe, timeout=5).close()
                return url
            except urllib.error.HTTPError as error:
                if error.code < 500:
                    return url
                time.sleep(0.1)
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)  # nothing tells when it listens
        raise SystemExit(f"{url} does not answer")

    return wait


def triton(folder, delay):
    site = next((PEERS / "venv/lib").glob("python3*/site-packages"))
    model = folder / f"triton{delay}" / "null"
    (model / "1").mkdir(parents=True)
    (model / "config.pbtxt").write_text(CONFIG.format(values=null.VALUES, delay=delay))
    http = free_port()
    command = [*null.SERVER_CORE, site / "pytriton/tritonserver/bin/tritonserver", f"--model-repository={model.parent}",
               f"--backend-directory={PEERS / 'backends'}", "--http-address", "127.0.0.1", "--http-port", http,
               "--allow-grpc", "false", "--allow-metrics", "false", "--log-verbose", "0"]
    return servers.running(command, answering(f"http://127.0.0.1:{http}", "/v2/health/ready"), stderr=subprocess.DEVNULL,
                           env=os.environ | {"LD_LIBRARY_PATH": str(site / "nvidia_pytriton.libs")})


def mosec():
    port = free_port()
    command = [*null.SERVER_CORE, PEERS / "venv/bin/python", servers.ROOT / "bench/peers/mosec_identity.py", "--address",
               "127.0.0.1", "--port", port, "--log-level", "error"]
    return servers.running(command, answering(f"http://127.0.0.1:{port}", "/"), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    options = parser.parse_args()
    if not (PEERS / "backends").is_dir():
        raise SystemExit("the peers are missing: run scripts/get-peers")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        null.publish(folder, "null", null.PLAN)
        body = null.write_body(folder)
        running = {"kefu": stack.enter_context(servers.kefu(folder / "models", "models.load=null", "metrics.port=0",
                                                            prefix=null.SERVER_CORE)),
                   "triton 0 ms": stack.enter_context(triton(folder, 0)),
                   "triton 1 ms": stack.enter_context(triton(folder, 1000)), "mosec": stack.enter_context(mosec())}
        runs, names = {name: [] for name in running}, list(running)
        for number in range(options.rounds + 1):
            print(f"round {number} of {options.rounds}" if number else "warming up", file=sys.stderr)
            for name in names[number % 4:] + names[:number % 4]:
                path = "/inference" if name == "mosec" else null.PATH
                run = post(running[name], path, body, 64, options.seconds, null.LOAD_CORE)
                if number:
                    runs[name].append(run)
    medians = {name: {key: statistics.median(run[key] for run in of) for key in ("requests_per_s", "cpu_ms", "p50_ms", "p99_ms")}
               for name, of in runs.items()}
    best = min(("triton 0 ms", "triton 1 ms"), key=lambda name: medians[name]["cpu_ms"])
    ratios = {name: {"per_cpu_second": statistics.median(theirs["cpu_ms"] / ours["cpu_ms"] for ours, theirs in
                                                         zip(runs["kefu"], runs[name])),
                     "p99": statistics.median(ours["p99_ms"] / theirs["p99_ms"] for ours, theirs in
                                              zip(runs["kefu"], runs[name]))} for name in (best, "mosec")}
    print(json.dumps({"servers": medians, "kefu_to": ratios, "bar": BAR}, indent=1))
    print(f"\n{'64 connections':16}{'req/s':>10}{'CPU us':>10}{'p50 ms':>10}{'p99 ms':>10}", file=sys.stderr)
    for name, row in medians.items():
        print(f"{name:16}{row['requests_per_s']:10.0f}{1000 * row['cpu_ms']:10.1f}{row['p50_ms']:10.2f}{row['p99_ms']:10.2f}",
              file=sys.stderr)
    for name, ratio in ratios.items():
        print(f"kefu / {name}: {ratio['per_cpu_second']:.2f} per CPU second (bar {BAR}), p99 {ratio['p99']:.2f}", file=sys.stderr)
    if any(ratio["per_cpu_second"] < BAR or ratio["p99"] >= 1 for ratio in ratios.values()):
        sys.exit("missed")


if __name__ == "__main__":
    main()
