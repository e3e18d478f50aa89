"""Plans of models of the fake engine, whose answers can be computed by hand."""


def tensors(names, datatype, shape):
    return [{"name": name, "datatype": datatype, "shape": shape} for name in names]


def add_sub(datatype="INT32", shape=(-1, 16), **more):
    """Triton's example model `simple`, for any type."""
    return {"operation": "add_sub", "inputs": tensors(["INPUT0", "INPUT1"], datatype, shape),
            "outputs": tensors(["OUTPUT0", "OUTPUT1"], datatype, shape), **more}


def identity(datatype="INT32", shape=(-1, -1), **more):
    return {"operation": "identity", "inputs": tensors(["INPUT0"], datatype, shape),
            "outputs": tensors(["OUTPUT0"], datatype, shape), **more}
