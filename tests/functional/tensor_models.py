"""Models of the fake engine, published with `kefu model import`."""
import json

from conftest import kefu
from fake_plans import add_sub, identity, tensors

__all__ = ["add_sub", "configure", "identity", "publish", "publish_all", "queue_policy", "tensors"]


def publish(repository, folder, name, plan):
    """Publishes the next version of a model."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(plan))
    done = kefu("model", "import", name, str(file), "--engine", "fake", "--set", f"models.repository={repository}")
    assert done.returncode == 0, done.stderr


def publish_all(repository, folder, plans):
    for name, plan in plans.items():
        publish(repository, folder, name, plan)


def configure(repository, name, **config):
    """The model's config.json."""
    (repository / name / "config.json").write_text(json.dumps(config))


def queue_policy(**policy):
    return {"dynamic_batching": {"default_queue_policy": policy}}
