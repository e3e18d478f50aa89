"""Inputs that break servers: each is refused with a reason or answered right, and the server serves on."""
import gzip
import json
import random
import socket
import struct
import urllib.parse

import pytest
import requests

import tensor_models
from conftest import Server
from load import anonymous_mib
from pace import case, pick

TENSOR = {"name": "text", "datatype": "BYTES", "shape": [1, 1], "data": ["hello"]}
KNOWN = (200, 400, 404, 405, 408, 413, 414, 415, 431, 499, 501)  # 499: it has closed its side
LETTERS = "退款在哪里 👩‍👩‍👧‍👦 ก็ é n̈ 🇪🇸 ﷺ हिन्दी"


def parse(url, body):
    return requests.post(url + "/model/parse", data=body, timeout=30, headers={"Content-Type": "application/json"})


def infer(url, body):
    return requests.post(url + "/v2/models/default/infer", data=body, timeout=30,
                         headers={"Content-Type": "application/json"})


def embeddings(url, body):
    return requests.post(url + "/v1/embeddings", data=body, timeout=30, headers={"Content-Type": "application/json"})


# How each route of texts is asked for some texts, and for how many at once.
def parse_body(texts):
    return {"text": texts[0]}


def infer_body(texts):
    return {"inputs": [{**TENSOR, "shape": [len(texts), 1], "data": texts}]}


def embeddings_body(texts):
    return {"input": texts}


ROUTES = [(parse, parse_body), (infer, infer_body), (embeddings, embeddings_body)]


def error_text(reply):
    """The sentence, wherever the route's shape has it."""
    body = reply.json()
    error = body.get("error", body.get("message", body.get("detail")))
    return error["message"] if isinstance(error, dict) else error


@case("11b")
@pytest.mark.parametrize("route, make", ROUTES)
def test_bad_json_and_content_types(server, route, make):
    """Cut, of another root, of another type, empty."""
    good = json.dumps(make(["hello"])).encode()
    for body in (b"", b"{", good[:-1], good[:len(good) // 2], b"[]", b"null", b"3", b'"text"', good + b"}", b"\xff\xfe",
                 good.replace(b'"hello"', b"3"), good.replace(b'"hello"', b"{}"), good.replace(b'"hello"', b"null"),
                 b'{"inputs": 3}', b'{"inputs": [3]}', b'{"inputs": [{}]}', b'{"outputs": {}}'):
        reply = route(server, body)
        assert reply.status_code == 400 and error_text(reply), body
    for media in ("text/plain", "application/xml", "multipart/form-data; boundary=x"):
        reply = requests.post(server + {parse: "/model/parse", infer: "/v2/models/default/infer",
                                        embeddings: "/v1/embeddings"}[route], data=good, timeout=30,
                              headers={"Content-Type": media})
        assert reply.status_code == 415 and "application/json" in reply.text
    assert route(server, good).status_code == 200


@case("11d")
def test_nothing_at_all(server):
    """Empty lists, empty texts and blanks on every route."""
    for body, status in (({"text": ""}, 200), ({"text": " \n\t"}, 200), ({"text": []}, 400), ({}, 400)):
        reply = parse(server, json.dumps(body))
        assert reply.status_code == status, body
        assert status != 200 or reply.json()["intent"]["name"] == "nlu_fallback"
    for texts in ([""], [" "], ["", "hello", ""]):
        reply = infer(server, json.dumps(infer_body(texts)))
        assert reply.status_code == 200
        assert reply.json()["outputs"][0]["data"][0] == "nlu_fallback"
    assert infer(server, json.dumps(infer_body([]))).json()["outputs"][0]["shape"] == [0, 1]
    for body in ({"inputs": []}, {"inputs": [{**TENSOR, "data": []}]}, {"inputs": [{**TENSOR, "data": [[]]}]}):
        assert infer(server, json.dumps(body)).status_code == 400, body
    for value in ([], "", [""], ["hello", ""], [[]]):
        reply = embeddings(server, json.dumps({"input": value}))
        assert reply.status_code == 400 and "input" in error_text(reply), value
    assert embeddings(server, json.dumps({"input": [" "]})).status_code == 200


@case("11e")
@pytest.mark.parametrize("route, make", ROUTES)
def test_texts_cut_at_each_byte(server, route, make):
    """Inside characters, clusters and marks; NUL; what is not UTF-8."""
    letters = LETTERS.encode()
    marker = json.dumps(make(["@"])).encode()
    with requests.Session() as session:
        for end in range(1, len(letters) + 1):
            whole = letters[:end].decode(errors="ignore").encode() == letters[:end]
            reply = session.post(server + {parse: "/model/parse", infer: "/v2/models/default/infer",
                                           embeddings: "/v1/embeddings"}[route], timeout=30,
                                 data=marker.replace(b"@", letters[:end]), headers={"Content-Type": "application/json"})
            assert reply.status_code == (200 if whole else 400), (end, reply.text)
    for bad in (b"a\\u0000b", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80", b"\\ud800"):
        assert route(server, marker.replace(b"@", bad)).status_code == 400, bad


@case("11e")
def test_offsets_count_code_points(server):
    for before in ("", "退款", "👩‍👩‍👧‍👦 ", "é n̈ ", "🇪🇸🇪🇸 "):
        text = before + "where is my order Q5-77"
        for entity in parse(server, json.dumps({"text": text})).json()["entities"]:
            assert text[entity["start"]:entity["end"]] in entity["value"] or entity["value"] in text


@case("11f", "11c")
def test_every_limit_and_one_more(repository):
    """At the limit it is served; one more is refused with limit, value and setting."""
    with Server(repository, "http.max_body_bytes=20000", "http.max_text_code_points=50",
                "grpc.max_message_bytes=20000") as server:
        for route, make in ROUTES:
            assert route(server.url, json.dumps(make(["é" * 50]))).status_code == 200
            refused = route(server.url, json.dumps(make(["é" * 51])))
            assert refused.status_code == 413
            assert all(part in error_text(refused) for part in ("51", "50", "http.max_text_code_points"))
            full = json.dumps(make(["a"])).encode().ljust(20_000)
            assert route(server.url, full).status_code == 200
            refused = route(server.url, full + b" ")
            assert refused.status_code == 413 and "20000" in refused.text and "http.max_body_bytes" in refused.text
        # Four inputs that are at the limit each are one body above it.
        tensors = [{**TENSOR, "name": f"text{i}", "data": ["a" * 19_000]} for i in range(4)]
        assert infer(server.url, json.dumps({"inputs": tensors})).status_code == 413
        assert server.metric("kefu_requests_rejected_total", reason="too_large") >= 6
        target = requests.get(f"{server.url}/v2/models/{'a' * 3000}", timeout=9)
        assert target.status_code == 414 and "2048" in target.text
        header = requests.get(server.url, headers={"X": "a" * 17_000}, timeout=9)
        assert header.status_code == 431 and "16384" in header.text
        deep = b'{"text": ' + b"[" * 65 + b"]" * 65 + b"}"
        assert parse(server.url, deep).status_code == 400 and "64" in parse(server.url, deep).text
        held = anonymous_mib(server)
        for _ in range(4):  # refused by its announced length; nothing of it is kept
            huge = requests.post(server.url + "/model/parse", data=b" " * (64 << 20), timeout=60,
                                 headers={"Content-Type": "application/json"})
            assert huge.status_code == 413
        assert anonymous_mib(server) < held + 8


def raw(server, data):
    """What the port answers to these bytes; b"" if it just closes."""
    parts = urllib.parse.urlsplit(server.url)
    with socket.create_connection((parts.hostname, parts.port), timeout=20) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while received := connection.recv(65536):
                answer += received
            return answer
        except ConnectionError:
            return b""


@case("11g")
def test_structures_that_break_servers(repository, tmp_path):
    """Depth, header lengths, chunks, bombs, false lengths of BYTES, and plain noise on both ports."""
    rng = random.Random(11)
    models = tmp_path / "models"
    models.mkdir()
    (models / "default").symlink_to(repository / "default")
    tensor_models.publish(models, tmp_path, "bytes", tensor_models.identity("BYTES", shape=(-1, -1)))
    head = "POST /v2/models/bytes/infer HTTP/1.1\r\nHost: a\r\n"

    def answered(data):
        answer = raw(server, data)
        assert not answer or int(answer.split(b" ", 2)[1]) in KNOWN, answer[:200]

    with Server(models, "models.load=default,bytes") as server:
        port = int(server.grpc.rsplit(":", 1)[1])
        answered(b"x")
        start = anonymous_mib(server)
        for depth in (63, 64, 65, 10_000):
            for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
                body = b'{"inputs":' + opening * depth + b"1" + closing * depth + b"}"
                answered(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        meta = json.dumps({"inputs": [{"name": "INPUT0", "datatype": "BYTES", "shape": [1, 2],
                                       "parameters": {"binary_data_size": 12}}]}).encode()
        for lengths in ((2, 2), (0, 4), (5, 0), (2**31, 2), (2**32 - 1, 0), (0, 0), (4, 0)):
            tail = b"".join(struct.pack("<I", length) + b"ab" for length in lengths)
            for claimed in (len(meta), len(meta) - 1, len(meta) + 1, 0, 2**63, 2**64, -1):
                answered(f"{head}Inference-Header-Content-Length: {claimed}\r\nContent-Length: {len(meta + tail)}\r\n\r\n"
                         .encode() + meta + tail)
        for chunk in (b"0", b"5", b"ffffffffffffffff", b"-1", b"5;x=y", b"zz", b"7fffffff"):
            answered(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + b"\r\nhello\r\n0\r\n\r\n")
        answered(head.encode() + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\na\r\n0\r\n\r\n")
        answered(head.encode() + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd")
        answered(head.encode() + b"X: y\r\n" * 5000 + b"\r\n")
        bomb = gzip.compress(b" " * (1 << 24))
        answered(f"{head}Content-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n".encode() + bomb)
        valid = json.dumps({"inputs": [{"name": "INPUT0", "datatype": "BYTES", "shape": [1, 1], "data": ["a"]}]}).encode()
        whole = f"{head}Content-Length: {len(valid)}\r\n\r\n".encode() + valid
        for _ in range(pick(150, 5000)):
            noisy = bytearray(whole)
            for _ in range(rng.randint(1, 6)):
                noisy[rng.randrange(len(noisy))] = rng.randrange(256)
            raw(server, bytes(noisy[:rng.randint(1, len(noisy))]))
        for _ in range(pick(30, 500)):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" * rng.randint(0, 1) + rng.randbytes(rng.randint(1, 400)))
        assert requests.post(server.url + "/v2/models/bytes/infer", data=valid, timeout=9).status_code == 200
        assert parse(server.url, b'{"text": "hello"}').status_code == 200
        assert anonymous_mib(server) < start + 40
        assert server.metric("kefu_permits_bytes_used") == 0
