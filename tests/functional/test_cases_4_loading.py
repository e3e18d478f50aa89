"""A load keeps nobody else waiting."""
import concurrent.futures
import http.client
import time
import urllib.parse

import grpc

import tensor_models
from conftest import Server
from load import Load, body_file
from pace import case, pick
from test_hosting import change, index

BODY = {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [1]}]}


class Probes:
    """Probes over connections of their own that stay open; as many as find every thread of the server."""

    def __init__(self, server):
        parts = urllib.parse.urlsplit(server.url)
        self.connections = [http.client.HTTPConnection(parts.hostname, parts.port, timeout=60) for _ in range(8)]
        self.channel = grpc.insecure_channel(server.grpc)
        self.check = self.channel.unary_unary("/grpc.health.v1.Health/Check")
        self.times = []

    def once(self):
        for connection in self.connections:
            began = time.monotonic()
            connection.request("GET", "/v2/health/ready")
            answer = connection.getresponse()
            assert answer.read() and answer.status == 200
            self.times.append(time.monotonic() - began)
        began = time.monotonic()
        assert self.check(b"", timeout=60) == b"\x08\x01"
        self.times.append(time.monotonic() - began)

    def close(self):
        for connection in self.connections:
            connection.close()
        self.channel.close()


@case("4a")
def test_loading_blocks_nobody(tmp_path, record_property):
    """Traffic and probes on every connection while a model takes its time to load."""
    models, load_s = tmp_path / "models", pick(2, 30)
    tensor_models.publish(models, tmp_path, "quick", tensor_models.identity())
    tensor_models.publish(models, tmp_path, "slowload", tensor_models.identity(load_ms=load_s * 1000))
    options = ("--body", body_file(tmp_path, BODY), "--path", "/v2/models/quick/infer", "--rate", 300, "--connections",
               32, "--warmup", 0.3, "--duration", load_s - 1)
    with Server(models, "models.load=quick", "http.admin=true") as server, \
            concurrent.futures.ThreadPoolExecutor(1) as client:
        probes = Probes(server)

        def beside(is_busy):
            """The load generator's report, with probes meanwhile."""
            with Load(tmp_path, server.url, *options) as steady:
                while steady.runs():
                    probes.once()
                    assert is_busy(), "the load ended too early"
            assert steady.report["outcomes"].keys() == {"200"}, steady.report["outcomes"]
            return steady.report["latency_ms"]["p99"]

        alone = [beside(lambda: True)]
        probes.times.clear()
        loading = client.submit(change, server.url, "slowload", "load")
        during = beside(lambda: not loading.done())
        worst = 1000 * max(probes.times)
        assert loading.result().status_code == 200
        alone.append(beside(lambda: True))
        probes.close()
        record_property("p99_ms_before_during_after", [alone[0], during, alone[1]])
        record_property("probe_ms_max", round(worst, 1))
        # The p99 of this machine alone differs by more than a tenth from one run to the next: the worse of two
        # counts, and a millisecond. A thread that is blocked shows the whole load.
        assert during <= pick(500, 1.1 * max(alone) + 1)
        assert worst <= pick(500, 50)
        assert index(server.url)[("slowload", "1")] == "READY"
