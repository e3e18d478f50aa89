"""Memory after swaps, bursts and odd shapes."""
import json
import random
import shutil

import pytest
import requests

import tensor_models
from conftest import Server, kefu
from load import Load, anonymous_mib, body_file, slope
from pace import FULL, case, pick


def order(server, model, verb):
    reply = requests.post(f"{server.url}/v2/repository/models/{model}/{verb}", timeout=120)
    assert reply.status_code == 200, reply.text


def publish_copy(folder, version):
    """The first version once more."""
    shutil.copytree(folder / "1", folder / f"{version}.new", symlinks=True)
    (folder / f"{version}.new").rename(folder / str(version))


@case("2a", "2e")
def test_swaps_under_load(tmp_path, record_property):
    """A reload takes nothing down and leaves nothing behind: a new version every time, 1,000 requests a second."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "small", tensor_models.identity())
    body = body_file(tmp_path, {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [1]}]})
    swaps, held = pick(20, 200), []
    with Server(models, "models.load=small", "http.admin=true") as server:
        with Load(tmp_path, server.url, "--body", body, "--path", "/v2/models/small/infer", "--rate", pick(300, 1000),
                  "--duration", pick(4, 60), "--warmup", 0) as steady:
            for version in range(2, swaps + 2):
                publish_copy(models / "small", version)
                order(server, "small", "load")
                shutil.rmtree(models / "small" / str(version - 1)) if version > 2 else None
                held.append(anonymous_mib(server))
            assert steady.runs(), "the load ended before the swaps"
        assert steady.report["outcomes"].keys() == {"200"}, steady.report["outcomes"]
        answer = requests.post(server.url + "/v2/models/small/infer", data=body.read_bytes(), timeout=9).json()
        assert answer["model_version"] == str(swaps + 1)
    record_property("requests", steady.report["requests"])
    record_property("p99_ms", steady.report["latency_ms"]["p99"])
    if FULL:
        growth = 100 * slope(held[50:])
        record_property("mib_per_100_swaps", round(growth, 3))
        assert growth < 1


@case("2a")
@pytest.mark.skipif(not FULL, reason="ten loads of an encoder take minutes")
def test_swaps_of_the_encoder_under_load(shop, tmp_path, record_property):
    repository = tmp_path / "models"
    texts = tmp_path / "texts.txt"
    texts.write_text("hello\nwhere is my order A7-1\n")
    for _ in range(2):
        assert kefu("train", str(shop), "--folds", "2", "--set", f"models.repository={repository}").returncode == 0
    shutil.rmtree(repository / "default" / "2")
    held = []
    with Server(repository, "http.admin=true") as server:
        with Load(tmp_path, server.url, "--texts", texts, "--rate", 20, "--duration", 120, "--warmup", 0) as steady:
            for version in range(2, 12):
                publish_copy(repository / "default", version)
                order(server, "default", "load")
                held.append(anonymous_mib(server))
            assert steady.runs(), "the load ended before the swaps"
        assert steady.report["outcomes"].keys() == {"200"}, steady.report["outcomes"]
    record_property("requests", steady.report["requests"])
    record_property("mib_after_each_swap", [round(value) for value in held])
    assert held[-1] < 1.05 * held[1]


@case("2c")
def test_a_burst_of_full_batches(repository, tmp_path, record_property):
    """Buffers of a burst go back."""
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join("word " * length for length in (60, 100, 120)) + "\n")
    options = ("--texts", texts, "--connections", 32, "--warmup", 0, "--timeout-ms", 60_000)
    with Server(repository) as server:
        with Load(tmp_path, server.url, *options, "--duration", pick(2, 60)) as first:
            pass
        start, held = anonymous_mib(server), []
        for _ in range(pick(3, 60)):
            with Load(tmp_path, server.url, *options, "--duration", pick(1, 60)) as more:
                pass
            assert more.report["outcomes"].keys() == {"200"}
            held.append(anonymous_mib(server))
        record_property("mib", [round(start), *map(round, held)])
        assert first.report["outcomes"].keys() == {"200"}
        assert held[-1] <= 1.2 * start
        if FULL:
            assert 60 * abs(slope(held[10:])) < 0.05 * start


@case("2d")
def test_random_shapes_and_reloads(repository, tmp_path, record_property):
    """No graph or context is kept for each shape, nor after a reload."""
    rng = random.Random(1)
    with Server(repository, "http.admin=true") as server, requests.Session() as session:
        held = []
        for round_ in range(pick(4, 50)):
            for _ in range(pick(8, 40)):
                data = ["w " * rng.randint(1, pick(40, 400)) for _ in range(rng.randint(1, pick(4, 16)))]
                reply = session.post(server.url + "/v2/models/default/infer", timeout=120, json={
                    "inputs": [{"name": "text", "datatype": "BYTES", "shape": [len(data), 1], "data": data}]})
                assert reply.status_code == 200
            # Another configuration each time: an unchanged one is not loaded again.
            config = json.dumps({"dynamic_batching": {"max_queue_delay_microseconds": round_ + 1}})
            reply = session.post(server.url + "/v2/repository/models/default/load", timeout=120,
                                 json={"parameters": {"config": config}})
            assert reply.status_code == 200
            held.append(anonymous_mib(server))
        record_property("mib", [round(value) for value in held])
        assert held[-1] <= 1.2 * held[0]
        if FULL:
            assert 100 * slope(held[10:]) < 0.05 * held[0]
