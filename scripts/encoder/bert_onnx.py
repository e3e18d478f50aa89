"""Writes a BERT encoder (post-LN, exact GELU) as ONNX, opset 17, with dynamic batch and length.

body:  inputs_embeds f32 [batch, length, hidden], attention_mask i64 [batch, length]
full:  input_ids i64 [batch, length],             attention_mask i64 [batch, length]
both:  last_hidden_state f32 [batch, length, hidden]
The body leaves the word table outside: it is mapped from a file and gathered by the caller.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Nodes and initializers under construction; every method returns the name of its result."""

    def __init__(self):
        self.nodes, self.initializers = [], []

    def constant(self, name, value):
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, op, inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def linear(self, x, name, weight, bias):
        """x W^T + b with `weight` stored [out, in]."""
        product = self.node("MatMul", [x, self.constant(f"{name}.weight", weight.T)], f"{name}.matmul")
        return self.node("Add", [product, self.constant(f"{name}.bias", bias)], name)

    def layer_norm(self, x, name, weight, bias, epsilon):
        return self.node("LayerNormalization",
                         [x, self.constant(f"{name}.weight", weight), self.constant(f"{name}.bias", bias)],
                         name, axis=-1, epsilon=epsilon)


def split_heads(g, x, name, perm):
    x = g.node("Reshape", [x, "shape.heads"], f"{name}.split")
    return g.node("Transpose", [x], f"{name}.heads", perm=perm)


def attention(g, x, mask, t, layer):
    q = split_heads(g, g.linear(x, f"{layer}.q", t[f"{layer}.q.w"], t[f"{layer}.q.b"]), f"{layer}.q", [0, 2, 1, 3])
    k = split_heads(g, g.linear(x, f"{layer}.k", t[f"{layer}.k.w"], t[f"{layer}.k.b"]), f"{layer}.k", [0, 2, 3, 1])
    v = split_heads(g, g.linear(x, f"{layer}.v", t[f"{layer}.v.w"], t[f"{layer}.v.b"]), f"{layer}.v", [0, 2, 1, 3])
    scores = g.node("MatMul", [q, k], f"{layer}.scores")
    scores = g.node("Mul", [scores, "scale"], f"{layer}.scaled")
    scores = g.node("Add", [scores, mask], f"{layer}.masked")
    weights = g.node("Softmax", [scores], f"{layer}.softmax", axis=-1)
    context = g.node("MatMul", [weights, v], f"{layer}.context")
    context = g.node("Transpose", [context], f"{layer}.context.tokens", perm=[0, 2, 1, 3])
    context = g.node("Reshape", [context, "shape.hidden"], f"{layer}.context.merged")
    return g.linear(context, f"{layer}.ao", t[f"{layer}.ao.w"], t[f"{layer}.ao.b"])


def gelu(g, x, name):
    erf = g.node("Erf", [g.node("Div", [x, "sqrt2"], f"{name}.div")], f"{name}.erf")
    gate = g.node("Add", [erf, "one"], f"{name}.add")
    return g.node("Mul", [g.node("Mul", [x, gate], f"{name}.mul"), "half"], name)


def write_onnx(path, tensors, layers, heads, epsilon, word_table=None):
    """`tensors` by the names of e5.py; with `word_table` [pieces, hidden] the full graph is written."""
    hidden = tensors["emb.ln.w"].size
    g = Graph()
    g.constant("shape.heads", np.array([0, 0, heads, hidden // heads], np.int64))
    g.constant("shape.hidden", np.array([0, 0, hidden], np.int64))
    g.constant("scale", np.array(1 / np.sqrt(hidden / heads), np.float32))
    g.constant("sqrt2", np.array(np.sqrt(2), np.float32))
    g.constant("one", np.array(1, np.float32))
    g.constant("half", np.array(0.5, np.float32))
    g.constant("masked", np.array(-10000, np.float32))
    g.constant("axis0", np.array([0], np.int64))
    g.constant("axis1", np.array([1], np.int64))
    g.constant("axes12", np.array([1, 2], np.int64))

    mask_input = helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "length"])
    if word_table is None:
        inputs = [helper.make_tensor_value_info("inputs_embeds", TensorProto.FLOAT, ["batch", "length", hidden])]
        words = "inputs_embeds"
    else:
        inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])]
        words = g.node("Gather", [g.constant("emb.word", word_table), "input_ids"], "words", axis=0)

    length = g.node("Shape", ["attention_mask"], "length", start=1, end=2)
    # BERT counts positions from 0; every text is of type 0.
    positions = g.constant("emb.pos", tensors["emb.pos"] + tensors["emb.type"][0])
    positions = g.node("Slice", [positions, "axis0", length, "axis0"], "positions")
    x = g.node("Add", [words, positions], "embedded")
    x = g.layer_norm(x, "emb.ln", tensors["emb.ln.w"], tensors["emb.ln.b"], epsilon)

    mask = g.node("Cast", ["attention_mask"], "mask.float", to=TensorProto.FLOAT)
    mask = g.node("Sub", ["one", mask], "mask.inverse")
    mask = g.node("Mul", [mask, "masked"], "mask.additive")
    mask = g.node("Unsqueeze", [mask, "axes12"], "mask")

    for i in range(layers):
        layer = f"l{i}"
        x = g.node("Add", [attention(g, x, mask, tensors, layer), x], f"{layer}.attended")
        x = g.layer_norm(x, f"{layer}.aln", tensors[f"{layer}.aln.w"], tensors[f"{layer}.aln.b"], epsilon)
        inner = g.linear(x, f"{layer}.fi", tensors[f"{layer}.fi.w"], tensors[f"{layer}.fi.b"])
        inner = g.linear(gelu(g, inner, f"{layer}.gelu"), f"{layer}.fo", tensors[f"{layer}.fo.w"],
                         tensors[f"{layer}.fo.b"])
        x = g.node("Add", [inner, x], f"{layer}.fed")
        name = "last_hidden_state" if i == layers - 1 else f"{layer}.oln"
        x = g.layer_norm(x, name, tensors[f"{layer}.oln.w"], tensors[f"{layer}.oln.b"], epsilon)

    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", hidden])
    graph = helper.make_graph(g.nodes, "bert", inputs + [mask_input], [output], g.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
