"""What docs/ says about settings and data is what the sources say."""
import re

import pytest
import yaml

from conftest import ROOT, kefu

SOURCES = {"http": "src/serve/http_settings.h", "grpc": "src/serve/grpc_server.h", "server": "src/serve/server.h", "tls": "src/net/tls_settings.h",
           "tracing": "src/tracing/exporter.h",
           "engine_options": "src/engine/engine.h", "admission": "src/hosting/entrance.h"}
BIND = re.compile(r'config\.bind\("([a-z_]+\.[a-z_]+)",\s*([a-z_.]+)')
ROW = re.compile(r"^\| `([a-z_]+\.[a-z_]+)` \| `([^`]*)` \|", re.MULTILINE)


def default_of(field):
    """The initial value of a field such as `settings.batching.max_batch` or `http.port`, from its header."""
    *owners, name = field.split(".")
    text = (ROOT / SOURCES.get(owners[-1], "src/cli/settings.h")).read_text()
    field = rf"\b(?:string|int|size_t|bool) {name}"
    found = re.search(rf"{field} =\s+?([^;]+);", text)
    if not found:  # a text without one is empty
        assert re.search(rf"string {name}(?:{{}})?;", text), name
        return ""
    value = found.group(1)
    if value.startswith('"') or value in ("true", "false"):
        return value.strip('"')
    product = 1
    for factor in value.replace("'", "").split("*"):
        product *= int(factor)
    return str(product)


def known_settings():
    """Every key that the binary binds, with its default."""
    bound = BIND.findall((ROOT / "src/cli/settings.cc").read_text())
    assert len(bound) == (ROOT / "src/cli/settings.cc").read_text().count(".bind(")
    return {key: default_of(field) for key, field in bound}


def test_every_setting_is_documented_with_its_default():
    rows = ROW.findall((ROOT / "docs/configuration.md").read_text())
    assert len(rows) == len(dict(rows))
    assert dict(rows) == known_settings()


def test_the_example_file_holds_every_default():
    sections = yaml.safe_load((ROOT / "docs/kefu.yaml").read_text())
    values = {f"{section}.{key}": str(value).lower() if isinstance(value, bool) else str(value)
              for section, keys in sections.items() for key, value in keys.items()}
    assert values == known_settings()


def test_every_case_is_shown_somewhere():
    rows = re.findall(r"^\| (\d+[a-z]) \| [^|]+ \| ?([^|]*?) ?\|$", (ROOT / "docs/cases.md").read_text(), re.MULTILINE)
    marks = "".join(re.findall(r"^@case\((.*)\)$", "\n".join(
        file.read_text() for file in (ROOT / "tests/functional").glob("test_*.py")), re.MULTILINE))
    shown = set(re.findall(r'"(\d+[a-z])"', marks))
    assert len(rows) > 50
    assert shown == {identifier for identifier, elsewhere in rows if not elsewhere}


def test_the_example_file_and_all_examples_load(tmp_path):
    examples = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "docs/configuration.md").read_text(), re.S | re.M)
    assert len(examples) >= 7
    for text in [(ROOT / "docs/kefu.yaml").read_text(), *examples]:
        file = tmp_path / "kefu.yaml"
        file.write_text(text)
        done = kefu("model", "list", "--config", str(file), "--set", f"models.repository={tmp_path}")
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("text, options", [
    ("http:\n  prot: 1\n", []), ("http:\n\n  port: many\n", []), ("", ["--set", "log.level=loud"]),
    ("http: 3\n", []), ("", ["--set", "http.port"])])
def test_wrong_settings_are_refused_as_documented(tmp_path, text, options):
    file = tmp_path / "kefu.yaml"
    file.write_text(text)
    done = kefu("model", "list", "--config", str(file), *options)
    assert done.returncode == 1
    answer = done.stderr.removeprefix("kefu: ").replace(f"{tmp_path}/", "").rstrip("\n")
    assert f"| `{answer}` |" in (ROOT / "docs/configuration.md").read_text()


def test_documented_rasa_example_trains_without_complaint(tmp_path):
    """The YAML of docs/data.md, with enough texts an intent."""
    text = re.search(r"^```yaml\n(.*?)^```", (ROOT / "docs/data.md").read_text(), re.S | re.M).group(1)
    file = tmp_path / "en.yml"
    file.write_text(text)
    done = kefu("train", str(file), "--set", f"models.repository={tmp_path}")
    complaints = [line for line in done.stderr.splitlines() if "en.yml" in line]
    too_few = re.compile(r"intent \w+ has \d examples?; write at least 3")
    assert complaints and all(too_few.search(complaint) for complaint in complaints)


def test_evaluate_names_what_it_leaves_out(repository, tmp_path):
    file = tmp_path / "en.yml"
    file.write_text("nlu:\n- intent: greet\n  examples: |\n    - hello\n    - [open\n")
    done = kefu("evaluate", str(file), "--set", f"models.repository={repository}")
    assert done.returncode == 0
    assert "en.yml:5: error: '[' without ']'" in done.stderr
