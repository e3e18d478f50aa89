"""Overload: refused at once, the same on every route, with nothing held back; memory within the permits."""
import concurrent.futures
import socket

import numpy
import pytest
import requests
import tritonclient.grpc

import tensor_models
from conftest import Server
from pace import case


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    models, folder = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("plans")
    tensor_models.publish(models, folder, "slow", tensor_models.identity(delay_us=500_000))
    return models


def ask(url):
    inputs = [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [7]}]
    return requests.post(f"{url}/v2/models/slow/infer", json={"inputs": inputs}, timeout=60)


@case("10a")
def test_without_a_permit_every_route_says_the_same(repository, tmp_path):
    """429 with Retry-After, RESOURCE_EXHAUSTED; nothing waits."""
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "default").symlink_to(repository / "default")
    tensor_models.publish(folder, tmp_path, "slow", tensor_models.identity(delay_us=1_000_000))
    with Server(folder, "models.load=default,slow", "admission.requests=2") as server, \
            concurrent.futures.ThreadPoolExecutor(2) as clients:
        held = [clients.submit(ask, server.url) for _ in range(2)]
        server.await_metric(2, "kefu_permits_requests_used")
        text = [{"name": "text", "datatype": "BYTES", "shape": [1, 1], "data": ["hi"]}]
        for reply in (ask(server.url), requests.post(server.url + "/model/parse", json={"text": "hi"}, timeout=9),
                      requests.post(server.url + "/v2/models/default/infer", json={"inputs": text}, timeout=9)):
            assert reply.status_code == 429 and reply.headers["Retry-After"] == "1"
            assert "admission.requests" in reply.text
        client = tritonclient.grpc.InferenceServerClient(server.grpc)
        tensor = tritonclient.grpc.InferInput("INPUT0", [1, 1], "INT32")
        tensor.set_data_from_numpy(numpy.zeros((1, 1), numpy.int32))
        with pytest.raises(tritonclient.grpc.InferenceServerException) as refusal:
            client.infer("slow", [tensor])
        assert "RESOURCE_EXHAUSTED" in refusal.value.status() and "admission.requests" in refusal.value.message()
        client.close()
        assert requests.get(server.url + "/v2/health/ready", timeout=9).status_code == 200
        assert server.metric("kefu_requests_rejected_total", reason="permits") == 4
        assert [one.result().status_code for one in held] == [200, 200]
        server.await_metric(0, "kefu_permits_requests_used")
        assert ask(server.url).status_code == 200


def test_tokens_of_texts_are_limited(repository):
    def parse(text):
        return requests.post(server.url + "/model/parse", json={"text": text}, timeout=9)

    with Server(repository, "admission.tokens=30", "batching.window_ms=1000") as server, \
            concurrent.futures.ThreadPoolExecutor(1) as clients:
        held = clients.submit(parse, "where is my order, please tell me where it is now")  # waits for company
        server.await_metric(17, "kefu_permits_tokens_used")
        refused = parse("when do I get my money back, the refund is not there")
        assert refused.status_code == 429 and "admission.tokens" in refused.text
        assert held.result().status_code == 200
        server.await_metric(0, "kefu_permits_tokens_used")
        never = parse("hello " * 30)
        assert never.status_code == 413 and "admission.tokens (30)" in never.text


def test_bodies_take_room_before_they_are_read(models):
    """The headers are enough to say no; the room comes back with the reply or the connection."""
    with Server(models, "models.load=slow", "admission.bytes=100000", "http.max_body_bytes=90000") as server:
        host, port = server.url.removeprefix("http://").split(":")
        head = (b"POST /v2/models/slow/infer HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Content-Length: 60000\r\n\r\n")
        with socket.create_connection((host, int(port))) as slow:
            slow.sendall(head)
            server.await_metric(60000, "kefu_permits_bytes_used")
            refused = requests.post(server.url + "/v2/models/slow/infer", data=b" " * 60000, timeout=9,
                                    headers={"Content-Type": "application/json"})
            assert refused.status_code == 429 and "admission.bytes" in refused.json()["error"]
            assert ask(server.url).status_code == 200  # small ones still fit
        server.await_metric(0, "kefu_permits_bytes_used")


def test_connections_beyond_the_limit_wait(models):
    with Server(models, "models.load=slow", "http.max_connections=3") as server:
        host, port = server.url.removeprefix("http://").split(":")
        request = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
        held = [socket.create_connection((host, int(port)), timeout=9) for _ in range(3)]
        for one in held:
            one.sendall(request)
            assert one.recv(1000).startswith(b"HTTP/1.1 200")
        with socket.create_connection((host, int(port)), timeout=9) as fourth:
            fourth.sendall(request)
            fourth.settimeout(0.3)
            with pytest.raises(TimeoutError):
                fourth.recv(1000)
            held.pop().close()
            fourth.settimeout(9)
            assert fourth.recv(1000).startswith(b"HTTP/1.1 200")
        for one in held:
            one.close()


def test_ten_times_the_capacity(models):
    """22a: permits bound what is held; what is refused is refused at once; afterwards all is as before."""
    with Server(models, "models.load=slow", "admission.requests=8", "batching.max_batch=4") as server, \
            concurrent.futures.ThreadPoolExecutor(80) as clients:
        outcomes = [one.result() for one in [clients.submit(ask, server.url) for _ in range(160)]]
        counts = {status: sum(one.status_code == status for one in outcomes) for status in (200, 429)}
        assert sum(counts.values()) == 160 and counts[200] >= 8, counts
        refused = sorted(one.elapsed.total_seconds() for one in outcomes if one.status_code == 429)
        assert refused[len(refused) // 2] < 0.5  # none of them waited for a run
        server.await_metric(0, "kefu_permits_requests_used")
        assert ask(server.url).status_code == 200
