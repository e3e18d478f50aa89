"""What goes together, and how long it waits for that."""
import collections
import concurrent.futures
import json
import random
import time

import pytest
import requests

import tensor_models
from conftest import Server
from load import body_file, load, quantile_ms
from pace import case, pick
from test_hosting import change, infer, numbers, stats

BODY = {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [1]}]}


@case("7a")
def test_arrivals_during_a_run_go_together(tmp_path):
    """Delay 0; 16 singles while the one instance is busy take at most two runs."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "slow", tensor_models.identity(delay_us=400_000))
    with Server(models, "models.load=slow") as server, concurrent.futures.ThreadPoolExecutor(17) as clients:
        asked = [clients.submit(infer, server.url, "slow", [numbers("INPUT0", [[0]])])]
        server.await_metric(1, "kefu_instances_busy", model="slow")
        asked += [clients.submit(infer, server.url, "slow", [numbers("INPUT0", [[value]])]) for value in range(1, 17)]
        assert [one.result().json()["outputs"][0]["data"] for one in asked] == [[value] for value in range(17)]
        seen = stats(server.url, "slow")
    assert seen["inference_count"] == 17 and seen["execution_count"] <= 1 + 2
    assert sum(batch["batch_size"] * batch["compute_infer"]["count"] for batch in seen["batch_stats"]) == 17
    assert seen["inference_stats"]["success"]["count"] == seen["inference_stats"]["queue"]["count"]


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
        # By the server's own clock, so without the client's pauses; up to the next bound of a bucket, 6.5 ms.
        queued = quantile_ms(server, "kefu_queue_duration_seconds", 0.99, model="tiny")
        record_property("queue_p99_ms", queued)
        assert queued <= pick(200, 6.6)
        assert latency["p50"] < 0.5 + 5 + pick(20, 2)  # a run of its own and the delay
        assert latency["p99"] < 0.5 + 5 + 5 + pick(300, 15)  # the failure shows seconds


@case("7d")
def test_mixed_lengths_are_batched(repository, tmp_path, record_property):
    """64 texts of very different lengths at once: few runs, and the answers of each alone."""
    rng = random.Random(7)
    words = ["order", "refund", "money", "hello", "parcel", "where", "is", "my", "back", "A7-1"]
    texts = [" ".join(rng.choice(words) for _ in range(rng.randint(1, pick(60, 380)))) for _ in range(64)]
    # In bf16 a confidence depends a little on the texts beside it, as docs/configuration.md says; f32 is compared.
    settings = ("admission.requests=512", "batching.window_ms=5", "engine.precision=f32")
    with Server(repository, *settings) as server, \
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
            assert abs(alone["intent"]["confidence"] - one["intent"]["confidence"]) < 1e-3
            assert [entity["value"] for entity in alone["entities"]] == [entity["value"] for entity in one["entities"]]


@case("7e")
def test_without_batching_the_queue_has_a_limit(tmp_path):
    """max_batch_size 0: one runs, 8 wait, and each of the others is refused at once."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "single", tensor_models.identity(shape=(1,), delay_us=400_000))
    tensor_models.configure(models, "single", max_batch_size=0, **tensor_models.queue_policy(max_queue_size=8))
    with Server(models, "models.load=single") as server, concurrent.futures.ThreadPoolExecutor(101) as clients:
        first = clients.submit(infer, server.url, "single", [numbers("INPUT0", [0])])
        server.await_metric(1, "kefu_instances_busy", model="single")
        replies = [one.result() for one in
                   [clients.submit(infer, server.url, "single", [numbers("INPUT0", [1])]) for _ in range(100)]]
        assert first.result().status_code == 200
        codes = collections.Counter(reply.status_code for reply in replies)
        assert server.metric("kefu_requests_rejected_total", reason="queue_full") == codes[429]
    # As the first run ends, some of the hundred may not have come yet and take the room of those that then run.
    assert codes.keys() == {200, 429} and 8 <= codes[200] <= 12, codes
    for reply in replies:
        if reply.status_code == 429:
            assert reply.headers["Retry-After"] and "Exceeds maximum queue size" in reply.json()["error"]


@case("7f")
def test_configuration_is_what_was_set(tmp_path):
    """Settings are echoed and measured behaviour agrees."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "tuned", tensor_models.identity())
    config = {"max_batch_size": "4", "dynamic_batching": {"max_queue_delay_microseconds": 400_000,
                                                          "preferred_batch_size": [2, 4]}}
    with Server(models, "models.load=none", "http.admin=true") as server:
        url = server.url
        assert change(url, "tuned", "load", config=json.dumps(config)).status_code == 200
        found = requests.get(url + "/v2/models/tuned/config", timeout=30).json()
        assert found["max_batch_size"] == 4
        assert found["dynamic_batching"]["max_queue_delay_microseconds"] == 400_000
        assert found["dynamic_batching"]["preferred_batch_size"] == [2, 4]
        assert found["input"][0] | {"name": "INPUT0", "data_type": "TYPE_INT32", "dims": [-1]} == found["input"][0]
        for key in ("platform", "backend", "version_policy", "output", "instance_group", "response_cache",
                    "model_warmup", "model_transaction_policy", "parameters"):
            assert key in found
        refusal = change(url, "tuned", "load", config=json.dumps({"max_batch_siz": 4}))
        assert refusal.status_code == 400 and "config.max_batch_siz is not known" in refusal.json()["error"]
        began = time.monotonic()
        assert infer(url, "tuned", [numbers("INPUT0", [[1, 2]])]).status_code == 200
        assert 0.4 <= time.monotonic() - began < 0.4 + pick(4, 0.1)  # alone: the whole delay
        big = infer(url, "tuned", [numbers("INPUT0", [[row, row] for row in range(9)])])
        assert big.status_code == 200
        sizes = {row["batch_size"]: row["compute_infer"]["count"] for row in stats(url, "tuned")["batch_stats"]}
        assert sizes == {1: 2, 4: 2}  # 4 and 4 and the one that is left, and the one before
