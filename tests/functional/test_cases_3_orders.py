"""Loads and unloads at once with everything else."""
import concurrent.futures
import json
import os
import random
import re
import shutil
import threading
import time

import requests

import tensor_models
from conftest import Server
from load import anonymous_mib
from pace import case, pick
from test_hosting import change, index, infer, numbers, stats


@case("3a")
def test_orders_beside_everything_else(tmp_path, record_property):
    """No lock order of orders, inference, statistics, index and scrapes stops any of them."""
    models = tmp_path / "models"
    for name in ("a", "b"):
        tensor_models.publish(models, tmp_path, name, tensor_models.identity(delay_us=500))
        tensor_models.configure(models, name, max_batch_size=4, **tensor_models.queue_policy(max_queue_size=16))
    ending, counts, wrong = threading.Event(), {}, []
    with Server(models, "models.load=a,b", "http.admin=true") as server:
        def repeat(name, act, good):
            while not ending.is_set():
                status = act().status_code
                counts[name] = counts.get(name, 0) + 1
                if status not in good:
                    wrong.append((name, status))

        def orders(number):
            rng = random.Random(number)
            return lambda: change(server.url, rng.choice("ab"), rng.choice(["load", "unload"]))

        def get(path):
            return lambda: requests.get(server.url + path, timeout=30)

        acts = [(f"order {i}", orders(i), {200, 503}) for i in range(pick(4, 8))]
        acts += [(f"infer {i}", lambda i=i: infer(server.url, "ab"[i % 2], [numbers("INPUT0", [[i]])]), {200, 429, 503})
                 for i in range(pick(12, 64))]
        acts += [("stats", get("/v2/models/stats"), {200}), ("ready", get("/v2/health/ready"), {200, 503}),
                 ("index", lambda: requests.post(server.url + "/v2/repository/index", timeout=30), {200}),
                 ("scrape", lambda: requests.get(server.metrics, timeout=30), {200})]
        threads = [threading.Thread(target=repeat, args=act) for act in acts]
        for thread in threads:
            thread.start()
        rounds = pick(4, 600)
        for _ in range(rounds):  # each second everybody gets on
            before = dict(counts)
            end = time.monotonic() + 30
            while any(counts.get(name, 0) == before.get(name, 0) for name, _, _ in acts):
                assert time.monotonic() < end, f"stuck: {before} {counts}"
                ending.wait(1)
        ending.set()
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive()
        assert not wrong, wrong[:5]
        assert change(server.url, "a", "load").status_code == 200
        assert infer(server.url, "a", [numbers("INPUT0", [[1]])]).status_code == 200
    record_property("calls", sum(counts.values()))


@case("3c")
def test_load_and_unload_at_the_same_instant(tmp_path):
    """The order that was accepted last decides; the model is never stuck."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "raced", tensor_models.identity())

    with Server(models, "models.load=none", "http.admin=true") as server, requests.Session() as session, \
            concurrent.futures.ThreadPoolExecutor(2) as both:
        def order(verb):
            reply = session.post(f"{server.url}/v2/repository/models/raced/{verb}", timeout=30,
                                 json={"parameters": {"kefu_async": True}})
            assert reply.status_code == 202, reply.text
            return int(re.search(r"\d+$", reply.headers["Location"]).group()), verb

        def await_end(operation):
            end = time.monotonic() + 30
            while True:
                phase = session.get(f"{server.url}/kefu/v1/operations/{operation}", timeout=30).json()["state"]
                if phase in ("succeeded", "failed"):
                    return phase
                assert time.monotonic() < end, phase

        for _ in range(pick(50, 1000)):
            orders = list(both.map(order, random.sample(["load", "unload"], 2)))
            assert [await_end(operation) for operation, _ in orders] == ["succeeded", "succeeded"]
            last = max(orders)[1]
            state = index(server.url).get(("raced", "1"))
            assert (state == "READY") == (last == "load"), (orders, state)
            assert (infer(server.url, "raced", [numbers("INPUT0", [[1]])]).status_code == 200) == (last == "load")


@case("3d")
def test_equal_loads_are_one(tmp_path):
    """16 orders for the same: one load, 16 successes, and the model stays."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "wanted", tensor_models.identity(load_ms=700))
    with Server(models, "models.load=none", "http.admin=true") as server, \
            concurrent.futures.ThreadPoolExecutor(16) as clients:
        for _ in range(pick(2, 10)):
            began = time.monotonic()
            first = change(server.url, "wanted", "load", kefu_async=True)
            equal = list(clients.map(lambda _: change(server.url, "wanted", "load", kefu_async=True), range(8)))
            assert {reply.headers["Location"] for reply in equal} == {first.headers["Location"]}
            waiting = list(clients.map(lambda _: change(server.url, "wanted", "load"), range(8)))
            assert [reply.status_code for reply in waiting] == [200] * 8
            assert 0.7 <= time.monotonic() - began < 1.4 + pick(5, 0)  # one load, not two
            assert infer(server.url, "wanted", [numbers("INPUT0", [[1]])]).status_code == 200
            assert change(server.url, "wanted", "load").status_code == 200  # unchanged: not loaded again
            assert stats(server.url, "wanted")["inference_count"] == 1
            assert index(server.url)[("wanted", "1")] == "READY"
            assert change(server.url, "wanted", "unload").status_code == 200


@case("5a")
def test_a_failed_load_gives_its_memory_back(repository, tmp_path, record_property):
    """A version whose encoder is compiled and then found to be of no use, again and again; the old one serves on."""
    models = tmp_path / "models"
    shutil.copytree(repository / "default" / "1", models / "default" / "1", copy_function=os.link)
    shutil.copytree(repository / "default" / "1", models / "default" / "2.new", copy_function=os.link)
    manifest = models / "default" / "2.new" / "encoder" / "manifest.json"
    text = json.loads(manifest.read_text()) | {"max_tokens": 8}  # fewer than windows overlap
    manifest.unlink()  # a link to the one that is right
    manifest.write_text(json.dumps(text))
    with Server(models, "http.admin=true", "log.level=off") as server:
        def parse():
            return requests.post(server.url + "/model/parse", json={"text": "where is my order A7-1"}, timeout=60)

        assert parse().status_code == 200
        (models / "default" / "2.new").rename(models / "default" / "2")
        held = [anonymous_mib(server)]
        for _ in range(pick(4, 40)):
            failed = change(server.url, "default", "load")
            assert failed.status_code >= 400 and "failed to load 'default'" in failed.json()["error"]
            assert parse().json()["model"]["version"] in (1, "1")
            held.append(anonymous_mib(server))
        record_property("mib", [round(value, 1) for value in held])
        assert held[-1] <= pick(1.3, 1.05) * held[0], held


@case("5a", "17a")
def test_watched_loading(tmp_path):
    """One bad model keeps no other waiting; what is half copied is not seen; a repaired model comes."""
    models, outside = tmp_path / "models", tmp_path / "outside"
    tensor_models.publish(models, tmp_path, "first", tensor_models.identity())
    for name in ("bad", "one", "two", "three"):
        tensor_models.publish(outside, tmp_path, name, tensor_models.identity())
    plan = next(file for file in (outside / "bad" / "1").iterdir() if file.name != "manifest.json")
    good = plan.read_bytes()
    plan.write_bytes(good[:-5])

    def await_state(server, name, version, state):
        end = time.monotonic() + 20
        while index(server.url).get((name, version)) != state:
            assert time.monotonic() < end, index(server.url)

    with Server(models, "models.default=first", "models.watch_ms=50", "http.admin=true", "log.level=off") as server:
        for name in ("bad", "one", "two"):
            (outside / name).rename(models / name)
        for name in ("one", "two"):
            await_state(server, name, "1", "READY")
        await_state(server, "bad", "1", "UNAVAILABLE")
        # Slowly, the manifest last: the other models that come meanwhile show that the watch has looked.
        (models / "three" / "1").mkdir(parents=True)
        for number, file in enumerate(file for file in (outside / "three" / "1").iterdir() if file.name != "manifest.json"):
            shutil.copy(file, models / "three" / "1")
            tensor_models.publish(models, tmp_path, f"meanwhile{number}", tensor_models.identity())
            await_state(server, f"meanwhile{number}", "1", "READY")
            assert not any(name == "three" for name, _ in index(server.url))
        shutil.copy(outside / "three" / "1" / "manifest.json", models / "three" / "1")
        await_state(server, "three", "1", "READY")
        (models / "bad" / "1" / plan.name).write_bytes(good)
        await_state(server, "bad", "1", "READY")
        tensor_models.publish(models, tmp_path, "one", tensor_models.identity())
        await_state(server, "one", "2", "READY")
        shutil.rmtree(models / "two")
        await_state(server, "two", "1", "UNAVAILABLE")
        assert infer(server.url, "two", [numbers("INPUT0", [[1]])]).status_code in (404, 503)
        assert requests.get(server.url + "/v2/health/ready", timeout=9).status_code == 200


@case("17a")
def test_only_files_of_the_versions_folder_are_loaded(tmp_path):
    """A manifest cannot name what lies outside, nor a link lead there; 05 is no second version 5."""
    models, secret = tmp_path / "models", tmp_path / "secret.json"
    for name in ("above", "linked", "zero"):
        tensor_models.publish(models, tmp_path, name, tensor_models.identity())
    (models / "zero" / "1").rename(models / "zero" / "01")
    plan = next(file for file in (models / "above" / "1").iterdir() if file.name != "manifest.json")
    secret.write_bytes(plan.read_bytes())
    manifest = models / "above" / "1" / "manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"{plan.name}"', '"../../../secret.json"'))
    plan.unlink()
    linked = models / "linked" / "1" / plan.name
    linked.unlink()
    linked.symlink_to(secret)
    with Server(models, "models.load=none", "http.admin=true", "log.level=off") as server:
        for name in ("above", "linked"):
            refused = change(server.url, name, "load")
            assert refused.status_code == 400 and "not in the folder of its manifest" in refused.text, refused.text
            assert infer(server.url, name, [numbers("INPUT0", [[1]])]).status_code == 503
        assert change(server.url, "zero", "load").status_code == 404


def test_a_watch_of_nothing_is_refused(tmp_path):
    done = tensor_models.kefu("serve", "--set", f"models.repository={tmp_path}", "--set", "models.load=none", "--set",
                              "models.watch_ms=100", "--set", "http.port=0", "--set", "grpc.port=0", "--set",
                              "metrics.port=0")
    assert done.returncode == 1 and "models.load, which is none" in done.stderr
