"""What is in the training data arrives in the replies."""
import json

from conftest import kefu

NAMES = [first + last for first in ("ta", "mi", "ke", "so", "lu", "ra", "ne", "vo", "pa", "di", "gu", "ho")
         for last in ("lo", "ru", "sa", "ni", "pe", "ga", "mo")]
PLANS = NAMES[::2]


def write_domain(folder, lists):
    """Plans and other things have the same names in the same places, each but once: only a list tells them apart."""
    named = [f"[{name}](plan)" if name in PLANS else name for name in NAMES[:-2]]
    examples = [f"tell me about {name}" for name in named]
    (folder / "nlu").mkdir(parents=True)
    (folder / "nlu" / "en.yml").write_text(
        'version: "3.1"\nnlu:\n- intent: explain\n  examples: |\n' + "".join(f"    - {text}\n" for text in examples)
        + "- intent: greet\n  examples: |\n    - hello\n    - hi there\n    - good morning\n" + lists)
    return folder


def train(domain, models):
    done = kefu("train", str(domain), "--lenient", "--folds", "2", "--set", f"models.repository={models}")
    assert done.returncode == 0, done.stderr


def entities_of(models, text):
    done = kefu("parse", text, "--set", f"models.repository={models}")
    return [(found["entity"], found["value"]) for found in json.loads(done.stdout)["entities"]]


def test_a_lookup_table_knows_values_no_example_has(tmp_path):
    table = "- lookup: plan\n  examples: |\n" + "".join(f"    - {plan}\n" for plan in PLANS)
    train(write_domain(tmp_path / "domain", table), tmp_path / "models")
    listed, other = NAMES[-2:]
    assert listed in PLANS and other not in PLANS
    assert entities_of(tmp_path / "models", f"tell me about {listed}") == [("plan", listed)]
    assert entities_of(tmp_path / "models", f"tell me about {other}") == []


def test_a_pattern_knows_values_no_example_has(tmp_path):
    pattern = "- regex: plan\n  examples: |\n    - (" + "|".join(PLANS) + ")\n"
    train(write_domain(tmp_path / "domain", pattern), tmp_path / "models")
    assert entities_of(tmp_path / "models", f"tell me about {NAMES[-2]}") == [("plan", NAMES[-2])]
    assert entities_of(tmp_path / "models", f"tell me about {NAMES[-1]}") == []


def test_a_seed_makes_one_package(tmp_path):
    domain = write_domain(tmp_path / "domain", "")
    for models in ("a", "b"):
        train(domain, tmp_path / models)
    a, b = ((tmp_path / models / "default/1/heads.safetensors").read_bytes() for models in ("a", "b"))
    assert a == b


def test_a_changed_table_is_trained_again(tmp_path):
    made = []
    for number, table in enumerate(["ta", "ta", "mi"]):
        domain = write_domain(tmp_path / str(number) / "domain", f"- lookup: plan\n  examples: |\n    - {table}\n")
        done = kefu("train", str(domain), "--lenient", "--folds", "2", "--if-changed", "--set",
                    f"models.repository={tmp_path / 'models'}")
        assert done.returncode == 0, done.stderr
        made.append(sorted(path.name for path in (tmp_path / "models" / "default").iterdir()))
    assert made == [["1"], ["1"], ["1", "2"]]


def test_a_pattern_that_is_none_is_named(tmp_path):
    domain = write_domain(tmp_path / "domain", "- regex: plan\n  examples: |\n    - zz[0-9\n")
    done = kefu("train", str(domain), "--set", f"models.repository={tmp_path / 'models'}")
    assert done.returncode == 1 and "en.yml:" in done.stderr and "regex plan" in done.stderr
    assert "[0-9" in done.stderr and "RE2" in done.stderr


def test_a_synonym_replaces_the_value(tmp_path):
    plan = PLANS[0]
    synonym = f"- synonym: {plan.title()} 5G\n  examples: |\n    - {plan}\n- lookup: plan\n  examples: |\n"
    train(write_domain(tmp_path / "domain", synonym + "".join(f"    - {name}\n" for name in PLANS)),
          tmp_path / "models")
    assert entities_of(tmp_path / "models", f"tell me about {plan}") == [("plan", f"{plan.title()} 5G")]
