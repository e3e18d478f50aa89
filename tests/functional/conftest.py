"""The real binary over real sockets: a small model trained once, one server for the session."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEFU = os.environ.get("KEFU", str(ROOT / "build/release/kefu"))

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


@pytest.fixture(scope="session")
def server(repository):
    """The address of a running server."""
    process = subprocess.Popen([KEFU, "serve", "--set", f"models.repository={repository}", "--set", "http.port=0",
                                "--set", "log.level=warn"], cwd=ROOT, text=True, stdout=subprocess.PIPE)
    line = process.stdout.readline()
    address = re.search(r"http://\S+", line)
    assert address, line
    yield address.group().rstrip("/")
    process.terminate()
    assert process.wait(timeout=30) == 0
