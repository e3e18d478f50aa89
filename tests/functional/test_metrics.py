"""What Prometheus sees: names, series before the first request, gauges while requests wait, exact sums."""
import concurrent.futures
import re
import subprocess

import numpy
import pytest
import requests

import tensor_models
from conftest import ROOT, Server
from pace import case

PROMTOOL = ROOT / ".cache/prometheus/usr/bin/promtool"

# What promtool says of Triton's names, which stay as they are.
TRITON_LINT = (
    r"^nv_\w+ counter metrics should have \"_total\" suffix$",
    r"^nv_\w+ use base unit \"\w+\" instead of \"\w+\"$",
    r"^nv_\w+ metric names should not contain abbreviated units$",
    r"^nv_\w+ metric name should not include type 'histogram'$",
    r"^nv_\w+ non-histogram and non-summary metrics should not have \"_count\" suffix$",
)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    models, folder = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("plans")
    tensor_models.publish(models, folder, "quick", tensor_models.identity())
    tensor_models.publish(models, folder, "slow", tensor_models.identity(delay_us=300_000))
    tensor_models.publish(models, folder, "flaky", tensor_models.identity(fail_every=1))
    with Server(models, "models.load=quick,slow,flaky") as server:
        yield server


def ask(server, model, **options):
    inputs = [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [7]}]
    return requests.post(f"{server.url}/v2/models/{model}/infer", json={"inputs": inputs}, timeout=60, **options)


def text(server):
    return requests.get(server.metrics, timeout=9).text


def test_every_series_is_there_at_0_before_the_first_request(running):
    names = {line.split("{")[0].split(" ")[0] for line in text(running).splitlines() if not line.startswith("#")}
    families = set(re.findall(r"^# TYPE (\S+)", text(running), re.MULTILINE))
    for family in families - {"kefu_release_state", "kefu_release_requests_total", "kefu_tokens_total",
                              "kefu_truncated_inputs_total", "kefu_batch_tokens", "kefu_input_tokens"}:
        assert any(name.startswith(family) for name in names), family
    for name in ("nv_inference_request_success", "nv_inference_count", "nv_inference_pending_request_count",
                 "kefu_queue_requests", "kefu_request_duration_seconds_count"):
        assert running.metric(name, model="quick") == 0, name
    for reason in ("REJECTED", "CANCELED", "BACKEND", "OTHER"):
        assert running.metric("nv_inference_request_failure", model="quick", reason=reason) == 0
    assert running.metric("kefu_server_ready") == 1
    assert running.metric("kefu_model_state", model="slow", state="READY") == 1


@case("15a")
def test_gauges_while_requests_wait(running):
    """20 waiting behind one that runs."""
    with concurrent.futures.ThreadPoolExecutor(32) as clients:
        first = clients.submit(ask, running, "slow")
        running.await_metric(1, "kefu_instances_busy", model="slow")
        rest = [clients.submit(ask, running, "slow") for _ in range(20)]
        running.await_metric(20, "kefu_queue_requests", model="slow")
        assert running.metric("nv_inference_pending_request_count", model="slow") == 20
        assert running.metric("kefu_permits_requests_used") == 21
        assert all(one.result().status_code == 200 for one in [first, *rest])
    running.await_metric(0, "kefu_instances_busy", model="slow")
    for name in ("kefu_queue_requests", "kefu_queue_tokens"):
        assert running.metric(name, model="slow") == 0
    running.await_metric(0, "kefu_permits_requests_used")
    assert running.metric("kefu_permits_bytes_used") == 0


def test_parts_add_up_to_the_whole(running):
    """Rule 7: the phases do not overlap and explain the request."""
    before = {name: running.metric(f"kefu_{name}_duration_seconds_sum", model="quick") for name in
              ("request", "tokenize", "queue", "compute_input", "compute_infer", "compute_output", "postprocess")}
    for _ in range(50):
        assert ask(running, "quick").status_code == 200
    taken = {name: running.metric(f"kefu_{name}_duration_seconds_sum", model="quick") - value
             for name, value in before.items()}
    whole = taken.pop("request")
    assert abs(sum(taken.values()) - whole) < 1e-6 * 50, taken
    assert running.metric("kefu_request_duration_seconds_bucket", model="quick", le="+Inf", interface="http",
                          api="v2") == running.metric("nv_inference_request_success", model="quick")


@case("15d")
def test_a_failure_counts_once_with_its_reason(running):
    before = running.metric("kefu_responses_total", code="INTERNAL")
    assert ask(running, "flaky").status_code == 500
    assert running.metric("nv_inference_request_failure", model="flaky", reason="BACKEND") == 1
    assert running.metric("nv_inference_request_failure", model="flaky") == 1
    assert running.metric("kefu_responses_total", code="INTERNAL") == before + 1
    assert running.metric("nv_inference_request_success", model="flaky") == 0
    assert ask(running, "absent").status_code == 404
    assert running.metric("kefu_responses_total", code="NOT_FOUND", interface="http") >= 1


def test_expiry_and_its_stage(running):
    with concurrent.futures.ThreadPoolExecutor(2) as clients:
        first = clients.submit(ask, running, "slow")
        running.await_metric(1, "kefu_instances_busy", model="slow")
        before = running.metric("kefu_requests_expired_total", model="slow", stage="queued")
        assert ask(running, "slow", headers={"Kefu-Timeout-Ms": "20"}).status_code == 504
        assert running.metric("kefu_requests_expired_total", model="slow", stage="queued") == before + 1
        assert first.result().status_code == 200


def test_tokens_and_padding_of_texts(repository):
    with Server(repository) as server:
        assert server.metric("kefu_tokens_total", kind="real") == 0
        reply = requests.post(server.url + "/model/parse", json={"text": "where is my order"}, timeout=30)
        assert reply.status_code == 200
        tokens = server.metric("kefu_tokens_total", kind="real")
        assert tokens == server.metric("kefu_input_tokens_sum") and 4 < tokens < 12
        assert server.metric("kefu_tokens_total", kind="padding") == 0  # alone in its batch
        assert server.metric("kefu_request_duration_seconds_count", api="native") == 1


def test_promtool_finds_nothing_in_our_names(running):
    checked = subprocess.run([PROMTOOL, "check", "metrics"], input=text(running), text=True, capture_output=True,
                             timeout=60)
    for line in (checked.stdout + checked.stderr).splitlines():
        assert not line or any(re.search(allowed, line) for allowed in TRITON_LINT), line


def test_one_scrape_port_and_no_other(running):
    assert requests.get(running.url + "/metrics", timeout=9).status_code == 404
    assert requests.get(running.metrics.replace("/metrics", "/v2/models/quick"), timeout=9).status_code == 404
    assert requests.get(running.metrics.replace("/metrics", "/health/ready"), timeout=9).status_code == 200
