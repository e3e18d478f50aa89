"""Requests above a budget, or of very many rows, hold up nobody."""
import requests

import tensor_models
from conftest import Server
from load import Load, body_file, load
from pace import case, pick


def texts(values):
    return {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [len(values), 1], "data": values}]}


@case("1a")
def test_texts_above_the_budget(repository, tmp_path, record_property):
    """A text above the token budget is answered, or refused at once, and short ones are served meanwhile."""
    short = tmp_path / "short.txt"
    short.write_text("hello\ngood morning\nwhere is my order A7-1\n")
    options = ("--texts", short, "--rate", 20, "--connections", 8, "--warmup", 0.2)
    with Server(repository, "batching.max_batch_tokens=512") as server, requests.Session() as session:
        def parse(text):
            return session.post(server.url + "/model/parse", json={"text": text}, timeout=60)

        alone = load(tmp_path, server.url, *options, "--duration", pick(2, 20))
        long_ms = min(parse("a " * 500).elapsed.total_seconds() for _ in range(5)) * 1000  # a full row, alone
        with Load(tmp_path, server.url, *options, "--duration", pick(4, 60)) as steady:
            while steady.runs():
                for words in (300, 511, 512, 513, 4096):
                    reply = parse("a " * words).json()
                    assert not reply["truncated"] and (reply["windows"] > 1) == (words > 500)
                both = session.post(server.url + "/v2/models/default/infer", timeout=60,
                                    json=texts(["b " * 513, "hello", "c " * 512]))
                assert both.status_code == 200 and both.json()["outputs"][0]["shape"] == [3, 1]
                refused = parse("a" * 32_001)
                assert refused.status_code in (400, 413) and "32000" in refused.text
        assert steady.report["outcomes"].keys() == {"200"}
        record_property("p99_ms_alone", alone["latency_ms"]["p99"])
        record_property("p99_ms_beside", steady.report["latency_ms"]["p99"])
        record_property("ms_of_a_full_row", round(long_ms, 1))
        # A run is not interrupted: a running and a staged one of long rows are in front at most, and the short text's
        # own may be one with a long row in it. A blocked queue would show seconds.
        assert steady.report["latency_ms"]["p99"] < alone["latency_ms"]["p99"] + pick(1000, 3 * long_ms)


@case("1b")
def test_a_batch_that_bursts(repository, tmp_path):
    """8,000 texts while no permit is left; lists beyond the limits."""
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "default").symlink_to(repository / "default")
    tensor_models.publish(folder, tmp_path, "slow", tensor_models.identity(delay_us=1_000_000))
    one = body_file(tmp_path, {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [1]}]})
    with Server(folder, "models.load=default,slow", "admission.requests=4") as server:
        path = server.url + "/v2/models/default/infer"
        with Load(tmp_path, server.url, "--body", one, "--path", "/v2/models/slow/infer", "--connections", 4,
                  "--duration", 3, "--warmup", 0) as holding:
            server.await_metric(4, "kefu_permits_requests_used")
            refused = requests.post(path, json=texts(["hello"] * 8000), timeout=30)
            assert refused.status_code == 429 and refused.headers["Retry-After"] == "1"
        assert holding.report["outcomes"].keys() == {"200"}
        for reply in (requests.post(path, json=texts(["hello"] * 8193), timeout=30),
                      requests.post(server.url + "/v1/embeddings", json={"input": ["hello"] * 2049}, timeout=30)):
            assert reply.status_code == 413 and ("8192" in reply.text or "2048" in reply.text)
        assert requests.post(path, json=texts(["hello"] * 64), timeout=60).json()["outputs"][0]["shape"] == [64, 1]


@case("1c")
def test_many_rows_of_many_clients(tmp_path, record_property):
    """Requests of many rows are cut across batches, at concurrency as alone."""
    models = tmp_path / "models"
    tensor_models.publish(models, tmp_path, "rows", tensor_models.identity(shape=(-1, 1), delay_us=4000))
    tensor_models.configure(models, "rows", max_batch_size=64)
    rows, clients = pick(480, 4800), pick(16, 64)
    body = body_file(tmp_path, {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [rows, 1],
                                            "data": list(range(rows))}]})
    options = ("--body", body, "--path", "/v2/models/rows/infer", "--duration", pick(2, 20), "--warmup", 0.5,
               "--timeout-ms", 60_000)
    with Server(models, "models.load=rows") as server:
        rates = {number: load(tmp_path, server.url, *options, "--connections", number)["achieved_rate"] * rows
                 for number in (1, clients)}
        record_property("rows_per_s", rates)
        assert rates[clients] >= pick(0.6, 0.9) * rates[1], rates
        assert server.metric("kefu_batch_rows_sum", model="rows") >= 60 * server.metric("kefu_batch_rows_count",
                                                                                      model="rows")
