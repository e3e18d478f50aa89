"""Makes every call of KServe's clients to a server with the models of kefu_server.py, as a program that has the
package `kserve`: `kserve_calls.py HTTP GRPC`, both host:port. Writes a JSON line a call."""
import asyncio
import json
import logging
import sys

import numpy
from kserve import InferenceGRPCClient, InferenceRESTClient, InferInput, InferRequest, RESTConfig
from kserve.protocol.infer_type import RequestedOutput

A = numpy.arange(16, dtype=numpy.int32).reshape(1, 16)
B = numpy.ones((1, 16), dtype=numpy.int32)
TEXTS = numpy.array([["你好", "a\0b"]], dtype=object)


def request(arrays, model, datatype, binary, **more):
    inputs = []
    for name, array in arrays.items():
        tensor = InferInput(name, list(array.shape), datatype)
        tensor.set_data_from_numpy(array, binary_data=binary)
        inputs.append(tensor)
    return InferRequest(model, inputs, request_id="r-1", **more)


def sums(binary, **more):
    return request({"INPUT0": A, "INPUT1": B}, "simple", "INT32", binary, **more)


def arrays_of(response):
    return {output.name: output.as_numpy() for output in response.outputs}


def check_sums(response, names=("OUTPUT0", "OUTPUT1")):
    expected = {"OUTPUT0": A + B, "OUTPUT1": A - B}
    found = arrays_of(response)
    assert set(found) == set(names), found
    for name in names:
        assert (found[name] == expected[name]).all(), found
    assert response.id == "r-1", response.id


def check_texts(response):
    texts = [text.encode() if isinstance(text, str) else text for text in arrays_of(response)["OUTPUT0"].flatten()]
    assert texts == [text.encode() for text in TEXTS.flatten()], texts


async def refusal(call, *signs):
    """Awaits the call, which must fail with words that hold `signs`."""
    try:
        answer = await call
    except Exception as error:
        assert all(sign in str(error) for sign in signs), error
    else:
        raise AssertionError(f"no error but {answer}")


async def is_true(call):
    assert await call is True


def rest_calls(client, url):
    async def infer(model, data, check, *options):
        check(await client.infer(url, data, model_name=model), *options)

    only = [RequestedOutput("OUTPUT1", {"binary_data": False})]
    every = {"binary_data_output": True}
    return {
        "is_server_live": is_true(client.is_server_live(url)),
        "is_server_ready": is_true(client.is_server_ready(url)),
        "is_model_ready": is_true(client.is_model_ready(url, "simple")),
        "infer, JSON": infer("simple", sums(False), check_sums),
        "infer, binary": infer("simple", sums(True), check_sums),
        "infer, binary both ways": infer("simple", sums(True, parameters=every), check_sums),
        "infer, one output": infer("simple", sums(True, request_outputs=only), check_sums, ("OUTPUT1",)),
        "infer, a dictionary": infer("simple", sums(False).to_rest()[0], check_sums),
        "infer, BYTES as JSON": infer("simple_identity", request({"INPUT0": TEXTS}, "simple_identity", "BYTES", False),
                                      check_texts),
        "infer, BYTES binary": infer("simple_identity", request({"INPUT0": TEXTS}, "simple_identity", "BYTES", True),
                                     check_texts),
        "unknown model": refusal(client.infer(url, sums(False), model_name="nothing"), "404", "unknown model"),
    }


def grpc_calls(client):
    async def infer(data, check, *options):
        check(await client.infer(data), *options)

    return {
        "is_server_live": is_true(client.is_server_live()),
        "is_server_ready": is_true(client.is_server_ready()),
        "is_model_ready": is_true(client.is_model_ready("simple")),
        "infer, contents": infer(sums(False), check_sums),
        "infer, raw contents": infer(sums(True), check_sums),
        "infer, one output": infer(sums(True, request_outputs=[RequestedOutput("OUTPUT1")]), check_sums, ("OUTPUT1",)),
        "infer, BYTES contents": infer(request({"INPUT0": TEXTS}, "simple_identity", "BYTES", False), check_texts),
        "infer, BYTES raw": infer(request({"INPUT0": TEXTS}, "simple_identity", "BYTES", True), check_texts),
        "unknown model": refusal(client.infer(request({"INPUT0": A}, "nothing", "INT32", True)), "NOT_FOUND"),
    }


async def report(client, calls):
    for name, call in calls.items():
        words = ""
        try:
            await call
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
        print(json.dumps({"calls": f"{client}: {name}", "passed": not words, "words": words}))


async def main(http, grpc):
    logging.disable(logging.CRITICAL)  # the clients log errors that are asked for
    async with InferenceRESTClient(RESTConfig(protocol="v2")) as client:
        await report("REST", rest_calls(client, f"http://{http}"))
    async with InferenceGRPCClient(grpc) as client:
        await report("gRPC", grpc_calls(client))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
