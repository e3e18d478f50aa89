"""Traces: the caller's span comes back, spans reach a collector, a collector that is away harms nobody."""
import http.client
import http.server
import json
import socket
import threading
import time

import grpc
import pytest
import requests
from tritonclient.grpc import service_pb2, service_pb2_grpc

import tensor_models
from conftest import Server

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
BODY = {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [7]}]}


def traceparent(sampled=True):
    return f"00-{TRACE}-{PARENT}-{'01' if sampled else '00'}"


class Collector:
    """Takes OTLP over HTTP and keeps the spans; `status` is what it answers."""

    def __init__(self, status=200):
        self.spans, self.resources, self.status = [], [], status
        self.came = threading.Condition()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with outer.came:
                    if outer.status == 200:
                        for resource in body["resourceSpans"]:
                            outer.resources.append(resource["resource"])
                            outer.spans += resource["scopeSpans"][0]["spans"]
                    outer.came.notify_all()
                self.send_response(outer.status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def await_spans(self, count):
        with self.came:
            assert self.came.wait_for(lambda: len([s for s in self.spans if s["kind"] == 2]) >= count, 20), self.spans
            return list(self.spans)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    models, plans = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("plans")
    tensor_models.publish(models, plans, "slow", tensor_models.identity(delay_us=30_000))
    return models


def ask(server, model="slow", **headers):
    return requests.post(f"{server.url}/v2/models/{model}/infer", json=BODY, headers=headers, timeout=20)


def ask_grpc(server, model="slow", **metadata):
    """The status and the metadata after the answer."""
    request = service_pb2.ModelInferRequest(model_name=model)
    request.inputs.add(name="INPUT0", datatype="INT32", shape=[1, 1]).contents.int_contents.append(1)
    with grpc.insecure_channel(server.grpc) as channel:
        call = service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer.future(
            request, timeout=20, metadata=list(metadata.items()))
        return {"status": call.code().name, **dict(call.trailing_metadata())}


def attributes(span):
    """By key; numbers as the text that they are."""
    return {row["key"]: next(iter(row["value"].values())) for row in span["attributes"]}


def times(span):
    return int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])


def test_the_callers_trace_comes_back(models):
    with Server(models, "models.load=slow") as server:
        reply = ask(server, traceparent=traceparent())
        version, trace, span, flags = reply.headers["traceparent"].split("-")
        assert (version, trace, flags) == ("00", TRACE, "01") and span != PARENT and len(span) == 16
        assert "traceparent" not in ask(server).headers  # nobody asked for a trace
        assert ask_grpc(server, traceparent=traceparent())["traceparent"].split("-")[1] == TRACE


def test_refusals_are_in_the_trace_too(models):
    """Those that a model's endpoint makes; their line of the log names the trace."""
    with Server(models, "models.load=slow", "log.level=info", "log.format=json") as server:
        for path, body, media, status in (("/v2/models/slow/infer", "{", "application/json", 400),
                                          ("/v2/models/nothing/infer", json.dumps(BODY), "application/json", 404),
                                          ("/v2/models/slow/infer", "{}", "text/plain", 415),
                                          ("/model/parse", "{}", "text/plain", 415),
                                          ("/model/parse", "{}", "application/json", 400),
                                          ("/v1/embeddings", "{}", "application/json", 400)):
            reply = requests.post(server.url + path, data=body, timeout=20,
                                  headers={"Content-Type": media, "traceparent": traceparent(), "x-request-id": "r1"})
            assert reply.status_code == status
            assert reply.headers["traceparent"].split("-")[1] == TRACE and "x-total-time" in reply.headers
            assert "x-inference-time" not in reply.headers
        ask(server, traceparent=traceparent())
    lines = [line for line in map(json.loads, server.process.stderr) if line["event"] == "request"]
    assert [line.get("trace") for line in lines] == [TRACE] * 6 + [None]


def test_a_traceparent_that_is_not_valid_begins_a_trace(models):
    with Server(models, "models.load=slow") as server:
        for wrong in (traceparent().upper(), traceparent() + "-", traceparent().replace(PARENT, "0" * 16), "x"):
            version, trace, _, flags = ask(server, traceparent=wrong).headers["traceparent"].split("-")
            assert (version, flags) == ("00", "00") and trace not in (TRACE, "0" * 32)


def test_two_traceparents_begin_a_trace(models):
    """Over HTTP; Python's gRPC sends the last one only."""
    with Server(models, "models.load=slow") as server:
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=20)
        connection.putrequest("POST", "/v2/models/slow/infer")
        body = json.dumps(BODY).encode()
        for name, value in (("traceparent", traceparent()), ("Traceparent", traceparent()),
                            ("Content-Length", str(len(body)))):
            connection.putheader(name, value)
        connection.endheaders(body)
        reply = connection.getresponse()
        assert reply.status == 200 and reply.getheader("traceparent").split("-")[1] != TRACE


def test_times_in_the_headers(models, repository):
    with Server(models, "models.load=slow") as server:
        headers = ask(server).headers
        total, queue, inference = (int(headers[f"x-{name}-time"]) for name in ("total", "queue", "inference"))
        assert 30 <= inference < 2000 and total >= inference + queue + int(headers["x-tokenization-time"])
        assert "x-compute-tokens" not in headers
    with Server(repository) as server:
        parsed = requests.post(server.url + "/model/parse", json={"text": "where is my order"}, timeout=20)
        embedded = requests.post(server.url + "/v1/embeddings", json={"input": "where is my order"}, timeout=20)
        assert parsed.headers["x-compute-tokens"] == str(embedded.json()["usage"]["total_tokens"])
        assert embedded.headers["x-compute-tokens"] == parsed.headers["x-compute-tokens"]


def test_spans_reach_the_collector(models):
    with Collector() as collector:
        with Server(models, "models.load=slow", f"tracing.otlp_endpoint={collector.endpoint}",
                    "tracing.sample_percent=0", "tracing.service_name=shop") as server:
            before = time.time_ns()
            mine = ask(server, traceparent=traceparent()).headers["traceparent"].split("-")[2]
            assert ask(server, "nothing", traceparent=traceparent()).status_code == 404
            ask(server, traceparent=traceparent(sampled=False))
            ask(server)
            spans = collector.await_spans(2)
            after = time.time_ns()
            server.await_metric(2, "kefu_spans_exported_total")
        assert {row["key"]: row["value"]["stringValue"] for row in collector.resources[0]["attributes"]}[
            "service.name"] == "shop"
        good, bad = [span for span in spans if span["kind"] == 2]
        assert len(collector.await_spans(2)) == len(spans)  # neither the unsampled one nor that without a trace
        assert good["traceId"] == TRACE and good["parentSpanId"] == PARENT and good["spanId"] == mine
        assert attributes(good) == {"kefu.api": "v2", "kefu.model": "slow", "kefu.version": "1",
                                    "http.request.method": "POST", "http.route": "/v2/models/{model}/infer",
                                    "http.response.status_code": "200"}
        assert attributes(bad)["error.type"] == "NOT_FOUND" and "kefu.model" not in attributes(bad)
        begin, end = times(good)
        assert before <= begin < end <= after
        children = [span for span in spans if span.get("parentSpanId") == mine]
        assert [child["name"] for child in children] == ["tokenize", "queue", "compute_input", "compute_infer",
                                                         "compute_output", "postprocess"]
        at = begin
        for child in children:  # each begins where the last one ended
            assert child["traceId"] == TRACE and times(child)[0] == at
            at = times(child)[1]
        assert at == end
        infer = times(children[3])
        assert infer[1] - infer[0] >= 30e6


def test_spans_of_grpc(models):
    with Collector() as collector:
        with Server(models, "models.load=slow", f"tracing.otlp_endpoint={collector.endpoint}") as server:
            mine = ask_grpc(server, traceparent=traceparent())["traceparent"].split("-")[2]
            assert ask_grpc(server, "nothing", traceparent=traceparent())["status"] == "NOT_FOUND"
            ask_grpc(server, traceparent=traceparent(sampled=False))
            spans = collector.await_spans(2)
        assert len(collector.spans) == len(spans)
        good, bad = [span for span in spans if span["kind"] == 2]
        assert (good["traceId"], good["parentSpanId"], good["spanId"]) == (TRACE, PARENT, mine)
        assert attributes(good) == {"kefu.api": "v2", "kefu.model": "slow", "kefu.version": "1", "rpc.system": "grpc",
                                    "rpc.service": "inference.GRPCInferenceService", "rpc.method": "ModelInfer",
                                    "rpc.grpc.status_code": "0"}
        assert attributes(bad)["rpc.grpc.status_code"] == "5"
        at, end = times(good)
        for child in [span for span in spans if span.get("parentSpanId") == mine]:
            assert times(child)[0] == at
            at = times(child)[1]
        assert at == end


def test_tracestate_is_passed_on(models):
    state = "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"
    with Collector() as collector:
        with Server(models, "models.load=slow", f"tracing.otlp_endpoint={collector.endpoint}") as server:
            assert ask(server, traceparent=traceparent(), tracestate=state).headers["tracestate"] == state
            assert "tracestate" not in ask(server, traceparent=traceparent(), tracestate="a=" + "b" * 511).headers
            assert "tracestate" not in ask(server, tracestate=state).headers
            spans = collector.await_spans(2)
        assert [span.get("traceState") for span in spans if span["kind"] == 2] == [state, None]


def test_traces_begin_by_chance(models):
    with Collector() as collector, Server(models, "models.load=slow", "tracing.sample_percent=100",
                                          f"tracing.otlp_endpoint={collector.endpoint}") as server:
        seen = {ask(server).headers["traceparent"].split("-")[1] for _ in range(3)}
        spans = [span for span in collector.await_spans(3) if span["kind"] == 2]
        assert {span["traceId"] for span in spans} == seen and len(seen) == 3
        assert not any("parentSpanId" in span for span in spans)


def test_a_collector_that_is_away_harms_nobody(models):
    """It refuses for a while: nothing is lost; it is gone at the end: that is counted, and the exit is in time."""
    with Collector(status=503) as collector:
        with Server(models, "models.load=slow", "tracing.sample_percent=100",
                    f"tracing.otlp_endpoint={collector.endpoint}") as server:
            with collector.came:
                assert ask(server).status_code == 200
                assert collector.came.wait(20)
                collector.status = 200
            assert len([span for span in collector.await_spans(1) if span["kind"] == 2]) == 1
            server.await_metric(1, "kefu_spans_exported_total")
            assert server.metric("kefu_spans_dropped_total") == 0
            collector.status = 400
            assert ask(server).status_code == 200
            server.await_metric(1, "kefu_spans_dropped_total")
    began = time.monotonic()
    with Server(models, "models.load=slow", "tracing.sample_percent=100",
                f"tracing.otlp_endpoint={collector.endpoint}") as server:  # nobody listens there any more
        assert ask(server).status_code == 200
    assert time.monotonic() - began < 10


def test_the_end_comes_in_time_though_the_collector_hangs(models):
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        with Server(models, "models.load=slow", "tracing.sample_percent=100",
                    f"tracing.otlp_endpoint=http://127.0.0.1:{hanging.getsockname()[1]}/v1/traces") as server:
            assert ask(server).status_code == 200
            hanging.accept()  # the attempt has begun
            assert ask(server).status_code == 200
            began = time.monotonic()
        assert time.monotonic() - began < 5


def test_the_end_makes_one_more_attempt(models):
    """The collector refuses at first, and is back when the server ends while it waits to try again."""
    with Collector(status=503) as collector:
        with Server(models, "models.load=slow", "tracing.sample_percent=100",
                    f"tracing.otlp_endpoint={collector.endpoint}") as server:
            with collector.came:
                assert ask(server).status_code == 200
                assert collector.came.wait(20)
                collector.status = 200
            assert ask(server).status_code == 200
        assert len([span for span in collector.spans if span["kind"] == 2]) == 2


def test_an_endpoint_that_is_none_stops_the_start(models):
    done = tensor_models.kefu("serve", "--set", f"models.repository={models}", "--set", "models.load=slow", "--set",
                              "tracing.otlp_endpoint=localhost:4317")
    assert done.returncode == 1 and "tracing.otlp_endpoint" in done.stderr
