"""What a request costs beside the model: a null model against bare servers that answer the same bodies.

    python bench/null.py [--rounds 5] [--seconds 2]

The servers are `kefu serve` with an identity model of the fake engine, and two of ours that only read a request and
write a fixed answer (bench/peers/bare_http.cc on Boost.Beast, bare_grpc.cc on gRPC's callbacks). Each is pinned to
one core, the load to another: wrk over HTTP, `kefu bench` over gRPC. Requests per second of the server's CPU, and
the median latency over one connection; medians over interleaved rounds. Prints JSON on stdout, a table on stderr;
fails if a bar is missed.
"""
import argparse
import contextlib
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import requests

import servers
from load import post

ROOT = servers.ROOT
SERVER_CORE, LOAD_CORE = ["taskset", "-c", "0"], ["taskset", "-c", "1"]
VALUES = 4
PATH = "/v2/models/null/infer"
PLAN = {"operation": "identity", "inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [-1, VALUES]}],
        "outputs": [{"name": "OUTPUT0", "datatype": "FP32", "shape": [-1, VALUES]}]}
TEXT_PLAN = {"operation": "identity", "inputs": [{"name": "text", "datatype": "BYTES", "shape": [-1, 1]}],
             "outputs": [{"name": "OUTPUT0", "datatype": "BYTES", "shape": [-1, 1]}]}
TEXT = "where is my order A7-1, it should have been here on Monday"
BARS = {"http": 0.70, "grpc": 0.75}
ADDED_MS = 0.2


def publish(folder, name, plan):
    file = folder / f"{name}.json"
    file.write_text(json.dumps(plan))
    subprocess.run([servers.KEFU, "model", "import", name, file, "--engine", "fake", "--set",
                    f"models.repository={folder}/models"], check=True, stdout=subprocess.DEVNULL)


def write_body(folder):
    file = folder / "body.json"
    file.write_text(json.dumps({"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [1, VALUES],
                                            "data": [i / 4 for i in range(VALUES)]}]}))
    return file


def save_answers(kefu, folder):
    """What Kefu answers, for the bare servers."""
    import grpc  # of the wheels of the tests
    from tritonclient.grpc import service_pb2, service_pb2_grpc
    reply = requests.post(kefu.url + PATH, data=(folder / "body.json").read_bytes(), timeout=9)
    reply.raise_for_status()
    (folder / "answer.json").write_bytes(reply.content)
    with grpc.insecure_channel(kefu.process.grpc.removeprefix("grpc://")) as channel:
        request = service_pb2.ModelInferRequest(model_name="text")
        request.inputs.add(name="text", datatype="BYTES", shape=[1, 1]).contents.bytes_contents.append(TEXT.encode())
        answer = service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer(request, timeout=9)
        (folder / "answer.pb").write_bytes(answer.SerializeToString())


def call(server, folder, connections, seconds):
    """Load over gRPC, in the shape of load.wrk()."""
    cpu = server.cpu_seconds()
    subprocess.run([*LOAD_CORE, servers.KEFU, "bench", server.process.grpc, "--texts", folder / "texts.txt", "--model",
                    "text", "--connections", str(connections), "--duration", str(seconds), "--warmup", "0", "--json",
                    folder / "grpc.json"], check=True, stdout=subprocess.DEVNULL)
    cpu = server.cpu_seconds() - cpu
    report = json.loads((folder / "grpc.json").read_text())
    if report["outcomes"].keys() != {"OK"}:
        raise SystemExit(f"{server.process.grpc} answered {report['outcomes']}")
    server.settle()
    return {"requests_per_s": report["achieved_rate"], "cpu_ms": 1000 * cpu / report["requests"],
            "p50_ms": report["service_ms"]["p50"], "p99_ms": report["service_ms"]["p99"]}


def measure(running, folder, rounds, seconds):
    runs = {}
    for number in range(rounds + 1):
        print(f"round {number} of {rounds}" if number else "warming up", file=sys.stderr)
        for interface, pair in running.items():
            for connections in (64, 1):
                for name in sorted(pair, reverse=number % 2 == 1):
                    server = pair[name]
                    run = (call(server, folder, connections, seconds) if interface == "grpc" else
                           post(server, PATH, folder / "body.json", connections, seconds, LOAD_CORE))
                    if number:
                        runs.setdefault((interface, connections, name), []).append(run)
    return runs


def summarize(runs):
    result = {}
    for interface, bar in BARS.items():
        kefu, bare = runs[interface, 64, "kefu"], runs[interface, 64, "bare"]
        added = statistics.median(a["p50_ms"] - b["p50_ms"] for a, b in
                                  zip(runs[interface, 1, "kefu"], runs[interface, 1, "bare"]))
        share = statistics.median(b["cpu_ms"] / a["cpu_ms"] for a, b in zip(kefu, bare))
        result[interface] = {
            "of_bare_per_cpu_second": share, "bar": bar, "added_p50_ms": added, "added_bar_ms": ADDED_MS,
            "met": share >= bar and added <= ADDED_MS,
            "servers": {name: {key: statistics.median(run[key] for run in of) for key in of[0] if key in (
                "requests_per_s", "cpu_ms", "p50_ms", "p99_ms")} for name, of in (("kefu", kefu), ("bare", bare))}}
    return result


def table(result):
    for interface, part in result.items():
        print(f"\n{interface:26}{'req/s':>10}{'CPU us':>10}{'p50 ms':>10}{'p99 ms':>10}", file=sys.stderr)
        for name, row in part["servers"].items():
            print(f"{name:26}{row['requests_per_s']:10.0f}{1000 * row['cpu_ms']:10.1f}{row['p50_ms']:10.3f}{row['p99_ms']:10.3f}",
                  file=sys.stderr)
        print(f"of the bare server per CPU second {part['of_bare_per_cpu_second']:.2f} (bar {part['bar']}), added at one "
              f"connection {part['added_p50_ms']:.3f} ms (bar {part['added_bar_ms']})", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    options = parser.parse_args()
    peers = ROOT / "build/release"
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name, plan in (("null", PLAN), ("text", TEXT_PLAN)):
            publish(folder, name, plan)
        write_body(folder)
        (folder / "texts.txt").write_text(TEXT + "\n")
        kefu = stack.enter_context(servers.kefu(folder / "models", "models.load=null,text", "metrics.port=0",
                                                prefix=SERVER_CORE))
        save_answers(kefu, folder)
        bare = {interface: stack.enter_context(servers.running(
            [*SERVER_CORE, peers / program, "0", folder / answer], servers.printed_url, stdout=subprocess.PIPE))
            for interface, program, answer in (("http", "bare_http", "answer.json"), ("grpc", "bare_grpc", "answer.pb"))}
        running = {interface: {"kefu": kefu, "bare": server} for interface, server in bare.items()}
        result = summarize(measure(running, folder, options.rounds, options.seconds))
    print(json.dumps(result, indent=1))
    table(result)
    return 0 if all(part["met"] for part in result.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
