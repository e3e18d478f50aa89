"""`kefu bench` against the real server, over HTTP and gRPC."""
import html.parser
import json
import socket

import pytest

import tensor_models
from conftest import Server, kefu

TEXTS = ["where is my order A7-1", "查询我的套餐剩余流量", "hi", 'a "quoted" one\tand a tab', "when do I get my money back"]
SHORT = ["--duration", "0.5", "--warmup", "0.2", "--connections", "8"]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    file = tmp_path_factory.mktemp("texts") / "texts.txt"
    file.write_text("\n".join(TEXTS) + "\n\n", encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def echo(tmp_path_factory):
    """A server of models of the fake engine that take a text; `slow` answers at most 200 requests a second."""
    models, plans = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("plans")
    plan = tensor_models.identity("BYTES", shape=(-1, 1))
    plan["inputs"][0]["name"] = "text"
    tensor_models.publish(models, plans, "default", plan)
    tensor_models.publish(models, plans, "slow", {**plan, "delay_us": 5000})
    with Server(models, "batching.max_batch=1") as server:
        yield server


def measure(folder, *arguments):
    done = kefu("bench", *arguments, "--json", str(folder / "report.json"), "--html", str(folder / "report.html"))
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads((folder / "report.json").read_text(encoding="utf-8"))


class Page(html.parser.HTMLParser):
    """What a page consists of, and whether its elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.addresses = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("arrivals", ["constant", "poisson"])
def test_parse(server, texts, tmp_path, arrivals):
    table, report = measure(tmp_path, server, "--texts", str(texts), "--rate", "40", "--arrivals", arrivals, *SHORT)
    assert report["request"] == "POST /model/parse"
    assert report["plan"] == {"loop": "open", "rate": 40, "arrivals": arrivals, "connections": 8, "duration_s": 0.5,
                              "warmup_s": 0.2, "timeout_ms": 10000, "seed": 1}
    assert report["outcomes"] == {"200": report["requests"]} and report["error_share"] == 0
    assert report["requests"] == 20 if arrivals == "constant" else 5 <= report["requests"] <= 40
    latency = report["latency_ms"]
    assert latency["count"] == report["requests"]
    assert 0 < latency["p50"] <= latency["p90"] <= latency["p95"] <= latency["p99"] <= latency["p99.9"] <= latency["max"]
    assert report["service_ms"]["p50"] <= latency["p50"]
    assert report["text_bytes"]["count"] == len(TEXTS)
    assert report["text_bytes"]["max"] == max(len(text.encode()) for text in TEXTS)
    assert report["bytes"]["received"] > report["bytes"]["sent"] > 0
    assert len(report["seconds"]) == 1
    for part in ("latency", "service", "late", "p99.9", "requests/s", f"200: {report['requests']}"):
        assert part in table


def test_page_is_whole_and_loads_nothing(echo, texts, tmp_path):
    measure(tmp_path, echo.url, "--texts", str(texts), "--route", "infer", "--rate", "100", *SHORT)
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert page.tags.count("svg") == 3 and page.tags.count("polyline") == 4
    assert "script" not in page.tags and "link" not in page.tags and not page.addresses


def test_infer_over_http_and_grpc(echo, texts, tmp_path):
    for url, route, success in ((echo.url, ["--route", "infer"], "200"), (f"grpc://{echo.grpc}", [], "OK")):
        _, report = measure(tmp_path, url, *route, "--texts", str(texts), "--rate", "200", *SHORT)
        assert report["outcomes"] == {success: 100}
        assert report["latency_ms"]["count"] == 100


def test_closed_loop(echo, texts, tmp_path):
    for url, route in ((echo.url, ["--route", "infer"]), (f"grpc://{echo.grpc}", [])):
        table, report = measure(tmp_path, url, *route, "--texts", str(texts), "--model", "slow", "--connections", "4",
                                "--duration", "0.5", "--warmup", "0.1")
        assert report["plan"]["loop"] == "closed" and "closed loop, 4 connections" in table
        assert "intended_rate" not in report
        assert 0 < report["achieved_rate"] <= 202  # a run takes 5 ms, and no two run at once
        assert report["latency_ms"]["p50"] >= 15


def test_fixed_body(echo, tmp_path):
    body = tmp_path / "body.json"
    body.write_text('{"inputs": [{"name": "text", "datatype": "BYTES", "shape": [1, 1], "data": ["x"]}]}')
    _, report = measure(tmp_path, echo.url, "--body", str(body), "--path", "/v2/models/default/infer", "--rate", "100",
                        *SHORT)
    assert report["outcomes"] == {"200": 50} and "text_bytes" not in report


def test_refusals_are_counted_by_status(echo, texts, tmp_path):
    for url, route, refusal in ((echo.url, ["--route", "infer"], "404"), (f"grpc://{echo.grpc}", [], "NOT_FOUND")):
        table, report = measure(tmp_path, url, *route, "--texts", str(texts), "--model", "absent", "--rate", "100",
                                *SHORT)
        assert report["outcomes"] == {refusal: 50} and report["error_share"] == 1
        assert report["latency_ms"]["p99"] is None
        assert "warning: No request succeeded" in table


def test_requests_that_take_too_long(echo, texts, tmp_path):
    """More than `slow` can answer: what waits longer than the timeout is given up, and its wait counts."""
    for url, route in ((echo.url, ["--route", "infer"]), (f"grpc://{echo.grpc}", [])):
        _, report = measure(tmp_path, url, *route, "--texts", str(texts), "--model", "slow", "--rate", "1000",
                            "--timeout-ms", "100", "--duration", "0.5", "--warmup", "0", "--connections", "64")
        assert report["requests"] == 500 and report["outcomes"]["timeout"] > 0
        assert report["latency_ms"]["max"] >= 100 and report["error_share"] > 0.5


def test_find_max(echo, texts, tmp_path):
    table, report = measure(tmp_path, echo.url, "--route", "infer", "--texts", str(texts), "--model", "slow",
                            "--find-max", "--p99-ms", "60", "--rate", "64", "--timeout-ms", "200", "--duration", "0.6",
                            "--warmup", "0.2")
    found = report["max"]
    assert 20 < found["rate"] < 260  # it can answer 200 a second; 60 ms of a queue let a short probe do more
    assert report["plan"]["rate"] == found["rate"] == found["probes"][-1]["rate"]
    assert [probe["passed"] for probe in found["probes"] if probe["rate"] == found["rate"]][-1]
    assert any(not probe["passed"] for probe in found["probes"])
    assert report["latency_ms"]["p99"] <= 60
    assert f"highest rate with p99 <= 60 ms: {found['rate']:.1f} requests/s" in table


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_no_server(texts):
    for scheme in ("http", "grpc"):
        done = kefu("bench", f"{scheme}://127.0.0.1:{free_port()}", "--texts", str(texts), "--rate", "10")
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr.startswith("kefu: ") and done.stderr.count("\n") == 1
        assert "start " in done.stderr and "127.0.0.1" in done.stderr


@pytest.mark.parametrize("arguments, complaint", [
    (["localhost:80", "--texts", "TEXTS", "--rate", "1"], "write http://HOST:PORT or grpc://HOST:PORT"),
    (["http://a:1", "--texts", "TEXTS", "--rate", "0"], "--rate is 0; it must be 0.001 to 1000000"),
    (["http://a:1", "--texts", "TEXTS"], "how much load?"),
    (["http://a:1", "--texts", "TEXTS", "--find-max", "--p99-ms", "18", "--connections", "4"], "is a closed loop"),
    (["http://a:1", "--texts", "TEXTS", "--find-max"], "--find-max and --p99-ms belong together"),
    (["http://a:1", "--rate", "1"], "give either --texts"),
    (["http://a:1", "--texts", "EMPTY", "--rate", "1"], "has no texts; write one message a line"),
    (["http://a:1", "--texts", "LATIN1", "--rate", "1"], ":2: the line is not UTF-8"),
    (["http://a:1", "--texts", "/nowhere", "--rate", "1"], "/nowhere"),
    (["http://a:1", "--body", "LATIN1", "--path", "/p", "--rate", "1"], "is not valid JSON"),
    (["http://a:1", "--texts", "TEXTS", "--rate", "1", "--model", "a/b"], "--model \"a/b\""),
    (["grpc://a:1", "--texts", "TEXTS", "--rate", "1", "--route", "parse"], "over HTTP only"),
    (["http://nowhere.invalid:1", "--texts", "TEXTS", "--rate", "1"], "the host \"nowhere.invalid\" is not known")])
def test_errors_say_what_to_do(texts, tmp_path, arguments, complaint):
    (tmp_path / "empty.txt").write_text("\n\n")
    (tmp_path / "latin1.txt").write_bytes("a\ncaf\xe9\n".encode("latin-1"))
    files = {"TEXTS": str(texts), "EMPTY": str(tmp_path / "empty.txt"), "LATIN1": str(tmp_path / "latin1.txt")}
    done = kefu("bench", *[files.get(word, word) for word in arguments])
    assert done.returncode == 1 and done.stdout == ""
    assert complaint in done.stderr and done.stderr.count("\n") == 1, done.stderr
