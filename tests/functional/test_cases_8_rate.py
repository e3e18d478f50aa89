"""The rate holds with timeouts on, and what expires is told in time."""
import concurrent.futures
import statistics
import time

import tensor_models
from conftest import Server
from load import anonymous_mib, body_file, load
from pace import case, pick
from test_hosting import infer, numbers, stats

BODY = {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [1]}]}


@case("8a")
def test_the_rate_does_not_decay(tmp_path, record_property):
    """Timeout 100 ms, four instances, 70 % load: the last minute is as the first, and memory is flat."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "steady", tensor_models.identity(delay_us=20_000))
    tensor_models.configure(models, "steady", max_batch_size=1, instance_group=[{"count": 4, "kind": "KIND_CPU"}],
                            **tensor_models.queue_policy(default_timeout_microseconds=100_000, timeout_action="REJECT"))
    seconds = pick(5, 600)
    options = ("--body", body_file(tmp_path, BODY), "--path", "/v2/models/steady/infer", "--rate", 140)
    with Server(models, "models.load=steady") as server:
        load(tmp_path, server.url, *options, "--duration", 1, "--warmup", 0)
        before = anonymous_mib(server)
        report = load(tmp_path, server.url, *options, "--duration", seconds, "--warmup", 1)
        part = max(seconds // 10, 1)
        first, last = (sum(second["answers"] for second in chosen)
                       for chosen in (report["seconds"][:part], report["seconds"][-part:]))
        tails = [statistics.median(second["p99_ms"] for second in chosen)
                 for chosen in (report["seconds"][:part], report["seconds"][-part:])]
        failed = report["requests"] - report["outcomes"].get("200", 0)
        record_property("first_and_last", [first, last])
        record_property("p99_ms_first_and_last", tails)
        assert tails[1] <= pick(10, 1.25) * tails[0]
        record_property("failed_of", [failed, report["requests"]])
        record_property("mib", [round(before, 1), round(anonymous_mib(server), 1)])
        assert last >= pick(0.7, 0.99) * first
        assert failed <= pick(0.1, 0.001) * report["requests"]
        assert anonymous_mib(server) < before + 2


@case("8b")
def test_expiry_does_not_wait_for_an_instance(tmp_path, record_property):
    """The one instance is busy for 2 s; what may wait 100 ms is told so then, and never runs."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "busy", tensor_models.identity(delay_us=2_000_000))
    tensor_models.configure(models, "busy", max_batch_size=1, **tensor_models.queue_policy(
        default_timeout_microseconds=100_000, timeout_action="REJECT"))
    with Server(models, "models.load=busy") as server, concurrent.futures.ThreadPoolExecutor(1) as client:
        for _ in range(pick(1, 5)):
            first = client.submit(infer, server.url, "busy", [numbers("INPUT0", [[0]])])
            server.await_metric(1, "kefu_instances_busy", model="busy")
            times = []
            for _ in range(5):
                began = time.monotonic()
                late = infer(server.url, "busy", [numbers("INPUT0", [[1]])])
                times.append(round(1000 * (time.monotonic() - began), 1))
                assert late.status_code == 503 and "Request timeout expired" in late.json()["error"]
            assert not first.done() and first.result().status_code == 200
            record_property("ms", times)
            # From connecting on. The failure is the rest of the 2 s.
            assert 100 <= min(times) and max(times) <= pick(400, 120)
        assert stats(server.url, "busy")["execution_count"] == pick(1, 5)
        assert server.metric("kefu_requests_expired_total", model="busy", stage="queued") == pick(5, 25)
