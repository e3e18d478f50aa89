import json

from conftest import kefu


def test_every_command_has_help():
    for command in ["serve", "train", "parse", "evaluate", "model", "embed", "version"]:
        done = kefu(command, "--help")
        assert done.returncode == 0 and command in done.stdout


def test_parse_reads_a_pipe(repository):
    done = kefu("parse", "-", "--set", f"models.repository={repository}", input="hello\nwhere is my order A1-5\n")
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["intent_ranking"][0]["name"] for r in replies] == ["greet", "order_status"]


def test_unknown_setting_names_the_nearest(tmp_path):
    file = tmp_path / "kefu.yaml"
    file.write_text("http:\n  prot: 1\n")
    done = kefu("serve", "--config", str(file))
    assert done.returncode == 1
    assert "kefu.yaml:2" in done.stderr and "http.port" in done.stderr


def test_damaged_package_is_refused(repository, tmp_path):
    import shutil
    copy = tmp_path / "models"
    shutil.copytree(repository, copy)
    heads = copy / "default" / "1" / "heads.safetensors"
    heads.write_bytes(heads.read_bytes()[:-1] + b"!")
    done = kefu("serve", "--set", f"models.repository={copy}", "--set", "http.port=0", "--set", "grpc.port=0")
    assert done.returncode == 1
    assert "heads.safetensors is not the file its manifest names" in done.stderr and "kefu train" in done.stderr
    assert done.stderr.count("\n") == 1
    heads.unlink()
    assert "heads.safetensors is missing" in kefu("model", "verify", "--set", f"models.repository={copy}").stderr


def test_bad_data_is_named(tmp_path):
    (tmp_path / "nlu").mkdir()
    (tmp_path / "nlu" / "en.yml").write_text(
        'version: "3.1"\nnlu:\n- intent: a\n  examples: |\n    - one\n    - [x]{"role": "r"}\n- intent: b\n  examples: |\n    - one\n')
    done = kefu("train", str(tmp_path))
    assert done.returncode == 1
    assert "en.yml:6: error" in done.stderr and "entity" in done.stderr
    assert "en.yml:9: error" in done.stderr and "labelled b here and a at" in done.stderr
    assert "intent a has 1 example" in done.stderr


def test_the_triton_preset_is_for_loopback(repository):
    for setting in ("http.host=0.0.0.0", "grpc.host=0.0.0.0"):
        done = kefu("serve", "--preset", "triton", "--set", f"models.repository={repository}", "--set", setting)
        assert done.returncode == 1 and setting.split("=")[0] in done.stderr and "--preset triton" in done.stderr
    done = kefu("serve", "--preset", "tritn")
    assert done.returncode == 1 and "known: triton" in done.stderr
