"""What watchers see: metrics under every option, readiness in every situation."""
import re
import threading
import time

import grpc
import pytest
import requests
import tritonclient.grpc as triton
from tritonclient.utils import InferenceServerException

import tensor_models
from conftest import KEFU, ROOT, Server
from pace import case, pick
from test_hosting import change, infer, numbers


@case("15c")
def test_no_option_takes_a_family_away(tmp_path):
    """After READY and before the first request all families are there, whatever else is on."""
    models = tmp_path / "models"
    for name in ("a", "b"):
        tensor_models.publish(models, tmp_path, name, tensor_models.identity())
    options = [[], ["http.admin=true", "grpc.admin=true"], ["batching.max_instances=4"], ["grpc.enabled=false"],
               ["batching.window_ms=5", "batching.max_batch=4"], ["models.watch_ms=1000"], ["admission.requests=1"]]
    seen = []
    for settings in options:
        with Server(models, "models.load=a,b", *settings) as server:
            seen.append(set(re.findall(r"^# TYPE (\S+)", requests.get(server.metrics, timeout=9).text, re.MULTILINE)))
            for model in ("a", "b"):
                assert server.metric("nv_inference_request_success", model=model) == 0
                assert server.metric("kefu_queue_requests", model=model) == 0
    assert all(families == seen[0] for families in seen), [families ^ seen[0] for families in seen]
    assert len(seen[0]) > 40


class Probes:
    """What each probe of a server says of it and of a model."""

    def __init__(self, server, model):
        self.server, self.model = server, model
        self.client = triton.InferenceServerClient(server.grpc)
        self.check = grpc.insecure_channel(server.grpc).unary_unary("/grpc.health.v1.Health/Check")

    def get(self, path):
        began = time.monotonic()
        status = requests.get(self.server.url + path, timeout=9).status_code
        assert time.monotonic() - began < pick(3, 0.05)
        return status

    def health(self, service):
        try:
            return self.check(bytes([10, len(service)]) + service.encode(), timeout=5) == b"\x08\x01"
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.NOT_FOUND
            return None

    def model_ready(self):
        try:
            return self.client.is_model_ready(self.model)
        except InferenceServerException as error:
            assert "NOT_FOUND" in error.status()
            return False

    def see(self, live, ready, model, answer):
        """`model`: the status of its probe; `answer`: of a request to it."""
        assert (self.get("/v2/health/live"), self.client.is_server_live()) == (200 if live else 503, live)
        assert self.get("/health/live") == 200
        for path in ("/v2/health/ready", "/health/ready"):
            assert self.get(path) == (200 if ready else 503), path
        assert self.client.is_server_ready() == ready and self.health("") == ready
        assert self.get(f"/v2/models/{self.model}/ready") == model
        assert self.model_ready() == (model == 200)
        assert self.health(self.model) == {200: True, 503: False, 404: None}[model]
        assert infer(self.server.url, self.model, [numbers("INPUT0", [[1]])]).status_code == answer


@pytest.fixture
def models(tmp_path):
    models = tmp_path / "models"
    tensor_models.publish_all(models, tmp_path, {
        "needed": tensor_models.identity(), "extra": tensor_models.identity(),
        "slowly": tensor_models.identity(load_ms=1500)})
    return models


@case("16a")
def test_readiness_while_models_come_and_go(models, tmp_path):
    """The situations of a running server; each probe says the same."""
    with Server(models, "models.load=needed", "http.admin=true", "log.level=off") as server:
        needed, extra, nobody = (Probes(server, name) for name in ("needed", "extra", "nobody"))
        needed.see(live=True, ready=True, model=200, answer=200)  # all required models READY
        nobody.see(live=True, ready=True, model=404, answer=404)  # not in the repository
        loading = threading.Thread(target=change, args=(server.url, "slowly", "load"))
        loading.start()
        needed.see(live=True, ready=True, model=200, answer=200)  # an optional one is loading
        Probes(server, "slowly").see(live=True, ready=True, model=503, answer=503)
        loading.join()
        Probes(server, "slowly").see(live=True, ready=True, model=200, answer=200)
        plan = next(file for file in (models / "extra" / "1").iterdir() if file.name != "manifest.json")
        good = plan.read_bytes()
        plan.write_bytes(b"{")
        assert change(server.url, "extra", "load").status_code >= 400  # the first load of an optional one fails
        extra.see(live=True, ready=True, model=503, answer=503)
        rows = requests.post(server.url + "/v2/repository/index", timeout=9).json()
        assert next(row["reason"] for row in rows if row["name"] == "extra")
        plan.write_bytes(good)
        assert change(server.url, "extra", "load").status_code == 200
        tensor_models.publish(models, tmp_path, "extra", tensor_models.identity())
        next(file for file in (models / "extra" / "2").iterdir() if file.name != "manifest.json").write_bytes(b"{")
        assert change(server.url, "extra", "load").status_code >= 400  # a reload fails: the old one serves
        extra.see(live=True, ready=True, model=200, answer=200)
        assert change(server.url, "needed", "unload").status_code == 200  # a required one unloaded
        needed.see(live=True, ready=False, model=503, answer=503)
        extra.see(live=True, ready=False, model=200, answer=200)
        assert change(server.url, "needed", "load").status_code == 200
        needed.see(live=True, ready=True, model=200, answer=200)


@case("16a")
def test_readiness_with_nothing_loaded(models):
    with Server(models, "models.load=none") as server:
        Probes(server, "needed").see(live=True, ready=False, model=503, answer=503)


@case("16a")
def test_readiness_of_a_drain(models):
    """Not ready at once; models are, and answer, until the delay is over."""
    server = Server(models, "models.load=needed", "shutdown.delay_ms=1500")
    probes = Probes(server, "needed")
    server.process.terminate()
    while probes.get("/v2/health/ready") == 200:
        pass
    probes.see(live=True, ready=False, model=200, answer=200)
    assert server.process.wait(timeout=10) == 0


@case("16a")
def test_readiness_while_a_required_model_loads(tmp_path):
    """The ports answer from the start; no request is taken for a model that is still loading."""
    import socket
    import subprocess
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "slowly", tensor_models.identity(load_ms=2000))
    with socket.socket() as one, socket.socket() as two:
        ports = []
        for free in (one, two):
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    process = subprocess.Popen(
        [KEFU, "serve", *(word for setting in (
            f"models.repository={models}", "models.load=slowly", f"http.port={ports[0]}", f"grpc.port={ports[1]}",
            "metrics.port=0", "log.level=off", "shutdown.delay_ms=0") for word in ("--set", setting))],
        cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        starting = type("Starting", (), {"url": f"http://127.0.0.1:{ports[0]}", "grpc": f"127.0.0.1:{ports[1]}"})
        end = time.monotonic() + 10
        while True:
            try:
                requests.get(starting.url + "/v2/health/live", timeout=1)
                triton.InferenceServerClient(starting.grpc).is_server_live()
                break
            except (requests.ConnectionError, InferenceServerException):
                assert time.monotonic() < end
        Probes(starting, "slowly").see(live=True, ready=False, model=503, answer=503)
        assert "ready" in process.stdout.readline()
        Probes(starting, "slowly").see(live=True, ready=True, model=200, answer=200)
    finally:
        process.terminate()
        assert process.wait(timeout=10) == 0
