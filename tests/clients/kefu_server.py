"""`kefu serve` over a repository of the fake engine's models that public examples ask for."""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEFU = os.environ.get("KEFU", str(ROOT / "build/release/kefu"))
TRITON_PORTS = 8000, 8001
STOP_S = 30

# By default SIGTERM ends Python at once, and the server would go on; as an exception it stops it on its way.
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
sys.path.insert(0, str(ROOT / "tests/functional"))
from fake_plans import add_sub, identity  # noqa: E402

MODELS = {"simple": add_sub(), "simple_string": add_sub("BYTES"), "simple_int8": add_sub("INT8"),
          "simple_identity": identity("BYTES"), "custom_identity_int32": identity(),
          "simple_fp32": add_sub("FP32"), "identity_fp32": identity("FP32"), "identity_int64": identity("INT64")}


def publish(repository, count):
    """Imports the first `count` of MODELS."""
    with tempfile.TemporaryDirectory() as folder:
        for name, plan in list(MODELS.items())[:count]:
            file = pathlib.Path(folder) / f"{name}.json"
            file.write_text(json.dumps(plan))
            subprocess.run([KEFU, "model", "import", name, file, "--engine", "fake", "--set",
                            f"models.repository={repository}"], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def are_free(ports):
    for port in ports:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return False
    return True


@contextlib.contextmanager
def serving(arguments=(), models=len(MODELS), http_port=0, grpc_port=0):
    """Yields ("host:port" of HTTP, "host:port" of gRPC); both take orders. At the end it must stop with status 0."""
    with tempfile.TemporaryDirectory() as repository:
        publish(repository, models)
        settings = [f"models.repository={repository}", f"http.port={http_port}", f"grpc.port={grpc_port}",
                    "metrics.port=0", "models.load=all", "models.default=simple",
                    "log.level=warn", "shutdown.delay_ms=0"]
        words = [word for setting in settings for word in ("--set", setting)]
        process = subprocess.Popen([KEFU, "serve", "--preset", "triton", *words, *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE)
        try:
            line = process.stdout.readline()
            http, grpc = re.search(r"http://([^\s/]+)", line), re.search(r"grpc://([^\s/,]+)", line)
            if not http or not grpc:
                raise RuntimeError(f"kefu serve did not start; it said: {line!r}")
            yield http.group(1), grpc.group(1)
        finally:
            process.terminate()
            if process.wait(timeout=STOP_S) != 0:
                raise RuntimeError(f"kefu serve ended with status {process.returncode}")
