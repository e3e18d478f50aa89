"""The real binary over real sockets: a small model trained once, one server for the session."""
import os
import pathlib
import re
import subprocess
import time

import pytest
import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEFU = os.environ.get("KEFU", str(ROOT / "build/release/kefu"))



def pytest_configure(config):
    config.addinivalue_line("markers", "case(*ids): shows these cases of docs/cases.md (pace.py)")


@pytest.fixture(autouse=True)
def name_cases(request, record_property):
    """The report of a run holds the ids of a test's cases."""
    for mark in request.node.iter_markers("case"):
        for identifier in mark.args:
            record_property("case", identifier)


EXAMPLES = {
    "greet": ["hello", "good morning", "hi there", "hey you"],
    "order_status": ["where is my order [A7-1](order_id)", "track parcel [B2-22](order_id) please",
                     "has [C9-313](order_id) been shipped", "my order has not arrived yet"],
    "refund_status": ["when do I get my money back", "the refund is not there", "still waiting for my refund",
                      "how long does a refund take"],
}


def kefu(*arguments, **options):
    return subprocess.run([KEFU, *arguments], cwd=ROOT, text=True, capture_output=True, timeout=240, **options)


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """A domain folder with the texts of EXAMPLES."""
    domain = tmp_path_factory.mktemp("shop")
    (domain / "nlu").mkdir()
    lines = ['version: "3.1"', "nlu:"]
    for intent, texts in EXAMPLES.items():
        lines += [f"- intent: {intent}", "  examples: |"] + [f"    - {text}" for text in texts]
    (domain / "nlu" / "en.yml").write_text("\n".join(lines) + "\n")
    return domain


@pytest.fixture(scope="session")
def repository(shop, tmp_path_factory):
    """A repository with the model `default`, trained from EXAMPLES."""
    models = tmp_path_factory.mktemp("models")
    done = kefu("train", str(shop), "--folds", "2", "--set", f"models.repository={models}")
    assert done.returncode == 0, done.stderr
    return models


class Server:
    """A running `kefu serve`; stopped at the end of the `with`, when its exit code must be 0."""

    def __init__(self, repository, *settings):
        assignments = [f"models.repository={repository}", "http.port=0", "grpc.port=0", "metrics.port=0", "log.level=warn",
                       "shutdown.delay_ms=0", *settings]
        self.process = subprocess.Popen([KEFU, "serve"] + [word for a in assignments for word in ("--set", a)],
                                        cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline()
        address = re.search(r"https?://\S+", line)
        assert address, line + self.process.stderr.read()
        self.url = address.group().rstrip("/")
        grpc = re.search(r"grpcs?://(\S+)", line)
        self.grpc = grpc.group(1) if grpc else None
        metrics = re.search(r"metrics (https?://\S+)", line)
        self.metrics = metrics.group(1) if metrics else None
        self.verify = True  # of the port of metrics: or the file with who signed its certificate

    def metric(self, name, **labels):
        """The sum of a metric's samples that have these labels; None if there is none."""
        wanted = {f'{key}="{value}"' for key, value in labels.items()}
        found = [float(value) for sample, given, value in
                 re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", requests.get(self.metrics, timeout=10, verify=self.verify).text, re.MULTILINE)
                 if sample == name and wanted <= set(given.split(","))]
        return sum(found) if found else None

    def await_metric(self, value, name, **labels):
        """Asks until the metric has the value."""
        end = time.monotonic() + 20
        while (seen := self.metric(name, **labels)) != value:
            assert time.monotonic() < end, f"{name} {labels} is {seen}, not {value}"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.terminate()
        assert self.process.wait(timeout=30) == 0


@pytest.fixture(scope="session")
def server(repository):
    """The address of a running server."""
    with Server(repository) as running:
        yield running.url
