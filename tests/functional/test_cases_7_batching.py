"""What goes together, and how long it waits for that."""
import concurrent.futures
import random

import pytest
import requests

import tensor_models
from conftest import Server
from load import body_file, load
from pace import case, pick
from test_hosting import infer, numbers, stats

BODY = {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [1]}]}


@case("7b")
@pytest.mark.parametrize("delay_us", [0, 20_000])
def test_the_largest_preferred_size_goes(tmp_path, delay_us):
    """Eight wait, 2, 4 and 8 are preferred: they are one run."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "preferred", tensor_models.identity(delay_us=500_000))
    tensor_models.configure(models, "preferred", max_batch_size=16, dynamic_batching={
        "preferred_batch_size": [2, 4, 8], "max_queue_delay_microseconds": delay_us})
    with Server(models, "models.load=preferred") as server, concurrent.futures.ThreadPoolExecutor(9) as clients:
        def ask(value):
            return infer(server.url, "preferred", [numbers("INPUT0", [[value]])]).json()["outputs"][0]["data"]

        asked = [clients.submit(ask, 0)]
        server.await_metric(1, "kefu_instances_busy", model="preferred")
        asked += [clients.submit(ask, value) for value in range(1, 9)]
        server.await_metric(8, "kefu_queue_requests", model="preferred")
        assert [one.result() for one in asked] == [[value] for value in range(9)]
        sizes = {row["batch_size"]: row["compute_infer"]["count"] for row in stats(server.url, "preferred")["batch_stats"]}
        assert sizes == {1: 1, 8: 1}


@case("7c")
def test_a_tiny_delay_is_tiny(tmp_path, record_property):
    """500 µs of delay at 5 % load: nobody waits longer than that and a run."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "tiny", tensor_models.identity(delay_us=5000))
    tensor_models.configure(models, "tiny", max_batch_size=8, dynamic_batching={"max_queue_delay_microseconds": 500})
    options = ("--body", body_file(tmp_path, BODY), "--path", "/v2/models/tiny/infer")
    with Server(models, "models.load=tiny") as server:
        report = load(tmp_path, server.url, *options, "--rate", 10, "--duration", pick(4, 60), "--warmup", 0.2)
        latency = report["latency_ms"]
        record_property("latency_ms", {key: latency[key] for key in ("p50", "p99", "max")})
        assert latency["p50"] < 0.5 + 5 + pick(20, 2)  # a run of its own and the delay
        assert latency["p99"] < 0.5 + 5 + 5 + pick(300, 15)  # the failure shows seconds


@case("7d")
def test_mixed_lengths_are_batched(repository, tmp_path, record_property):
    """64 texts of very different lengths at once: few runs, and the answers of each alone."""
    rng = random.Random(7)
    words = ["order", "refund", "money", "hello", "parcel", "where", "is", "my", "back", "A7-1"]
    texts = [" ".join(rng.choice(words) for _ in range(rng.randint(1, pick(60, 380)))) for _ in range(64)]
    with Server(repository, "admission.requests=512", "batching.window_ms=5") as server, \
            concurrent.futures.ThreadPoolExecutor(64) as clients:
        def parse(text):
            reply = requests.post(server.url + "/model/parse", json={"text": text}, timeout=120)
            assert reply.status_code == 200
            return reply.json()

        together = list(clients.map(parse, texts))
        seen = stats(server.url, "default")
        assert seen["inference_count"] >= 64  # rows: a text above the window has several
        record_property("rows_and_runs", [seen["inference_count"], seen["execution_count"]])
        # 8 rows a run and 4,096 tokens, cut further where lengths differ too much.
        assert seen["execution_count"] <= seen["inference_count"] / 2
        for text, one in list(zip(texts, together))[::4]:
            alone = parse(text)
            assert alone["intent"]["name"] == one["intent"]["name"]
            assert abs(alone["intent"]["confidence"] - one["intent"]["confidence"]) < 0.01
            assert [entity["value"] for entity in alone["entities"]] == [entity["value"] for entity in one["entities"]]
