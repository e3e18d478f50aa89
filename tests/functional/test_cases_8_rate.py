"""The rate holds with timeouts on."""
import tensor_models
from conftest import Server
from load import anonymous_mib, body_file, load
from pace import case, pick

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
        failed = report["requests"] - report["outcomes"].get("200", 0)
        record_property("first_and_last", [first, last])
        record_property("failed_of", [failed, report["requests"]])
        record_property("mib", [round(before, 1), round(anonymous_mib(server), 1)])
        assert last >= pick(0.7, 0.99) * first
        assert failed <= pick(0.1, 0.001) * report["requests"]
        assert anonymous_mib(server) < before + 2
