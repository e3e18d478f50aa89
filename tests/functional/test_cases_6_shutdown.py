"""SIGTERM: readiness first, nothing lost, and an end in time."""
import http.client
import signal
import threading
import time
import urllib.parse

import grpc
import pytest
import requests
from tritonclient.grpc import service_pb2, service_pb2_grpc

import tensor_models
from conftest import Server
from load import Load, body_file
from pace import case, pick

BODY = {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [1]}]}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    models, plans = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("plans")
    tensor_models.publish(models, plans, "quick", tensor_models.identity())
    tensor_models.publish(models, plans, "slow", tensor_models.identity(delay_us=1_500_000))
    return models


def address(server):
    parts = urllib.parse.urlsplit(server.url)
    return parts.hostname, parts.port


@case("6a")
def test_the_delay_phase_serves_everybody(models, tmp_path, record_property):
    """While load balancers still send, new connections too, nothing is refused and no model is unknown."""
    delay = pick(2, 5)
    server = Server(models, "models.load=quick", f"shutdown.delay_ms={delay * 1000}")
    options = ("--body", body_file(tmp_path, BODY), "--path", "/v2/models/quick/infer", "--rate", pick(300, 1000))
    statuses = []
    with Load(tmp_path, server.url, *options, "--duration", delay - 1.2, "--warmup", 0) as steady:
        server.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        while requests.get(server.url + "/v2/health/ready", timeout=9).status_code == 200:
            assert time.monotonic() - began < delay / 2
        while time.monotonic() - began < delay - 0.7:
            reply = requests.post(server.url + "/v2/models/quick/infer", json=BODY, timeout=9)
            statuses.append(reply.status_code)
            assert requests.get(server.url + "/v2/health/live", timeout=9).status_code == 200
    assert set(statuses) == {200} and steady.report["outcomes"].keys() == {"200"}, steady.report["outcomes"]
    record_property("requests", steady.report["requests"] + len(statuses))
    assert server.process.wait(timeout=10) == 0


@case("6b")
def test_idle_connections_do_not_hold_the_exit(models):
    """Idle keep-alives, gRPC channels and streams are let go; what is under way is answered before."""
    server = Server(models, "models.load=quick,slow", "shutdown.delay_ms=300")
    idle = []
    for _ in range(100):
        connection = http.client.HTTPConnection(*address(server), timeout=20)
        connection.request("GET", "/v2/health/live")
        assert connection.getresponse().read()
        idle.append(connection)
    channels = [grpc.insecure_channel(server.grpc, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(20)]
    states = [[] for _ in channels]
    for channel, seen in zip(channels, states):
        channel.subscribe(seen.append)
        assert service_pb2_grpc.GRPCInferenceServiceStub(channel).ServerLive(service_pb2.ServerLiveRequest(), timeout=9).live
    sending = threading.Event()
    answers = service_pb2_grpc.GRPCInferenceServiceStub(channels[0]).ModelStreamInfer(
        iter(lambda: sending.wait(20) and None, None))  # an open stream that sends nothing
    under_way = http.client.HTTPConnection(*address(server), timeout=20)
    under_way.request("POST", "/v2/models/slow/infer", str(BODY).replace("'", '"'))
    server.await_metric(1, "kefu_permits_requests_used")
    server.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    answer = under_way.getresponse()
    assert answer.status == 200 and answer.getheader("Connection") == "close"
    with pytest.raises(grpc.RpcError) as ended:
        next(answers)
    assert ended.value.code() == grpc.StatusCode.UNAVAILABLE
    assert server.process.wait(timeout=20) == 0
    assert time.monotonic() - began < 0.3 + 1.5 + pick(4, 1)
    sending.set()
    for connection in idle:
        assert connection.sock.recv(1) == b""
    end = time.monotonic() + 10
    while not all(grpc.ChannelConnectivity.IDLE in seen for seen in states):  # GOAWAY: no error, the channel rests
        assert time.monotonic() < end, states
    for channel in channels:
        channel.close()


@case("6c")
def test_what_takes_too_long_is_cut(models):
    """Longer than the drain's time: 503, not ready from the start, exit 1."""
    server = Server(models, "models.load=slow", "shutdown.delay_ms=200", "http.drain_ms=300")
    client = http.client.HTTPConnection(*address(server), timeout=20)
    client.request("POST", "/v2/models/slow/infer", str(BODY).replace("'", '"'))
    server.await_metric(1, "kefu_permits_requests_used")
    server.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    answer = client.getresponse()
    assert answer.status == 503 and answer.getheader("Retry-After")
    assert 0.4 < time.monotonic() - began < pick(3, 1.2)
    assert server.process.wait(timeout=20) == 1
    assert "raise http.drain_ms" in server.process.stderr.read()


STATUSES = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"]


def watch(channel, service):
    """The statuses that grpc.health.v1 tells of a service; the messages have one field each."""
    answers = channel.unary_stream("/grpc.health.v1.Health/Watch")(bytes([10, len(service)]) + service.encode(), timeout=60)
    return (STATUSES[answer[1]] for answer in answers)


def test_health_watches_are_told(models):
    """grpc.health.v1 Watch: each change once, also that of a shutdown, which it does not hold up."""
    server = Server(models, "models.load=quick", "http.admin=true", "shutdown.delay_ms=500")
    with grpc.insecure_channel(server.grpc) as channel:
        all_, one, none = (watch(channel, name) for name in ("", "slow", "nobody"))
        assert next(all_) == "SERVING" and next(one) == "NOT_SERVING" and next(none) == "SERVICE_UNKNOWN"
        load = f"{server.url}/v2/repository/models/slow/"
        assert requests.post(load + "load", timeout=30).status_code == 200
        assert next(one) == "SERVING"
        assert requests.post(load + "unload", timeout=30).status_code == 200
        assert next(one) == "NOT_SERVING"
        assert requests.post(f"{server.url}/v2/repository/models/quick/unload", timeout=30).status_code == 200
        assert next(all_) == "NOT_SERVING"
        assert requests.post(f"{server.url}/v2/repository/models/quick/load", timeout=30).status_code == 200
        assert next(all_) == "SERVING"
        server.process.send_signal(signal.SIGTERM)
        assert next(all_) == "NOT_SERVING"
        with pytest.raises(grpc.RpcError) as ended:
            next(one)
        assert ended.value.code() == grpc.StatusCode.UNAVAILABLE
        assert server.process.wait(timeout=10) == 0
