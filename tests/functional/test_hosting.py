"""Models of tensors, versions, load and unload, statistics and configuration, over HTTP."""
import concurrent.futures
import json
import shutil

import numpy
import pytest
import requests

import tensor_models
from conftest import Server
from pace import case
from traffic import Traffic


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return tmp_path_factory.mktemp("tensors")


@pytest.fixture(scope="module")
def running(models, tmp_path_factory):
    """A server with the tensor models that Triton's examples know."""
    tensor_models.publish_all(models, tmp_path_factory.mktemp("plans"), {
        "simple": tensor_models.add_sub(), "simple_string": tensor_models.add_sub("BYTES"),
        "simple_int8": tensor_models.add_sub("INT8"), "simple_identity": tensor_models.identity("BYTES"),
        "identity_fp32": tensor_models.identity("FP32"), "fx_sleep": tensor_models.identity(delay_us=400_000),
        "fx_slowload": tensor_models.identity(load_ms=1500), "fx_flaky": tensor_models.identity(fail_every=2)})
    with Server(models, "http.admin=true",
                "models.load=simple,simple_string,simple_int8,simple_identity,identity_fp32,fx_sleep,fx_flaky",
                ) as server:
        yield server


@pytest.fixture(scope="module")
def triton(running):
    """Its address."""
    return running.url


def numbers(name, values, datatype="INT32"):
    values = numpy.asarray(values)
    return {"name": name, "datatype": datatype, "shape": list(values.shape), "data": values.flatten().tolist()}


def infer(url, model, inputs, **members):
    headers = members.pop("headers", {})
    return requests.post(f"{url}/v2/models/{model}/infer", json={"inputs": inputs, **members}, headers=headers,
                         timeout=60)


def change(url, model, verb, **parameters):
    return requests.post(f"{url}/v2/repository/models/{model}/{verb}", json={"parameters": parameters}, timeout=60)


def index(url):
    return {(row["name"], row.get("version")): row.get("state")
            for row in requests.post(url + "/v2/repository/index", timeout=30).json()}


def stats(url, model):
    return requests.get(f"{url}/v2/models/{model}/stats", timeout=30).json()["model_stats"][0]


@pytest.mark.parametrize("model, datatype", [("simple", "INT32"), ("simple_int8", "INT8")])
def test_sum_and_difference(triton, model, datatype):
    a = numpy.arange(32).reshape(2, 16)
    reply = infer(triton, model, [numbers("INPUT0", a, datatype), numbers("INPUT1", a + 1, datatype)])
    assert reply.status_code == 200, reply.text
    outputs = {output["name"]: output for output in reply.json()["outputs"]}
    assert outputs["OUTPUT0"]["data"] == (2 * a + 1).flatten().tolist()
    assert outputs["OUTPUT1"]["data"] == [-1] * 32
    assert outputs["OUTPUT1"]["shape"] == [2, 16]
    assert outputs["OUTPUT1"]["datatype"] == datatype


def test_outputs_that_were_asked_for(triton):
    a = numpy.ones((1, 16), dtype=int)
    inputs = [numbers("INPUT1", a), numbers("INPUT0", a)]
    reply = infer(triton, "simple", inputs, outputs=[{"name": "OUTPUT1"}]).json()
    assert [output["name"] for output in reply["outputs"]] == ["OUTPUT1"]
    refusal = infer(triton, "simple", inputs, outputs=[{"name": "OUTPUT9"}])
    assert refusal.status_code == 400 and "unexpected inference output 'OUTPUT9'" in refusal.json()["error"]


def test_raw_request_of_any_type(triton):
    values = numpy.arange(6, dtype=numpy.float32)
    reply = requests.post(triton + "/v2/models/identity_fp32/infer", data=values.tobytes(), timeout=30,
                          headers={"Inference-Header-Content-Length": "0"})
    assert reply.status_code == 200, reply.text
    size = int(reply.headers["Inference-Header-Content-Length"])
    assert json.loads(reply.content[:size])["outputs"][0]["shape"] == [1, 6]
    assert reply.content[size:] == values.tobytes()
    odd = requests.post(triton + "/v2/models/identity_fp32/infer", data=b"12345", timeout=30,
                        headers={"Inference-Header-Content-Length": "0"})
    assert odd.status_code == 400


def test_classification(triton):
    values = [[0.5, 3, 3, -1], [9, 1, 2, 3]]
    reply = infer(triton, "identity_fp32", [numbers("INPUT0", values, "FP32")],
                  outputs=[{"name": "OUTPUT0", "parameters": {"classification": 2}}]).json()
    output = reply["outputs"][0]
    assert output["datatype"] == "BYTES" and output["shape"] == [2, 2]
    assert output["data"] == ["3.000000:1", "3.000000:2", "9.000000:0", "3.000000:3"]


@case("11a", "11c")
def test_shapes_that_break_servers(triton):
    """Negative, zero, huge dimensions and products that overflow."""
    for shape in ([-1, 16], [0, 16], [2**31, 16], [2**63 - 1, 16], [2**32, 2**32], [1, 15], [16], [1] * 9):
        reply = infer(triton, "simple", [{"name": name, "datatype": "INT32", "shape": shape, "data": []}
                                         for name in ("INPUT0", "INPUT1")])
        assert reply.status_code == (200 if shape == [0, 16] else 400), (shape, reply.text)
        assert requests.get(triton + "/v2/health/live", timeout=5).status_code == 200


def test_a_failed_run_is_a_500_and_counted(triton):
    codes = [infer(triton, "fx_flaky", [numbers("INPUT0", [[1]])]).status_code for _ in range(4)]
    assert sorted(codes) == [200, 200, 500, 500]
    assert stats(triton, "fx_flaky")["inference_stats"]["fail"]["count"] == 2


@case("8b")
def test_deadline(running, triton):
    """Answered on time although the instance is busy, and not executed."""
    before = stats(triton, "fx_sleep")["inference_count"]
    with concurrent.futures.ThreadPoolExecutor(2) as clients:
        busy = clients.submit(infer, triton, "fx_sleep", [numbers("INPUT0", [[0]])])
        running.await_metric(1, "kefu_instances_busy", model="fx_sleep")
        late = infer(triton, "fx_sleep", [numbers("INPUT0", [[1]])], headers={"Kefu-Timeout-Ms": "50"})
        assert not busy.done()
        assert late.status_code == 504 and "deadline" in late.json()["error"]
        assert busy.result().status_code == 200
    assert stats(triton, "fx_sleep")["inference_count"] == before + 1
    bad = infer(triton, "fx_sleep", [numbers("INPUT0", [[1]])], headers={"Kefu-Timeout-Ms": "soon"})
    assert bad.status_code == 400


@case("7e", "8b")
def test_queue_timeout_and_limit(models, triton, tmp_path):
    """A full queue is 429 with Retry-After, a wait that is too long 503; both say how to go on."""
    tensor_models.publish(models, tmp_path, "fx_queue", tensor_models.identity(shape=(1,), delay_us=300_000))
    config = {"dynamic_batching": {"default_queue_policy": {"max_queue_size": 8, "default_timeout_microseconds": 100000}}}
    assert change(triton, "fx_queue", "load", config=json.dumps(config)).status_code == 200
    with concurrent.futures.ThreadPoolExecutor(40) as clients:
        replies = [reply.result() for reply in
                   [clients.submit(infer, triton, "fx_queue", [numbers("INPUT0", [1])]) for _ in range(40)]]
    codes = [reply.status_code for reply in replies]
    assert set(codes) == {200, 429, 503}
    for reply in replies:
        if reply.status_code == 429:
            assert reply.headers["Retry-After"] and "Exceeds maximum queue size" in reply.json()["error"]
        if reply.status_code == 503:
            assert "Request timeout expired" in reply.json()["error"]


@case("2f", "3d")
def test_load_unload_and_index(models, triton, tmp_path):
    """A new version is picked up, an unchanged one is not loaded again; unknown names are told apart."""
    tensor_models.publish(models, tmp_path, "coming", tensor_models.identity())
    assert index(triton)[("coming", None)] is None
    assert infer(triton, "coming", []).status_code == 503
    assert change(triton, "coming", "load").status_code == 200
    assert index(triton)[("coming", "1")] == "READY"
    assert infer(triton, "coming", [numbers("INPUT0", [[1]])]).json()["model_version"] == "1"
    tensor_models.publish(models, tmp_path, "coming", tensor_models.identity())
    before = stats(triton, "coming")["inference_count"]
    assert infer(triton, "coming", [numbers("INPUT0", [[1]])]).json()["model_version"] == "1"
    assert stats(triton, "coming")["inference_count"] == before + 1
    assert change(triton, "coming", "load").status_code == 200
    assert infer(triton, "coming", [numbers("INPUT0", [[1]])]).json()["model_version"] == "2"
    assert index(triton)[("coming", "1")] == "UNAVAILABLE"
    count = stats(triton, "coming")["inference_count"]
    assert change(triton, "coming", "load").status_code == 200
    assert stats(triton, "coming")["inference_count"] == count  # the same one still serves
    assert requests.get(triton + "/v2/models/coming/versions/1/ready", timeout=30).status_code == 503
    assert requests.get(triton + "/v2/models/coming/versions/9", timeout=30).status_code == 404
    assert change(triton, "coming", "unload").status_code == 200
    assert requests.get(triton + "/v2/models/coming/ready", timeout=30).status_code == 503
    for path in ("", "/ready", "/config", "/stats"):
        assert requests.get(triton + "/v2/models/nothing" + path, timeout=30).status_code == 404
    missing = change(triton, "nothing", "load")
    assert missing.status_code == 404 and "failed to poll from model repository" in missing.json()["error"]
    assert change(triton, "..%2Fetc", "load").status_code == 400


def test_a_broken_version_leaves_the_old_one(models, triton, tmp_path):
    tensor_models.publish(models, tmp_path, "careful", tensor_models.identity())
    assert change(triton, "careful", "load").status_code == 200
    tensor_models.publish(models, tmp_path, "careful", tensor_models.identity())
    with open(models / "careful" / "2" / "model.json", "a", encoding="utf-8") as plan:
        plan.write(" ")
    broken = change(triton, "careful", "load")
    assert broken.status_code >= 400 and "failed to load 'careful'" in broken.json()["error"]
    assert infer(triton, "careful", [numbers("INPUT0", [[1]])]).json()["model_version"] == "1"
    assert index(triton)[("careful", "2")] == "UNAVAILABLE"
    shutil.rmtree(models / "careful" / "2")
    assert change(triton, "careful", "load").status_code == 200


def test_operations(triton):
    accepted = change(triton, "fx_slowload", "load", kefu_async=True)
    assert accepted.status_code == 202
    where = triton + accepted.headers["Location"]
    states = set()
    while not states & {"succeeded", "failed"}:  # the load takes 1.5 s
        states.add(requests.get(where, timeout=30).json()["state"])
    assert states >= {"running", "succeeded"}
    assert requests.get(triton + "/kefu/v1/operations/999999", timeout=30).status_code == 404


def test_what_is_not_offered_says_so(triton):
    assert requests.get(triton + "/v2/logging", timeout=30).status_code == 200
    assert requests.post(triton + "/v2/logging", json={"log_file": "/tmp/x"}, timeout=30).status_code == 501
    assert requests.get(triton + "/v2/models/simple/trace/setting", timeout=30).json()["trace_level"] == ["OFF"]
    assert requests.get(triton + "/v2/systemsharedmemory/status", timeout=30).status_code == 501
    assert requests.post(triton + "/v2/repository/mine/index", timeout=30).status_code == 501
    sequence = infer(triton, "simple", [], parameters={"sequence_id": 7})
    assert sequence.status_code == 501


def test_without_admin_nobody_takes_orders(server):
    assert requests.post(server + "/v2/repository/models/default/unload", timeout=30).status_code == 404


def test_instances_come_and_go_with_the_load(models, running, tmp_path):
    """2 -> 8 -> 2 under a step load, with no failed request; the time to leave is scaled down."""
    tensor_models.publish(models, tmp_path, "elastic", tensor_models.identity(delay_us=50_000))
    config = {"max_batch_size": 1, "instance_group": [{"count": 2}],
              "parameters": {"kefu.max_instances": {"string_value": "8"},
                             "kefu.instances_remove_after_ms": {"string_value": "700"}}}
    assert change(running.url, "elastic", "load", config=json.dumps(config)).status_code == 200
    assert running.metric("kefu_instances", model="elastic") == 2

    def body(i):
        return {"inputs": [numbers("INPUT0", [[i % 100]])]}

    with Traffic(running.url, "/v2/models/elastic/infer", body, threads=40) as traffic:
        running.await_metric(8, "kefu_instances", model="elastic")
    with Traffic(running.url, "/v2/models/elastic/infer", body, threads=1) as trickle:
        running.await_metric(2, "kefu_instances", model="elastic")
    for load in (traffic, trickle):
        assert not load.failures and load.statuses().keys() == {200}


def test_equal_requests_are_computed_once(models, running, tmp_path):
    """2.4: single flight, hits that take no run, a bypass, errors that are not kept; off by default."""
    tensor_models.publish(models, tmp_path, "kept", tensor_models.identity(delay_us=300_000))
    config = {"max_batch_size": 1, "response_cache": {"enable": True}}
    assert change(running.url, "kept", "load", config=json.dumps(config)).status_code == 200
    assert requests.get(running.url + "/v2/models/kept/config", timeout=9).json()["response_cache"]["enable"] is True
    with concurrent.futures.ThreadPoolExecutor(20) as clients:
        replies = [one.result() for one in [clients.submit(infer, running.url, "kept", [numbers("INPUT0", [[5]])],
                                                           id=str(i)) for i in range(20)]]
    for i, reply in enumerate(replies):
        assert reply.status_code == 200 and reply.json()["id"] == str(i)
        assert reply.json()["outputs"][0]["data"] == [5]
    assert stats(running.url, "kept")["execution_count"] == 1
    assert running.metric("kefu_cache_misses_total", model="kept") == 1
    hits = running.metric("kefu_cache_coalesced_total", model="kept") + running.metric(
        "kefu_cache_hits_total", model="kept")
    assert hits == 19
    assert infer(running.url, "kept", [numbers("INPUT0", [[5]])]).status_code == 200
    after = stats(running.url, "kept")
    assert after["execution_count"] == 1 and after["inference_count"] == 1
    assert after["inference_stats"]["success"]["count"] == 21 and after["inference_stats"]["cache_hit"]["count"] == 20
    assert infer(running.url, "kept", [numbers("INPUT0", [[5]])], parameters={"kefu_cache": False}).status_code == 200
    assert infer(running.url, "kept", [numbers("INPUT0", [[6]])]).json()["outputs"][0]["data"] == [6]
    assert stats(running.url, "kept")["execution_count"] == 3
    with concurrent.futures.ThreadPoolExecutor(2) as clients:
        leader = clients.submit(infer, running.url, "kept", [numbers("INPUT0", [[7]])])
        running.await_metric(1, "kefu_instances_busy", model="kept")
        late = infer(running.url, "kept", [numbers("INPUT0", [[7]])], headers={"Kefu-Timeout-Ms": "30"})
        assert late.status_code == 504 and not leader.done()
        assert leader.result().status_code == 200
    assert running.metric("kefu_cache_bytes", model="kept") > 0
    assert running.metric("kefu_cache_hits_total", model="simple") == 0
