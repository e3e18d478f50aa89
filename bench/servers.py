"""Starts the servers to measure, asks the kernel what they cost, and stops them whatever happens."""
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEFU = os.environ.get("KEFU", str(ROOT / "bin/kefu"))
FULL_GRAPH = ROOT / ".cache/bench/e5-small/full.onnx"
TICKS = os.sysconf("SC_CLK_TCK")

# By default SIGTERM ends Python at once, and the servers would go on; as an exception it stops them on its way.
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


class Server:
    """A process group that listens at `url`."""

    def __init__(self, process, url):
        self.process = process
        self.url = url

    def pids(self):
        """The process and its children."""
        pid = self.process.pid
        return [pid, *map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]

    def cpu_seconds(self):
        """User and system time of all its processes so far."""
        stats = (pathlib.Path(f"/proc/{pid}/stat").read_text() for pid in self.pids())
        fields = [stat.rpartition(") ")[2].split() for stat in stats]
        return sum(int(f[11]) + int(f[12]) for f in fields) / TICKS

    def settle(self):
        """Waits until it computes nothing: what a load left in its queues must not cost the next one."""
        before, now = -1.0, self.cpu_seconds()
        while now - before > 0.01:
            time.sleep(0.25)
            before, now = now, self.cpu_seconds()

    def memory_mb(self):
        """{"rss": ..., "pss": ...} of all its processes, in 10^6 bytes."""
        totals = {"rss": 0, "pss": 0}
        for pid in self.pids():
            rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            for name in totals:
                totals[name] += int(re.search(rf"^{name}:\s+(\d+)", rollup, re.M | re.I).group(1)) * 1024 / 1e6
        return totals

    @contextlib.contextmanager
    def session(self):
        """A function that asks about a text over one connection and returns the reply."""
        address = urllib.parse.urlsplit(self.url)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)

        def ask(text):
            connection.request("POST", "/model/parse", json.dumps({"text": text}),
                               {"Content-Type": "application/json"})
            reply = connection.getresponse()
            body = reply.read()
            if reply.status != 200:
                raise SystemExit(f"{self.url} answered {reply.status} to {text!r}: {body[:200]!r}")
            return json.loads(body)

        with contextlib.closing(connection):
            yield ask

    def stop(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise


@contextlib.contextmanager
def running(command, find_url, **options):
    """A server for the length of a `with`; find_url(process) returns once it answers."""
    process = subprocess.Popen(list(map(str, command)), cwd=ROOT, text=True, start_new_session=True,
                               **options)
    server = Server(process, "")
    try:
        server.url = find_url(process)
        yield server
    finally:
        server.stop()


def printed_url(process):
    line = process.stdout.readline()
    found = re.search(r"http://\S+", line)
    if not found:
        raise SystemExit(f"the server printed no address: {line!r}")
    grpc = re.search(r"grpc://\S+", line)
    metrics = re.search(r"metrics (http://\S+)", line)
    process.metrics = metrics.group(1) if metrics else None
    process.grpc = grpc.group() if grpc else found.group().replace("http:", "grpc:")
    return found.group().rstrip("/")


def kefu(models, *settings, prefix=()):
    """`kefu serve` in FP32 with what a user sets."""
    if not pathlib.Path(KEFU).is_file():
        raise SystemExit(f"there is no {KEFU}: run make build, or name the binary in KEFU")
    assignments = [f"models.repository={pathlib.Path(models).absolute()}", "http.port=0", "grpc.port=0", "shutdown.delay_ms=0", "log.level=warn",
                   "engine.precision=f32", *settings]
    command = [*prefix, KEFU, "serve"] + [word for assignment in assignments for word in ("--set", assignment)]
    return running(command, printed_url, stdout=subprocess.PIPE)


def python(package, workers, threads):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"

    def answering(process):
        while process.poll() is None:
            try:
                urllib.request.urlopen(url + "/health/ready", timeout=30).close()
                return url
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)  # nothing tells when uvicorn's workers listen
        raise SystemExit(f"bench/python_service.py ended with {process.returncode}; its words are above")

    command = [sys.executable, ROOT / "bench/python_service.py", "--package", package, "--graph", FULL_GRAPH,
               "--workers", workers, "--threads", threads, "--port", port]
    return running(command, answering)


def newest_package(models):
    """The folder of the default model's newest version."""
    folders = (pathlib.Path(models).absolute() / "default").glob("[0-9]*")
    versions = sorted(folders, key=lambda folder: int(folder.name))
    if not versions:
        raise SystemExit(f"there is no model `default` in {models}: train one with kefu train")
    return versions[-1]
