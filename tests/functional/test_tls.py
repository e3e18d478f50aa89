"""TLS on every port: the handshake, client certificates, renewed files, and what is said to those who come plain."""
import socket
import ssl
import subprocess
import time

import grpc
import pytest
import requests
import tritonclient.grpc

import certificates
import tensor_models
from conftest import Server, kefu


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """An authority, a server's and a client's certificate, and another authority's client."""
    folder = tmp_path_factory.mktemp("certificates")
    for authority in ("ca", "other"):
        certificates.make_authority(folder, authority)
    certificates.sign(folder, "server")
    certificates.sign(folder, "client")
    certificates.sign(folder, "stranger", "other")
    return folder


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    models, plans = tmp_path_factory.mktemp("models"), tmp_path_factory.mktemp("plans")
    tensor_models.publish(models, plans, "slow", tensor_models.identity(delay_us=400_000))
    tensor_models.publish(models, plans, "echo", tensor_models.identity())
    return models


def tls(folder, name="server", **more):
    settings = {"certificate": folder / f"{name}.pem", "key": folder / f"{name}.key", **more}
    return ["models.load=echo,slow", *(f"tls.{key}={value}" for key, value in settings.items())]


def body(value=7):
    return {"inputs": [{"name": "INPUT0", "datatype": "INT32", "shape": [1, 1], "data": [value]}]}


def infer(server, folder, model="echo", **options):
    return requests.post(f"{server.url}/v2/models/{model}/infer", json=body(), timeout=20,
                         verify=str(folder / "ca.pem"), **options)


def own(folder, name):
    return {"cert": (str(folder / f"{name}.pem"), str(folder / f"{name}.key"))}


def grpc_ready(server, folder, name=None):
    files = [folder / "ca.pem"] + ([folder / f"{name}.key", folder / f"{name}.pem"] if name else [])
    credentials = grpc.ssl_channel_credentials(*(file.read_bytes() for file in files))
    with tritonclient.grpc.InferenceServerClient(server.grpc, ssl=True, creds=credentials) as client:
        return client.is_server_ready(client_timeout=5)


def test_every_port_speaks_tls(models, folder):
    with Server(models, *tls(folder)) as server:
        assert server.url.startswith("https://") and server.metrics.startswith("https://")
        assert infer(server, folder).json()["outputs"][0]["data"] == [7]
        assert grpc_ready(server, folder)
        assert requests.get(server.metrics, timeout=9, verify=str(folder / "ca.pem")).status_code == 200
        with pytest.raises(requests.exceptions.SSLError):
            requests.get(server.url, timeout=9, verify=str(folder / "other.pem"))
        port = int(server.url.rsplit(":", 1)[1])
        old = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-tls1_1", "-cipher",
                              "ALL:@SECLEVEL=0"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
        assert b"alert protocol version" in old.stderr


def test_who_comes_plain_is_told(models, folder):
    with Server(models, *tls(folder)) as server:
        answer = requests.get(server.url.replace("https", "http"), timeout=9)
        assert answer.status_code == 400 and "https://" in answer.text
        with tritonclient.grpc.InferenceServerClient(server.grpc) as client, \
                pytest.raises(tritonclient.grpc.InferenceServerException):
            client.is_server_ready(client_timeout=3)
        assert infer(server, folder).status_code == 200


def test_clients_must_show_a_certificate_of_the_authority(models, folder):
    with Server(models, *tls(folder, client_ca=folder / "ca.pem")) as server:
        assert infer(server, folder, **own(folder, "client")).status_code == 200
        assert grpc_ready(server, folder, "client")
        for stranger in ({}, own(folder, "stranger")):
            with pytest.raises(requests.exceptions.ConnectionError):
                infer(server, folder, **stranger)
        for stranger in (None, "stranger"):
            with pytest.raises(tritonclient.grpc.InferenceServerException):
                grpc_ready(server, folder, stranger)
        probe = server.metrics.replace("/metrics", "/health/ready")
        assert requests.get(probe, timeout=9, verify=str(folder / "ca.pem")).status_code == 200


def test_renewed_certificates_are_used(models, folder, tmp_path):
    def shown(server):
        port = int(server.url.rsplit(":", 1)[1])
        return ssl.get_server_certificate(("127.0.0.1", port))

    def await_shown(server, name):
        end = time.monotonic() + 20
        while shown(server).strip() not in (folder / f"{name}.pem").read_text():
            assert time.monotonic() < end

    certificates.sign(folder, "renewed")
    for name in ("server.pem", "server.key"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    with Server(models, *tls(tmp_path)) as server, requests.Session() as session:
        session.trust_env, session.verify = False, str(folder / "ca.pem")
        assert session.get(server.url + "/v2/health/ready", timeout=9).status_code == 200
        (tmp_path / "server.pem").write_text("not yet")  # a file half written is refused, the old one stays
        for _ in range(3):
            assert infer(server, folder).status_code == 200
        for kind in ("key", "pem"):
            (tmp_path / f"server.{kind}").write_bytes((folder / f"renewed.{kind}").read_bytes())
        await_shown(server, "renewed")
        assert session.get(server.url + "/v2/health/ready", timeout=9).status_code == 200
        assert infer(server, folder).status_code == 200 and grpc_ready(server, folder)


def test_a_client_that_goes_is_noticed(models, folder):
    """As without TLS: nothing is computed for it."""
    context = ssl.create_default_context(cafile=folder / "ca.pem")
    with Server(models, *tls(folder)) as server:
        server.verify = str(folder / "ca.pem")
        port = int(server.url.rsplit(":", 1)[1])
        text = str(body()).replace("'", '"')
        request = (f"POST /v2/models/slow/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {len(text)}\r\n\r\n{text}").encode()
        gone = []
        for _ in range(3):
            gone.append(context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost"))
            gone[-1].sendall(request)
        server.await_metric(3, "kefu_permits_requests_used")
        for connection in gone[1:]:
            connection.close()
        server.await_metric(0, "kefu_permits_requests_used")
        assert server.metric("kefu_requests_cancelled_total", stage="queued") >= 1


def test_keep_alive_and_pipelining(models, folder):
    context = ssl.create_default_context(cafile=folder / "ca.pem")
    with Server(models, *tls(folder)) as server:
        port = int(server.url.rsplit(":", 1)[1])
        text = str(body()).replace("'", '"')
        request = (f"POST /v2/models/slow/infer HTTP/1.1\r\nHost: a\r\nContent-Length: {len(text)}\r\n\r\n{text}").encode()
        with context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost") as both:
            both.sendall(request)
            both.sendall(request)  # comes while the first one is answered
            answers = b""
            while answers.count(b'"data":[7]') < 2:
                received = both.recv(65536)
                assert received, answers
                answers += received


def test_files_that_are_no_good_stop_the_start(models, folder, tmp_path):
    (tmp_path / "empty.pem").write_text("")
    subprocess.run(["openssl", "ec", "-aes128", "-passout", "pass:x", "-in", str(folder / "server.key"), "-out",
                    str(tmp_path / "locked.key")], check=True, capture_output=True)
    for settings, words in ((tls(folder, key=""), "tls.key is not set"),
                            (tls(folder, certificate=tmp_path / "none.pem"), "none.pem"),
                            (tls(folder, certificate=tmp_path / "empty.pem"), "no certificate"),
                            (tls(folder, key=folder / "client.key"), "does not belong"),
                            (tls(folder, key=tmp_path / "locked.key"), "password"),
                            (tls(folder, client_ca=tmp_path / "empty.pem"), "tls.client_ca"),
                            (["models.load=echo", f"tls.client_ca={folder / 'ca.pem'}"], "tls.certificate is not set")):
        done = kefu("serve", *(word for one in (f"models.repository={models}", "http.port=0", "grpc.port=0",
                                                "metrics.port=0", *settings) for word in ("--set", one)))
        assert done.returncode == 1 and words in done.stderr, done.stderr


def test_our_clients_speak_it(models, folder, tmp_path):
    trust = ["--ca", str(folder / "ca.pem"), "--certificate", str(folder / "client.pem"), "--key",
             str(folder / "client.key")]
    file = tmp_path / "body.json"
    file.write_text(str(body()).replace("'", '"'))
    load = ["--duration", "0.5", "--warmup", "0", "--connections", "2"]
    with Server(models, "http.admin=true", *tls(folder, client_ca=folder / "ca.pem")) as server:
        done = kefu("release", "status", "--server", server.url, *trust)
        assert done.returncode == 0 and "no release so far" in done.stdout, done.stderr
        refused = kefu("release", "status", "--server", server.url, "--ca", str(folder / "other.pem"))
        assert refused.returncode == 1 and "not trusted" in refused.stderr
        done = kefu("bench", server.url, "--body", str(file), "--path", "/v2/models/echo/infer", *load, *trust)
        assert done.returncode == 0 and "200" in done.stdout, done.stderr
        done = kefu("bench", "grpcs://" + server.grpc, "--texts", str(file), *load, *trust)
        assert done.returncode == 0, done.stderr
