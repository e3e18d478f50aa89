"""The answer to a text depends on the text alone: not on its neighbours, nor on the route or form of the request."""
import base64
import json
import random
import struct

import numpy
import pytest
import requests
import tritonclient.grpc as triton
from tritonclient.grpc import service_pb2, service_pb2_grpc

import grpc
import tensor_models
from conftest import EXAMPLES, Server
from encoding import texts as corpus
from pace import case, pick


def infer(server, texts, **outputs):
    tensor = {"name": "text", "datatype": "BYTES", "shape": [len(texts), 1], "data": texts}
    reply = requests.post(server + "/v2/models/default/infer", json={"inputs": [tensor], **outputs}, timeout=120)
    assert reply.status_code == 200, reply.text
    return {output["name"]: output["data"] for output in reply.json()["outputs"]}


@case("12a")
def test_answers_do_not_depend_on_batch_mates(repository):
    """Each text alone, in random batches, in batches of 1, 2, 7 and 32, and beside texts of every length."""
    rng = random.Random(12)
    texts = corpus(24) + ["hello", "where is my order A7-1 " * 12, "money back " * 40]
    intents = len(EXAMPLES)
    with Server(repository, "batching.max_batch=32", "engine.precision=f32") as running:
        server = running.url
        alone = [infer(server, [text]) for text in texts]

        def check(chosen):
            together = infer(server, [texts[i] for i in chosen])
            for place, i in enumerate(chosen):
                assert together["intent"][place] == alone[i]["intent"][0]
                scores = together["scores"][place * intents:(place + 1) * intents]
                assert scores == pytest.approx(alone[i]["scores"], abs=1e-4)
                assert together["slots"][place] == alone[i]["slots"][0] or rounded(together["slots"][place]) == rounded(
                    alone[i]["slots"][0])

        def rounded(slots):
            return [{key: round(value, 3) if isinstance(value, float) else value for key, value in slot.items()}
                    for slot in json.loads(slots)]

        for _ in range(pick(6, 20)):
            check(rng.sample(range(len(texts)), rng.randint(2, len(texts))))
        for size in (1, 2, 7, 32):
            check([rng.randrange(len(texts)) for _ in range(size)])


@case("13a", "14a")
def test_the_same_tokens_on_every_route(repository):
    """Long texts are read to their end by every route, alone and in lists; what is cut is said."""
    long = "I am still waiting for my refund. " * 120
    with Server(repository) as running:
        server = running.url

        def tokens(act):
            before = running.metric("kefu_input_tokens_sum")
            reply = act()
            assert reply.status_code == 200, reply.text
            return running.metric("kefu_input_tokens_sum") - before, reply.json()

        read, parsed = tokens(lambda: requests.post(server + "/model/parse", json={"text": long}, timeout=60))
        assert parsed["windows"] > 1 and not parsed["truncated"] and read > 512
        for route, one in (("/v2/models/default/infer",
                            lambda texts: {"inputs": [{"name": "text", "datatype": "BYTES", "shape": [len(texts), 1],
                                                       "data": texts}]}),
                           ("/v1/embeddings", lambda texts: {"input": texts})):
            for count in (1, 3):
                seen, reply = tokens(lambda: requests.post(server + route, json=one([long] * count), timeout=60))
                assert seen == count * read, route
                if "usage" in reply:
                    assert reply["usage"] == {"prompt_tokens": seen, "total_tokens": seen}
        assert running.metric("kefu_truncated_inputs_total") == 0


def test_embeddings(server):
    """OpenAI's shape; texts of one meaning are near in any language, alone or in a list."""
    texts = ["where is my order", "¿dónde está mi pedido?", "我的订单在哪里", "cancel my mobile contract"]

    def embed(value, **members):
        reply = requests.post(server + "/v1/embeddings", json={"input": value, **members}, timeout=60)
        assert reply.status_code == 200, reply.text
        return reply.json()

    reply = embed(texts, model="default", user="u")
    assert reply["object"] == "list" and reply["model"] == "default"
    assert [row["index"] for row in reply["data"]] == [0, 1, 2, 3]
    vectors = numpy.array([row["embedding"] for row in reply["data"]])
    assert numpy.linalg.norm(vectors, axis=1) == pytest.approx(numpy.ones(4), abs=1e-5)
    assert min(vectors[0] @ vectors[1], vectors[0] @ vectors[2]) > vectors[0] @ vectors[3]
    alone = embed(texts[2])["data"][0]["embedding"]
    assert alone == pytest.approx(vectors[2], abs=0.02)  # the precision may be bf16
    packed = embed(texts[2], encoding_format="base64")["data"][0]["embedding"]
    assert numpy.frombuffer(base64.b64decode(packed), "<f4") == pytest.approx(alone, abs=0.02)
    missing = requests.post(server + "/v1/embeddings", json={"input": "a", "model": "text-embedding-3-small"}, timeout=9)
    assert missing.status_code == 404 and missing.json()["error"]["type"] == "invalid_request_error"
    assert "loaded: default" in missing.json()["error"]["message"]


VALUES = {"BOOL": [True, False], "INT8": [-128, 127], "INT16": [-32768, 5], "INT32": [-2**31, 2**31 - 1],
          "INT64": [-2**63, 2**63 - 1], "UINT8": [0, 255], "UINT16": [0, 65535], "UINT32": [0, 2**32 - 1],
          "UINT64": [0, 2**64 - 1], "FP16": [1.5, -2.0], "FP32": [0.25, -1024.5], "FP64": [1e-300, 3.0],
          "BYTES": ["退款", "a\"b"]}
CONTENTS = {"BOOL": "bool", "INT8": "int", "INT16": "int", "INT32": "int", "INT64": "int64", "UINT8": "uint",
            "UINT16": "uint", "UINT32": "uint", "UINT64": "uint64", "FP32": "fp32", "FP64": "fp64", "BYTES": "bytes"}
NUMPY = {"BOOL": "?", "INT8": "i1", "INT16": "<i2", "INT32": "<i4", "INT64": "<i8", "UINT8": "u1", "UINT16": "<u2",
         "UINT32": "<u4", "UINT64": "<u8", "FP16": "<f2", "FP32": "<f4", "FP64": "<f8"}


def to_bytes(datatype, values):
    if datatype == "BYTES":
        return b"".join(struct.pack("<I", len(value.encode())) + value.encode() for value in values)
    return numpy.array(values, NUMPY[datatype]).tobytes()


@pytest.fixture(scope="module")
def echoes(tmp_path_factory):
    """A model for each type, named as the type, which answers what it is given."""
    models, plans = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("plans")
    tensor_models.publish_all(models, plans, {name: tensor_models.identity(name) for name in VALUES})
    with Server(models, f"models.load={','.join(VALUES)}") as server:
        yield server


@case("23a")
@pytest.mark.parametrize("datatype", VALUES)
def test_every_form_of_a_request_says_the_same(echoes, datatype):
    """JSON, binary, raw, gRPC raw and gRPC contents, of every type."""
    values, url = VALUES[datatype], f"{echoes.url}/v2/models/{datatype}/infer"
    data = to_bytes(datatype, values)
    head = {"name": "INPUT0", "datatype": datatype, "shape": [1, 2]}
    binary_out = {"parameters": {"binary_data_output": True}}

    def post(body, **headers):
        reply = requests.post(url, data=body, headers=headers, timeout=30)
        assert reply.status_code == 200, reply.text
        length = reply.headers.get("Inference-Header-Content-Length")
        return reply.content[int(length):] if length else reply.json()["outputs"][0]["data"]

    if datatype == "FP16":  # has no JSON form
        refused = requests.post(url, json={"inputs": [{**head, "data": values}]}, timeout=30)
        assert refused.status_code == 400
    else:
        assert post(json.dumps({"inputs": [{**head, "data": values}]})) == values
        assert post(json.dumps({"inputs": [{**head, "data": [values]}], **binary_out})) == data
    meta = json.dumps({"inputs": [{**head, "parameters": {"binary_data_size": len(data)}}], **binary_out}).encode()
    assert post(meta + data, **{"Inference-Header-Content-Length": str(len(meta))}) == data
    if datatype != "BYTES":  # raw: one variable dimension is told by the length, so a row of both
        raw = requests.post(url, data=data, headers={"Inference-Header-Content-Length": "0"}, timeout=30)
        assert raw.status_code == 200 and raw.content.endswith(data)
    with grpc.insecure_channel(echoes.grpc) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        request = service_pb2.ModelInferRequest(model_name=datatype, raw_input_contents=[data])
        request.inputs.add(**head)
        assert stub.ModelInfer(request, timeout=9).raw_output_contents[0] == data
        request.ClearField("raw_input_contents")
        if datatype in CONTENTS:
            field = getattr(request.inputs[0].contents, CONTENTS[datatype] + "_contents")
            field.extend([value.encode() for value in values] if datatype == "BYTES" else values)
            assert stub.ModelInfer(request, timeout=9).raw_output_contents[0] == data
    with triton.InferenceServerClient(echoes.grpc) as client:
        assert client.is_model_ready(datatype)
