"""Models of the fake engine, whose answers can be computed by hand, published with `kefu model import`."""
import json

from conftest import kefu


def tensors(names, datatype, shape):
    return [{"name": name, "datatype": datatype, "shape": shape} for name in names]


def add_sub(datatype="INT32", shape=(-1, 16), **more):
    """Triton's example model `simple`, for any type."""
    return {"operation": "add_sub", "inputs": tensors(["INPUT0", "INPUT1"], datatype, shape),
            "outputs": tensors(["OUTPUT0", "OUTPUT1"], datatype, shape), **more}


def identity(datatype="INT32", shape=(-1, -1), **more):
    return {"operation": "identity", "inputs": tensors(["INPUT0"], datatype, shape),
            "outputs": tensors(["OUTPUT0"], datatype, shape), **more}


def publish(repository, folder, name, plan):
    """Publishes the next version of a model."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(plan))
    done = kefu("model", "import", name, str(file), "--engine", "fake", "--set", f"models.repository={repository}")
    assert done.returncode == 0, done.stderr


def publish_all(repository, folder, plans):
    for name, plan in plans.items():
        publish(repository, folder, name, plan)
