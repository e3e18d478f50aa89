import json
import pathlib
import re

import pytest
import requests

from conftest import Server


def parse(server, **options):
    return requests.post(server + "/model/parse", timeout=30, **options)


def test_parse_has_rasas_shape_and_ours(server):
    reply = parse(server, json={"text": "where is my order Q5-77", "unknown": 1}).json()
    assert reply["intent"]["name"] == "order_status"
    assert reply["intent"]["confidence"] == pytest.approx(reply["intent_ranking"][0]["confidence"])
    assert sum(i["confidence"] for i in reply["intent_ranking"]) == pytest.approx(1, abs=1e-3)
    assert reply["language"]["code"] == "en"
    assert reply["model"] == {"name": "default", "version": "1"}
    assert set(reply["timings_ms"]) == {"tokenize", "queue", "infer", "heads", "total"}


@pytest.mark.parametrize("text", ["", "  ", "\u3000", "🙂"])
def test_nothing_to_read_is_the_fallback(server, text):
    reply = parse(server, json={"text": text})
    assert reply.status_code == 200
    assert reply.json()["intent"]["name"] == "nlu_fallback"


def test_long_text_is_read_in_windows(server):
    reply = parse(server, json={"text": "I am still waiting for my refund. " * 200}).json()
    assert reply["windows"] > 1 and reply["truncated"] is False
    assert reply["intent_ranking"][0]["name"] in ("refund_status", "nlu_fallback")


@pytest.mark.parametrize("body, status", [
    (b"", 400), (b"[1]", 400), (b'{"text": 3}', 400), (b"[" * 1000, 400), (b'{"text": "\xff"}', 400),
    (b'{"text": "' + b"a" * 40_000 + b'"}', 413), (b'{"text": "' + b"a" * (3 << 20) + b'"}', 413)])
def test_bad_bodies_are_refused(server, body, status):
    reply = parse(server, data=body, headers={"Content-Type": "application/json"})
    assert reply.status_code == status
    assert reply.json()["status"] == "failure"


def test_wrong_method_and_unknown_path(server):
    assert requests.get(server + "/model/parse", timeout=30).status_code == 405
    reply = requests.get(server + "/nowhere", timeout=30)
    assert reply.status_code == 404
    assert reply.headers["Content-Type"] == "application/problem+json"


def test_unknown_model_is_404(server):
    assert requests.post(server + "/model/parse?model=nope", json={"text": "hi"}, timeout=30).status_code == 404


def test_page_health_and_openapi(server):
    page = requests.get(server + "/", headers={"Accept": "text/html"}, timeout=30)
    assert "<html" in page.text.lower() and "http://" not in page.text.replace("http://www.w3.org", "")
    assert requests.get(server + "/health/ready", timeout=30).status_code == 200
    paths = json.loads(requests.get(server + "/openapi.json", timeout=30).text)["paths"]
    assert "/model/parse" in paths


def test_the_allocator_is_set_up_unless_somebody_did(repository, monkeypatch):
    def environment(server):  # glibc cuts its variable in pieces as it reads it
        return pathlib.Path(f"/proc/{server.process.pid}/environ").read_text().replace("\0", " ")

    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    with Server(repository) as server:  # the process that was started, with its arguments
        assert "GLIBC_TUNABLES=glibc.malloc.tcache_count=64 " in environment(server)
        assert pathlib.Path(f"/proc/{server.process.pid}/comm").read_text() == "kefu\n"
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=2")
    with Server(repository) as server:
        assert re.search("glibc.malloc.arena_max=2[: ]glibc.malloc.tcache_count=64 ", environment(server))
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=9")
    with Server(repository) as server:
        assert "tcache_count=64" not in environment(server)
