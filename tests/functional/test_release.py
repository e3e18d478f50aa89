"""Releases: labels, sticky shares, guards that roll back by themselves, promotion, shadows, kill -9."""
import json
import os
import random
import signal
import subprocess
import time

import numpy
import pytest
import requests

import tensor_models
from conftest import EXAMPLES, KEFU, ROOT, Server, kefu
from load import load
from pace import FULL, case, pick
from traffic import Traffic

MODEL = "shop"


def release(server, verb, model=MODEL, **body):
    return requests.post(f"{server.url}/kefu/v1/releases/{model}/{verb}", json=body, timeout=60)


def status(server, model=MODEL):
    return requests.get(f"{server.url}/kefu/v1/releases/{model}", timeout=30).json()


def await_phase(server, phase, seconds=20, model=MODEL):
    end = time.monotonic() + seconds
    while (seen := status(server, model))["phase"] != phase:
        assert time.monotonic() < end, seen
    return seen


def body(i, model=MODEL):
    return {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [i % 1000]}]}


def version_of(server, key=None, model=MODEL, label=None, version=None):
    headers = {name: value for name, value in (("Kefu-Sticky-Key", key), ("Kefu-Label", label)) if value}
    path = f"/versions/{version}" if version else ""
    reply = requests.post(f"{server.url}/v2/models/{model}{path}/infer", json=body(1), headers=headers, timeout=30)
    assert reply.status_code == 200, reply.text
    return int(reply.json()["model_version"])


@pytest.fixture
def publish(tmp_path):
    """Publishes a version of the model into a repository of the test's own."""
    repository = tmp_path / "models"

    def one(**more):
        tensor_models.publish(repository, tmp_path, MODEL, tensor_models.identity(**more))
        return repository

    return one


def test_labels_move_by_compare_and_set(publish):
    publish()
    with Server(publish(), "http.admin=true", "models.load=shop") as server:
        labels = f"{server.url}/kefu/v1/labels/shop"
        assert requests.get(labels, timeout=9).json() == {"stable": None, "canary": None}
        assert version_of(server) == 2
        assert requests.post(labels, json={"stable": 1, "expected": None}, timeout=9).status_code == 404  # not loaded
        loaded = requests.post(f"{server.url}/v2/repository/models/shop/load", timeout=9, json={
            "parameters": {"config": json.dumps({"version_policy": {"all": {}}})}})
        assert loaded.status_code == 200, loaded.text
        assert requests.post(labels, json={"stable": 1, "expected": 2}, timeout=9).status_code == 400
        assert requests.post(labels, json={"stable": 1, "expected": None}, timeout=9).json()["stable"] == 1
        assert version_of(server) == 1
        assert version_of(server, version=2) == 2
        assert version_of(server, label="stable") == 1
        none = requests.post(f"{server.url}/v2/models/shop/infer", json=body(1), timeout=9,
                             headers={"Kefu-Label": "canary"})
        assert none.status_code == 404 and "labelled canary" in none.json()["error"]


def test_keys_stick_and_only_move_to_the_canary(publish):
    publish()
    publish()
    with Server(publish(), "http.admin=true", "models.load=shop") as server:
        assert release(server, "stage", version=3).status_code == 400  # it serves already
        assert release(server, "stage", version=9).status_code == 404
        staged = release(server, "stage", version=2)
        assert staged.status_code == 200, staged.text
        assert staged.json()["id"] == "shop-2" and staged.json()["phase"] == "draft"  # the failed one was shop-1
        keys = [f"customer-{i}" for i in range(200)]
        assert {version_of(server, key) for key in keys[:20]} == {3}
        assert version_of(server, label="canary") == 2
        on_canary = set()
        for percent in (5, 30, 60):
            assert release(server, "canary", steps=[percent]).status_code == 200
            versions = {key: version_of(server, key) for key in keys}
            assert versions == {key: version_of(server, key) for key in keys}  # none flips
            now = {key for key, version in versions.items() if version == 2}
            assert on_canary <= now  # nobody goes back
            assert abs(len(now) - percent * 2) < 25
            on_canary = now
        reply = requests.post(f"{server.url}/v2/models/shop/infer", json=body(1), timeout=9).json()
        assert reply["parameters"]["kefu_release"] == "shop-2"
        assert reply["parameters"]["kefu_label"] in ("stable", "canary")
        assert version_of(server, next(iter(on_canary)), version=3) == 3  # a version named wins
        assert release(server, "rollback", reason="enough").json()["phase"] == "rolled_back"
        assert {version_of(server, key) for key in keys} == {3}
        assert release(server, "promote").status_code == 400


def test_orders_that_make_no_sense(publish):
    with Server(publish(), "http.admin=true", "models.load=shop") as server:
        assert status(server)["detail"] == "model 'shop' has had no release"
        publish()
        assert release(server, "canary").status_code == 404
        assert release(server, "stage", version="two").status_code == 400
        assert release(server, "stage", version=2, wait=1).json()["detail"] == (
            'there is no member "wait"; known: version')
        assert release(server, "stage", version=2).status_code == 200
        for plan in ({"steps": []}, {"steps": [50, 5]}, {"steps": [101]}, {"steps": "5"}, {"step_seconds": 0},
                     {"step_secs": 5}):
            assert release(server, "canary", **plan).status_code == 400, plan
        assert release(server, "stage", version=1).status_code == 400  # one is under way
        assert release(server, "hold").status_code == 400  # a draft


def test_a_version_that_does_not_load_ends_its_release(publish):
    repository = publish()
    with Server(repository, "http.admin=true", "models.load=shop") as server:
        publish()
        (repository / "shop" / "2" / "model.json").write_text("{broken")
        staged = release(server, "stage", version=2)
        assert staged.status_code >= 400
        assert status(server)["phase"] == "rolled_back"
        assert version_of(server) == 1
        assert requests.get(server.url + "/health/ready", timeout=9).status_code == 200


@case("19b")
@pytest.mark.parametrize("guard, stable, canary", [
    ("errors", {"delay_us": 1000}, {"delay_us": 1000, "fail_every": 20}),
    ("latency", {"delay_us": 10_000}, {"delay_us": 15_000})])
def test_a_harmful_canary_is_rolled_back(publish, guard, stable, canary):
    """Failing requests, +50 % latency; with at least 100 candidate replies a second."""
    publish(**stable)
    repository = publish(**canary)
    with Server(repository, "http.admin=true", "models.load=none", "batching.max_batch=1") as server:
        policy = json.dumps({"version_policy": {"specific": {"versions": [1]}}, "instance_group": [{"count": 4}]})
        (repository / "shop" / "config.json").write_text(policy)
        assert requests.post(f"{server.url}/v2/repository/models/shop/load", timeout=30).status_code == 200
        assert release(server, "stage", version=2).status_code == 200
        with Traffic(server.url, "/v2/models/shop/infer", body, threads=8) as traffic:
            traffic.await_answers(1, 500)
            ordered = release(server, "canary", steps=[50])
            assert ordered.status_code == 200
            ended = await_phase(server, "rolled_back")
        assert ended["reason"].startswith(f"guard {guard}:"), ended
        assert server.metric("kefu_release_rollbacks_total", guard=guard) == 1
        assert not traffic.failures
        assert version_of(server) == 1
        seconds = ended["since"] - ordered.json()["since"]  # by the server's clock, in whole seconds
        if traffic.count(2) >= 100 * seconds:
            assert seconds <= 5, traffic.count(2)


@case("19b")
@pytest.mark.parametrize("texts", [
    ["hello there", "where is my order", "when do I get my money back", "good morning"],
    ["hello there", "where is my order", "when do I get my money back"]], ids=["other-shares", "same-shares"])
def test_flipped_labels_are_rolled_back(texts, shop, repository, tmp_path):
    models = tmp_path / "models"
    flipped = tmp_path / "flipped"
    (flipped / "nlu").mkdir(parents=True)
    lines = ['version: "3.1"', "nlu:"]
    for intent, texts in zip(list(EXAMPLES)[1:] + list(EXAMPLES)[:1], EXAMPLES.values()):
        lines += [f"- intent: {intent}", "  examples: |"] + [f"    - {text}" for text in texts]
    (flipped / "nlu" / "en.yml").write_text("\n".join(lines) + "\n")
    for domain in (shop, flipped):
        done = kefu("train", str(domain), "--folds", "2", "--set", f"models.repository={models}")
        assert done.returncode == 0, done.stderr
    (models / "default" / "config.json").write_text('{"version_policy": {"specific": {"versions": [1]}}}')
    with Server(models, "http.admin=true", "engine.precision=f32") as server:
        assert release(server, "stage", "default", version=2).status_code == 200
        with Traffic(server.url, "/model/parse", lambda i: {"text": texts[i % len(texts)]}, threads=2,
                     pause_s=0.005) as traffic:
            assert release(server, "canary", "default", steps=[50]).status_code == 200
            ended = await_phase(server, "rolled_back", 20, "default")
        assert ended["reason"].startswith(("guard labels:", "guard answers:")), ended
        assert traffic.statuses().keys() == {200} and not traffic.failures


def test_a_healthy_canary_is_promoted_and_the_old_version_goes(publish):
    publish(delay_us=1000)
    with Server(publish(delay_us=1000), "http.admin=true", "models.load=none") as server:
        config = json.dumps({"version_policy": {"specific": {"versions": [1]}}})
        assert requests.post(f"{server.url}/v2/repository/models/shop/load", timeout=30,
                             json={"parameters": {"config": config}}).status_code == 200
        assert release(server, "stage", version=2).status_code == 200
        with Traffic(server.url, "/v2/models/shop/infer", body, threads=4) as traffic:
            ordered = release(server, "canary", steps=[20, 50], step_seconds=2, advances=True, bake_seconds=1)
            assert ordered.status_code == 200
            await_phase(server, "done", 40)
        assert traffic.statuses().keys() == {200} and not traffic.failures
        assert traffic.count(1) > 0 and traffic.count(2) > 0
        assert version_of(server) == 2
        assert requests.get(f"{server.url}/kefu/v1/labels/shop", timeout=9).json()["stable"] == 2


@case("19a")
def test_random_orders_never_bring_back_an_old_version(publish):
    """Releases, promotions, rollbacks and kills in any order: only the two versions of the release answer."""
    rng = random.Random(19)
    for _ in range(4):
        repository = publish()
    config = {"version_policy": {"all": {}}}
    (repository / MODEL / "config.json").write_text(json.dumps(config))
    settings = ("http.admin=true", "models.load=shop", "log.level=off")
    server = Server(repository, *settings)
    assert requests.post(f"{server.url}/kefu/v1/labels/shop", json={"stable": 1, "expected": None},
                         timeout=9).status_code == 200
    stable, canary, share = 1, None, 0  # the model of what must be
    try:
        for _ in range(pick(25, 300)):
            order = rng.choice(["stage", "canary", "promote", "rollback", "kill"])
            if order == "kill":
                server.process.kill()
                server.process.wait(timeout=9)
                server = Server(repository, *settings)
            elif order == "stage":
                version = rng.randint(1, 4)
                done = release(server, "stage", version=version).status_code
                assert (done == 200) == (canary is None and version != stable), (done, version, stable, canary)
                if done == 200:
                    canary, share = version, 0
            elif order == "canary":
                done = release(server, "canary", steps=[40], step_seconds=900).status_code
                if done == 200:
                    assert canary is not None
                    share = 40
            elif order == "promote":
                done = release(server, "promote", bake_seconds=0).status_code
                if done == 200:
                    assert canary is not None and share
                    await_phase(server, "done")
                    stable, canary, share = canary, None, 0
            elif release(server, "rollback").status_code == 200:
                assert canary is not None
                await_phase(server, "rolled_back")
                canary, share = None, 0
            seen = {version_of(server, f"key-{number}") for number in range(30)}
            assert seen == ({stable, canary} if share else {stable}), (order, seen, stable, canary, share)
    finally:
        server.__exit__()


@case("19b")
@pytest.mark.skipif(not FULL, reason="three times five minutes")
@pytest.mark.parametrize("run", range(3))
def test_a_healthy_canary_stays(publish, tmp_path, record_property, run):
    """The same model once more, at 200 requests a second: no guard ends its release."""
    publish(delay_us=2000)
    body_file = tmp_path / "body.json"
    body_file.write_text(json.dumps(body(run)))
    with Server(publish(delay_us=2000), "http.admin=true", "models.load=shop") as server:
        config = json.dumps({"version_policy": {"specific": {"versions": [1]}}})
        assert requests.post(f"{server.url}/v2/repository/models/shop/load", timeout=30,
                             json={"parameters": {"config": config}}).status_code == 200
        assert release(server, "stage", version=2).status_code == 200
        assert release(server, "canary", steps=[50], step_seconds=900).status_code == 200
        done = kefu_bench(server, body_file, 300)
        assert done["outcomes"].keys() == {"200"}
        ended = status(server)
        record_property("phase", ended["phase"])
        record_property("canary_replies", ended["canary_replies"])
        record_property("guards", [[guard["guard"], f"{guard['alarm']:.3g}"] for guard in ended["guards"]])
        assert ended["phase"] == "canary" and ended["canary_replies"] > 20_000


def kefu_bench(server, file, seconds):
    return load(file.parent, server.url, "--body", file, "--path", "/v2/models/shop/infer", "--rate", 200, "--duration",
                seconds, "--warmup", 0)


def test_shadow_answers_are_compared_and_not_heard(publish):
    publish()
    with Server(publish(), "http.admin=true", "models.load=shop") as server:
        release(server, "stage", version=1)
        assert release(server, "shadow").status_code == 200
        assert {version_of(server) for _ in range(30)} == {2}
        end = time.monotonic() + 20
        while (seen := status(server))["shadow"]["agreed"] < 30:
            assert time.monotonic() < end, seen
        assert seen["shadow"] == {"agreed": 30, "differed": 0, "failed": 0}


def test_kill_9_keeps_labels_and_release(publish):
    publish()
    repository = publish()
    first = Server(repository, "http.admin=true", "models.load=shop")
    assert release(first, "stage", version=1).status_code == 200
    assert release(first, "canary", steps=[10, 40], step_seconds=900).status_code == 200
    before = status(first)
    keys = [f"key-{i}" for i in range(100)]
    versions = {key: version_of(first, key) for key in keys}
    assert set(versions.values()) == {1, 2}
    with Traffic(first.url, "/v2/models/shop/infer", body, threads=2) as traffic:
        traffic.await_answers(1, 1)
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait(timeout=9)
    with Server(repository, "http.admin=true", "models.load=shop") as again:
        after = status(again)
        for member in ("id", "phase", "steps", "step", "stable", "canary", "since"):
            assert after[member] == before[member]
        assert {key: version_of(again, key) for key in keys} == versions
        assert release(again, "rollback").status_code == 200


def test_the_command(publish):
    publish()
    with Server(publish(), "http.admin=true", "models.load=shop") as server:
        def run(*arguments):
            return kefu("release", *arguments, "--server", server.url)

        assert "no release so far" in run("status").stdout
        assert "phase draft" in run("stage", "shop", "1").stdout
        assert "canary  5 % of 5 %, 25 %" in run("canary", "shop", "--steps", "5,25").stdout
        assert status(server)["shadow_percent"] == 0
        assert "phase hold" in run("hold", "shop").stdout
        shown = run("status", "shop").stdout
        assert "version 2 -> 1" in shown and "replies: canary" in shown
        assert json.loads(run("status", "shop", "--json").stdout)["phase"] == "hold"
        assert "why not" in run("rollback", "shop", "--reason", "why not").stdout
        again = run("promote", "shop")
        assert again.returncode == 1 and "rolled_back" in again.stderr
    gone = kefu("release", "status", "--server", "http://127.0.0.1:1")
    assert gone.returncode == 1 and "no server answers at 127.0.0.1:1" in gone.stderr
    assert "http://127.0.0.1:8080" in kefu("release", "status", "--server", "localhost").stderr


def test_who_names_the_canary_is_not_judged(publish):
    """A tester who makes the canary fail by its label does not end the release."""
    publish()
    with Server(publish(fail_every=1), "http.admin=true", "models.load=none", "batching.max_batch=1") as server:
        config = json.dumps({"version_policy": {"specific": {"versions": [1]}}})
        assert requests.post(f"{server.url}/v2/repository/models/shop/load", timeout=30,
                             json={"parameters": {"config": config}}).status_code == 200
        assert release(server, "stage", version=2).status_code == 200
        assert release(server, "canary", steps=[0.01]).status_code == 200
        headers = {"Kefu-Label": "canary"}
        with Traffic(server.url, "/v2/models/shop/infer", body, lambda i: headers, threads=2) as tester:
            end = time.monotonic() + 5  # windows that would have ended it
            while time.monotonic() < end and status(server)["phase"] == "canary":
                pass
        assert tester.statuses().get(500, 0) > 300
        assert status(server)["phase"] == "canary"


def test_pages_of_other_origins_give_no_orders(publish):
    with Server(publish(), "http.admin=true", "models.load=shop") as server:
        url = f"{server.url}/v2/repository/models/shop/unload"
        assert requests.post(url, headers={"Origin": "https://evil.example"}, timeout=9).status_code == 403
        assert version_of(server) == 1
        assert requests.post(url, headers={"Origin": server.url}, timeout=30).status_code == 200


def test_a_state_that_cannot_be_read_stops_the_start(publish):
    repository = publish()
    (repository / "releases.json").write_text('{"format": 1, "models": {"shop": {"releases": "x"}}}')
    started = subprocess.run([KEFU, "serve", "--set", f"models.repository={repository}", "--set", "models.load=shop"],
                             cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert started.returncode == 1 and "releases.json" in started.stderr and '"releases"' in started.stderr
