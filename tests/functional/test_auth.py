"""Keys and tokens on every port: who may do what, limits, and nothing of them in the log."""
import base64
import contextlib
import hashlib
import hmac
import json
import subprocess
import time

import numpy
import pytest
import requests
import tritonclient.grpc

import tensor_models
from conftest import KEFU, ROOT, Server

KEYS = {"front": "front-key-0123456789", "ops": "ops-key-0123456789", "scraper": "scraper-key-01234567",
        "slow": "slow-key-0123456789"}
SCOPES = {"front": "infer", "ops": "admin, infer", "scraper": "metrics", "slow": "infer"}


def segment(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(secret, algorithm="HS256", **claims):
    """Made here, by RFC 7515, not by the server's library."""
    claims = {"iss": "https://login.example", "aud": "kefu", "sub": "ada", "exp": int(time.time()) + 60,
              "scope": "infer", "tenant": "shop", **claims}
    signed = segment(json.dumps({"alg": algorithm}).encode()) + b"." + segment(json.dumps(claims).encode())
    return (signed + b"." + segment(hmac.new(secret, signed, hashlib.sha256).digest())).decode()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that knows KEYS and one issuer's tokens."""
    folder = tmp_path_factory.mktemp("auth")
    models = folder / "models"
    tensor_models.publish(models, folder, "m", tensor_models.identity())
    (folder / "secret").write_bytes(b"s" * 32)
    lines = ["keys:"]
    for name, key in KEYS.items():
        lines += [f"  - id: {name}", f"    sha256: {hashlib.sha256(key.encode()).hexdigest()}", f"    tenant: {name}",
                  f"    scopes: [{SCOPES[name]}]"]
    lines += ["    requests_per_second: 0.01", "    burst: 3", "jwt:", "  issuers:",
              "    - issuer: https://login.example", "      audience: kefu", "      algorithm: HS256",
              "      key_file: secret"]
    (folder / "credentials.yaml").write_text("\n".join(lines) + "\n")
    with Server(models, "models.load=m", "http.admin=true", "grpc.admin=true", "log.level=info",
                f"auth.credentials={folder}/credentials.yaml") as server:
        yield server


def bearer(credential):
    return {"Authorization": f"Bearer {credential}"} if credential else {}


def infer(server, credential=None, query=""):
    inputs = [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [7]}]
    return requests.post(f"{server.url}/v2/models/m/infer{query}", json={"inputs": inputs}, headers=bearer(credential),
                         timeout=30)


def test_who_may_do_what(guarded):
    load = guarded.url + "/v2/repository/models/m/load"
    rows = [(None, 401, 401, 401), (KEYS["front"], 200, 403, 403), (KEYS["ops"], 200, 200, 403),
            (KEYS["scraper"], 403, 403, 200), ("another-key-01234567", 401, 401, 401)]
    for credential, inferred, loaded, scraped in rows:
        assert infer(guarded, credential).status_code == inferred, credential
        assert requests.post(load, headers=bearer(credential), timeout=30).status_code == loaded, credential
        assert requests.get(guarded.metrics, headers=bearer(credential), timeout=30).status_code == scraped, credential
    refused = infer(guarded)
    assert refused.headers["WWW-Authenticate"] == "Bearer" and "Authorization: Bearer" in refused.json()["error"]
    for path in ("/health/live", "/health/ready", "/v2/health/ready", "/v2", "/version", "/openapi.json", "/"):
        assert requests.get(guarded.url + path, timeout=30).status_code == 200, path


def test_tokens(guarded):
    secret = b"s" * 32
    assert infer(guarded, token(secret)).status_code == 200
    assert infer(guarded, query="?token=" + token(secret)).status_code == 200
    assert infer(guarded, "wrong-key-0123456789", "?token=" + token(secret)).status_code == 401  # the header wins
    for bad in (token(b"x" * 32), token(secret, exp=int(time.time()) - 100), token(secret, aud="other"),
                token(secret, iss="https://other"), token(secret, algorithm="none"), token(secret)[:-2] + "AA"):
        assert infer(guarded, bad).status_code == 401
    assert infer(guarded, token(secret, scope="metrics")).status_code == 403


def test_a_limit_of_a_key(guarded):
    codes = [infer(guarded, KEYS["slow"]).status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]
    refused = infer(guarded, KEYS["slow"])
    assert refused.headers["Retry-After"] and KEYS["slow"] not in refused.text
    assert infer(guarded, KEYS["front"]).status_code == 200


def test_grpc_asks_for_the_same(guarded):
    with tritonclient.grpc.InferenceServerClient(guarded.grpc) as client:
        tensor = tritonclient.grpc.InferInput("INPUT0", [1, 1], "INT32")
        tensor.set_data_from_numpy(numpy.full((1, 1), 7, numpy.int32))
        assert client.is_server_ready()

        def refusal(call, *arguments, **named):
            with pytest.raises(tritonclient.grpc.InferenceServerException) as caught:
                call(*arguments, **named)
            return caught.value.status().removeprefix("StatusCode.")

        front = {"authorization": f"Bearer {KEYS['front']}"}
        assert refusal(client.infer, "m", [tensor]) == "UNAUTHENTICATED"
        assert refusal(client.get_model_config, "m") == "UNAUTHENTICATED"
        assert client.infer("m", [tensor], headers=front).as_numpy("OUTPUT0") == 7
        assert refusal(client.load_model, "m", headers=front) == "PERMISSION_DENIED"
        client.load_model("m", headers={"authorization": f"Bearer {KEYS['ops']}"})
        answers = []
        client.start_stream(callback=lambda result, error: answers.append(error))
        with contextlib.suppress(tritonclient.grpc.InferenceServerException):  # the refusal may be there before
            client.async_stream_infer("m", [tensor])
        client.stop_stream()
        assert answers and "a key or a token is needed" in str(answers[0])


def test_a_bad_file_stops_the_start(tmp_path):
    file = tmp_path / "credentials.yaml"
    file.write_text("keys:\n  - id: a\n    sha265: 00\n")
    done = subprocess.run([KEFU, "serve", "--set", f"auth.credentials={file}", "--set", f"models.repository={tmp_path}",
                           "--set", "models.load=none"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "credentials.yaml:3" in done.stderr and "sha256" in done.stderr


def test_the_log_holds_no_credential(guarded):
    """Last: it ends the server and reads all it wrote."""
    infer(guarded, query="?token=" + KEYS["front"])
    guarded.process.terminate()
    text = guarded.process.stderr.read()
    assert guarded.process.wait(timeout=30) == 0
    assert '"event":"request"' in text
    for key in KEYS.values():
        assert key not in text
