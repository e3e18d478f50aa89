"""inference.GRPCInferenceService with Triton's own client."""
import queue
import threading

import grpc
import numpy
import pytest
import requests
import tritonclient.grpc as triton
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

import tensor_models
from conftest import Server
from pace import case


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return tmp_path_factory.mktemp("grpc")


@pytest.fixture(scope="module")
def running(models, tmp_path_factory):
    tensor_models.publish_all(models, tmp_path_factory.mktemp("plans"), {
        "simple": tensor_models.add_sub(), "simple_int8": tensor_models.add_sub("INT8"),
        "simple_string": tensor_models.add_sub("BYTES"), "identity_fp32": tensor_models.identity("FP32"),
        "fx_sleep": tensor_models.identity(delay_us=400_000)})
    with Server(models, "grpc.admin=true", "models.load=simple,simple_int8,simple_string,identity_fp32,fx_sleep",
                ) as server:
        yield server


@pytest.fixture
def client(running):
    with triton.InferenceServerClient(running.grpc) as client:
        yield client


@pytest.fixture
def stub(running):
    with grpc.insecure_channel(running.grpc) as channel:
        yield service_pb2_grpc.GRPCInferenceServiceStub(channel)


def tensor(name, values, datatype="INT32"):
    found = triton.InferInput(name, list(values.shape), datatype)
    found.set_data_from_numpy(values)
    return found


def refusal(call, *arguments, **named):
    with pytest.raises(InferenceServerException) as caught:
        call(*arguments, **named)
    return caught.value.status().removeprefix("StatusCode."), caught.value.message()


def test_health_and_metadata(client, running):
    assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("simple")
    server = client.get_server_metadata(as_json=True)
    assert server["extensions"] == requests.get(running.url + "/v2", timeout=30).json()["extensions"]
    model = client.get_model_metadata("simple", as_json=True)
    assert model["inputs"][0] == {"name": "INPUT0", "datatype": "INT32", "shape": ["-1", "16"]}
    config = client.get_model_config("simple")
    assert config.config.max_batch_size == 32 and config.config.input[0].dims == [16]
    assert config.config.input[0].data_type == 8 and config.config.HasField("dynamic_batching")
    health = grpc.insecure_channel(running.grpc).unary_unary("/grpc.health.v1.Health/Check")
    assert health(b"") == b"\x08\x01"  # SERVING
    assert refusal(client.get_model_metadata, "nothing")[0] == "NOT_FOUND"
    assert refusal(client.get_model_metadata, "simple", "9")[0] == "NOT_FOUND"


@pytest.mark.parametrize("model, datatype, numbers", [("simple", "INT32", numpy.int32), ("simple_int8", "INT8", numpy.int8)])
def test_infer(client, model, datatype, numbers):
    a = numpy.arange(32, dtype=numbers).reshape(2, 16)
    result = client.infer(model, [tensor("INPUT0", a, datatype), tensor("INPUT1", a + 1, datatype)], request_id="7")
    assert (result.as_numpy("OUTPUT0") == 2 * a + 1).all()
    assert (result.as_numpy("OUTPUT1") == -1).all()
    assert result.get_response().id == "7"


def test_infer_bytes_and_classification(client):
    a = numpy.array([[str(i) for i in range(16)]], dtype=object)
    result = client.infer("simple_string", [tensor("INPUT0", a, "BYTES"), tensor("INPUT1", a, "BYTES")])
    assert [int(x) for x in result.as_numpy("OUTPUT0")[0]] == [2 * i for i in range(16)]
    scores = numpy.array([[0.5, 3, 1]], dtype=numpy.float32)
    result = client.infer("identity_fp32", [tensor("INPUT0", scores, "FP32")],
                          outputs=[triton.InferRequestedOutput("OUTPUT0", class_count=2)])
    assert result.as_numpy("OUTPUT0").tolist() == [[b"3.000000:1", b"1.000000:2"]]


def test_contents_and_raw_say_the_same(stub):
    request = service_pb2.ModelInferRequest(model_name="simple")
    for name in ("INPUT0", "INPUT1"):
        request.inputs.add(name=name, datatype="INT32", shape=[1, 16]).contents.int_contents.extend(range(16))
    typed = stub.ModelInfer(request)
    for tensor_ in request.inputs:
        tensor_.ClearField("contents")
        request.raw_input_contents.append(numpy.arange(16, dtype=numpy.int32).tobytes())
    raw = stub.ModelInfer(request)
    assert typed.raw_output_contents == raw.raw_output_contents
    request.inputs[0].contents.int_contents.append(1)
    with pytest.raises(grpc.RpcError) as mixed:
        stub.ModelInfer(request)
    assert mixed.value.code() == grpc.StatusCode.INVALID_ARGUMENT and "use one of the two" in mixed.value.details()


@case("11a", "11c")
@pytest.mark.parametrize("shape", [[-1, 16], [2**31, 16], [2**63 - 1, 16], [2**32, 2**32], [1, 15]])
def test_shapes_that_break_servers(stub, client, shape):
    request = service_pb2.ModelInferRequest(model_name="simple")
    for name in ("INPUT0", "INPUT1"):
        request.inputs.add(name=name, datatype="INT32", shape=shape)
        request.raw_input_contents.append(b"1234")
    with pytest.raises(grpc.RpcError) as refused:
        stub.ModelInfer(request)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert client.is_server_live()


def test_errors_have_the_codes_of_http(client, running):
    a = numpy.zeros((1, 16), dtype=numpy.int32)
    assert refusal(client.infer, "nothing", [tensor("INPUT0", a)])[0] == "NOT_FOUND"
    code, text = refusal(client.infer, "simple", [tensor("INPUT0", a)])
    assert code == "INVALID_ARGUMENT" and "expected 2 inputs" in text
    http = requests.post(running.url + "/v2/models/simple/infer", timeout=30, json={
        "inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "data": [0] * 16}]})
    assert http.status_code == 400 and http.json()["error"] == text
    large = numpy.zeros((2 * 1024 * 1024 // 64 + 1, 16), dtype=numpy.int32)
    assert refusal(client.infer, "simple", [tensor("INPUT0", large), tensor("INPUT1", large)])[0] == "RESOURCE_EXHAUSTED"


@case("9a")
def test_deadline_and_cancel(client, running):
    """Expired and cancelled calls end at once; what waited is never run."""
    a = numpy.zeros((1, 1), dtype=numpy.int32)
    before = client.get_inference_statistics("fx_sleep").model_stats[0]
    done = queue.Queue()
    client.async_infer("fx_sleep", [tensor("INPUT0", a)], callback=lambda result, error: done.put(error))
    running.await_metric(1, "kefu_instances_busy", model="fx_sleep")
    assert refusal(client.infer, "fx_sleep", [tensor("INPUT0", a)], client_timeout=0.05)[0] == "DEADLINE_EXCEEDED"
    calls = [client.async_infer("fx_sleep", [tensor("INPUT0", a)], callback=lambda result, error: done.put(error))
             for _ in range(20)]
    running.await_metric(20, "kefu_queue_requests", model="fx_sleep")
    for call in calls:
        call.cancel()
    errors = [done.get(timeout=10) for _ in range(21)]
    assert sum(error is None for error in errors) == 1
    assert client.infer("fx_sleep", [tensor("INPUT0", a)]).as_numpy("OUTPUT0") == 0
    after = client.get_inference_statistics("fx_sleep").model_stats[0]
    assert after.inference_count - before.inference_count == 2
    assert after.inference_stats.fail.count - before.inference_stats.fail.count == 21


def test_stream(client):
    answers = queue.Queue()
    client.start_stream(callback=lambda result, error: answers.put((result, error)))
    for i in range(200):
        a = numpy.full((1, 16), i, dtype=numpy.int32)
        client.async_stream_infer("simple", [tensor("INPUT0", a), tensor("INPUT1", a)], request_id=str(i))
    client.async_stream_infer("nothing", [tensor("INPUT0", a)], request_id="bad")
    seen, errors = set(), []
    for _ in range(201):
        result, error = answers.get(timeout=10)
        if error:
            errors.append(error)
        else:
            number = int(result.get_response().id)
            assert (result.as_numpy("OUTPUT0") == 2 * number).all()
            seen.add(number)
    client.stop_stream()
    assert seen == set(range(200)) and len(errors) == 1 and "unknown model" in str(errors[0])


def test_repository(client, models, tmp_path):
    tensor_models.publish(models, tmp_path, "coming", tensor_models.identity())
    assert not client.is_model_ready("coming")
    client.load_model("coming", config='{"max_batch_size": "16"}')
    assert client.get_model_config("coming").config.max_batch_size == 16
    assert ("coming", "1", "READY") in {(row.name, row.version, row.state)
                                        for row in client.get_model_repository_index().models}
    client.unload_model("coming")
    assert not client.is_model_ready("coming")
    code, text = refusal(client.load_model, "nothing")
    assert code == "NOT_FOUND" and "failed to load 'nothing', failed to poll from model repository" in text


def test_settings_are_read_only(client):
    assert client.get_log_settings().settings["log_info"].bool_param
    assert client.get_trace_settings("simple").settings["trace_level"].value == ["OFF"]
    assert refusal(client.update_log_settings, {"log_verbose_level": 1})[0] == "UNIMPLEMENTED"
    assert refusal(client.get_system_shared_memory_status)[0] == "UNIMPLEMENTED"


def test_nlu_over_grpc_says_what_parse_says(repository):
    with Server(repository) as server, triton.InferenceServerClient(server.grpc) as client:
        texts = numpy.array([["where is my order Q5-77"], [""]], dtype=object)
        result = client.infer("default", [tensor("text", texts, "BYTES")])
        reply = requests.post(server.url + "/model/parse", json={"text": texts[0][0]}, timeout=30).json()
        assert result.as_numpy("intent")[0][0].decode() == reply["intent"]["name"]
        assert result.as_numpy("confidence")[0][0] == pytest.approx(reply["intent"]["confidence"], abs=1e-6)
        with pytest.raises(InferenceServerException) as refused:
            client.load_model("default")
        assert refused.value.status() == "StatusCode.PERMISSION_DENIED"


def test_sigterm_finishes_calls_under_way(models, running):
    """6: readiness says no at once, calls are served during the delay and finished after it."""
    server = Server(models, "models.load=simple,fx_sleep", "shutdown.delay_ms=3000")
    with triton.InferenceServerClient(server.grpc) as client:
        a = numpy.zeros((1, 1), dtype=numpy.int32)
        answered, stop = [], threading.Event()

        def ask():
            with triton.InferenceServerClient(server.grpc) as mine:
                while not stop.is_set():
                    answered.append(mine.infer("fx_sleep", [tensor("INPUT0", a)]))

        asking = threading.Thread(target=ask)
        asking.start()
        server.process.terminate()
        while client.is_server_ready():
            pass
        assert client.is_server_live()
        assert client.infer("fx_sleep", [tensor("INPUT0", a)]).as_numpy("OUTPUT0") == 0
        stop.set()
        asking.join()
        assert answered
    assert server.process.wait(timeout=10) == 0
