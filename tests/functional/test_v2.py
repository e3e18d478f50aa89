"""The Open Inference Protocol v2 over HTTP."""
import gzip
import json
import struct
import zlib

import numpy
import pytest
import requests

from pace import case

TEXTS = ["where is my order Q5-77", "", "I am still waiting for my refund"]


def infer(server, inputs, path="/v2/models/default/infer", **members):
    return requests.post(server + path, json={"inputs": inputs, **members}, timeout=60)


def text_input(texts, **members):
    return {"name": "text", "datatype": "BYTES", "shape": [len(texts)], "data": texts, **members}


def outputs_of(reply):
    assert reply.status_code == 200, reply.text
    return {output["name"]: output for output in reply.json()["outputs"]}


def bytes_tensor(texts):
    return b"".join(struct.pack("<I", len(text.encode())) + text.encode() for text in texts)


def test_server_and_model_describe_themselves(server):
    assert requests.get(server + "/v2", timeout=30).json()["name"] == "kefu"
    assert requests.get(server + "/v2/health/live", timeout=30).json() == {"live": True}
    assert requests.get(server + "/v2/health/ready", timeout=30).json() == {"ready": True}
    model = requests.get(server + "/v2/models/default", timeout=30).json()
    assert model["versions"] == ["1"]
    assert {"name": "text", "datatype": "BYTES", "shape": [-1, 1]} in model["inputs"]
    assert {"name": "scores", "datatype": "FP32", "shape": [-1, 3]} in model["outputs"]
    for path in ("", "/versions/1"):
        ready = requests.get(f"{server}/v2/models/default{path}/ready", timeout=30)
        assert ready.json() == {"name": "default", "ready": True}


def test_infer_says_what_parse_says(server):
    found = outputs_of(infer(server, [text_input(TEXTS)], id="7"))
    assert found["scores"]["shape"] == [3, 3]
    for row, text in enumerate(TEXTS):
        reply = requests.post(server + "/model/parse", json={"text": text}, timeout=30).json()
        assert found["intent"]["data"][row] == reply["intent"]["name"]
        assert found["confidence"]["data"][row] == pytest.approx(reply["intent"]["confidence"], abs=1e-6)
        assert found["out_of_scope"]["data"][row] == pytest.approx(reply["out_of_scope"]["score"], abs=1e-6)
        assert found["language"]["data"][row] == reply["language"]["code"]
        assert json.loads(found["slots"]["data"][row]) == reply["entities"]
        scores = found["scores"]["data"][3 * row:3 * row + 3]
        ranked = [intent["confidence"] for intent in reply["intent_ranking"] if intent["name"] != "nlu_fallback"]
        assert sorted(scores, reverse=True) == pytest.approx(ranked or [0, 0, 0], abs=1e-6)


def test_json_binary_and_raw_say_the_same(server):
    url = server + "/v2/models/default/infer"
    text = TEXTS[0]
    as_json = outputs_of(infer(server, [text_input([text])]))
    tensor = bytes_tensor([text])
    head = json.dumps({"parameters": {"binary_data_output": True}, "inputs": [
        {"name": "text", "datatype": "BYTES", "shape": [1], "parameters": {"binary_data_size": len(tensor)}}]}).encode()
    bodies = {"binary": (head + tensor, len(head)), "raw": (text.encode(), 0)}
    for body, length in bodies.values():
        reply = requests.post(url, data=body, timeout=60, headers={
            "Inference-Header-Content-Length": str(length), "Content-Type": "application/octet-stream"})
        assert reply.status_code == 200, reply.text
        assert reply.headers["Content-Type"] == "application/octet-stream"
        size = int(reply.headers["Inference-Header-Content-Length"])
        rest = reply.content[size:]
        for output in json.loads(reply.content[:size])["outputs"]:
            part, rest = rest[:output["parameters"]["binary_data_size"]], rest[output["parameters"]["binary_data_size"]:]
            expected = as_json[output["name"]]["data"]
            if output["datatype"] == "FP32":
                assert numpy.frombuffer(part, "<f4") == pytest.approx(expected, abs=1e-6)
            else:
                assert part == bytes_tensor(expected)
        assert rest == b""


def test_only_the_outputs_asked_for(server):
    reply = infer(server, [text_input(TEXTS)], outputs=[{"name": "intent"}], id="x").json()
    assert [output["name"] for output in reply["outputs"]] == ["intent"]
    assert (reply["id"], reply["model_name"], reply["model_version"]) == ("x", "default", "1")


def test_many_rows_are_one_request(server):
    texts = [f"where is my order A{i}-{i}" for i in range(1500)]  # more than the queue takes requests
    found = outputs_of(infer(server, [text_input(texts)], outputs=[{"name": "intent"}]))
    assert set(found["intent"]["data"]) == {"order_status"}
    assert len(found["intent"]["data"]) == 1500


def test_no_rows(server):
    found = outputs_of(infer(server, [text_input([])]))
    assert found["scores"]["shape"] == [0, 3] and found["intent"]["data"] == []


@pytest.mark.parametrize("inputs, part", [
    ([], "no input 'text'"),
    ([{"name": "text", "datatype": "FP32", "shape": [1], "data": [1]}], "must be BYTES"),
    ([text_input(["a"], shape=[2])], "the shape says 2"),
    ([text_input(["a"], shape=[-1])], "negative dimension"),
    ([text_input(["a"]), {"name": "speed", "datatype": "INT32", "shape": [1], "data": [1]}], "no input 'speed'"),
    ([text_input(["a"]), {"name": "language", "datatype": "BYTES", "shape": [2], "data": ["en", "en"]}], "2 rows"),
    ([text_input(["a"]), {"name": "language", "datatype": "BYTES", "shape": [1], "data": ["?"]}], "ISO 639"),
    ([text_input(["a" * 32_001])], "32001 code points"),
    ([text_input(["a\0b"])], "U+0000")])
def test_bad_requests_name_the_fault(server, inputs, part):
    reply = infer(server, inputs)
    assert reply.status_code == (413 if "32001" in part else 400)
    assert part in reply.json()["error"]


def test_unknown_things_are_404_and_wrong_verbs_405(server):
    for path in ("/v2/models/nope", "/v2/models/nope/infer", "/v2/models/default/versions/2", "/v2/nothing"):
        reply = requests.request("POST" if path.endswith("infer") else "GET", server + path, json={"inputs": []}, timeout=30)
        assert reply.status_code == 404 and reply.json()["error"], path
    reply = requests.get(server + "/v2/models/default/infer", timeout=30)
    assert reply.status_code == 405 and reply.headers["Allow"] == "POST"


def test_names_in_paths_are_percent_decoded_once(server):
    assert requests.get(server + "/v2/models/de%66ault", timeout=30).status_code == 200
    assert requests.get(server + "/v2/models/de%2566ault", timeout=30).status_code == 404
    assert requests.get(server + "/v2/models/%zz", timeout=30).status_code == 404


@pytest.mark.parametrize("length", ["-1", "+1", "1 ", "x", "99999999999999999999", "1000000"])
def test_wrong_header_lengths_are_refused(server, length):
    reply = requests.post(server + "/v2/models/default/infer", data=b"{}", timeout=30,
                          headers={"Inference-Header-Content-Length": length})
    assert reply.status_code == 400


def test_other_media_and_codings_are_415(server):
    url = server + "/v2/models/default/infer"
    assert requests.post(url, data="a=1", headers={"Content-Type": "text/plain"}, timeout=30).status_code == 415
    reply = requests.post(url, data=b"x", headers={"Content-Encoding": "br"}, timeout=30)
    assert reply.status_code == 415 and "Accept-Encoding" in reply.headers


@pytest.mark.parametrize("coding, packed", [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_packed_bodies_and_replies(server, coding, packed):
    """1.4: sizes count inflated bytes; a large reply is packed if the client can read it."""
    texts = ["where is my order"] * 60
    tensor = {"name": "text", "datatype": "BYTES", "shape": [60, 1], "data": texts}
    body = json.dumps({"inputs": [tensor]}).encode()
    plain = requests.post(server + "/v2/models/default/infer", data=body, timeout=60,
                          headers={"Content-Type": "application/json", "Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers and len(plain.content) > 4096
    reply = requests.post(server + "/v2/models/default/infer", data=packed(body), timeout=60,
                          headers={"Content-Type": "application/json", "Content-Encoding": coding,
                                   "Accept-Encoding": coding})
    assert reply.status_code == 200, reply.text
    assert reply.headers["Content-Encoding"] == coding
    intent = [output["data"] for output in reply.json()["outputs"] if output["name"] == "intent"]
    assert intent == [output["data"] for output in plain.json()["outputs"] if output["name"] == "intent"]
    parsed = requests.post(server + "/model/parse", data=packed(b'{"text": "hello"}'), timeout=30,
                           headers={"Content-Type": "application/json", "Content-Encoding": coding})
    assert parsed.status_code == 200 and parsed.json()["text"] == "hello"


@case("11g")
def test_packed_bodies_that_break_servers(server):
    """Bombs, cuts, other codings."""
    url, headers = server + "/v2/models/default/infer", {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    bomb = requests.post(url, data=gzip.compress(b" " * 50_000_000), headers=headers, timeout=30)
    assert bomb.status_code == 413 and "http.max_body_bytes" in bomb.json()["error"]
    whole = gzip.compress(b'{"inputs": []}')
    for data in (b"", b"{}", whole[:-3], whole[:10], whole + b"x"):
        refused = requests.post(url, data=data, headers=headers, timeout=30)
        assert refused.status_code == 400, data
    assert requests.get(server + "/v2/health/live", timeout=9).status_code == 200
