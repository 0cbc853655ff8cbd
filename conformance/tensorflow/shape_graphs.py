"""Asks TensorFlow for the shapes of all tensors of random small graphs.

Graphs compute shapes from shapes, as far as constants can be folded, and use
them; or they are loops, or pass handles along. Each row has the graph, a
GraphDef in base64, and what import inferred for every output of every node. No
kernel runs. The same seed gives the same rows.

    python shape_graphs.py --graphs 500 shape_graphs.json
"""

import argparse
import base64
import json
import os
import random
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import tensorflow as tf
from tensorflow.core.framework import node_def_pb2
from tensorflow.python.framework import ops

from shapes import add_constant, attr_from_json, handle_data, type_number


class Builder:
    """Adds nodes that TensorFlow accepts to a graph."""

    def __init__(self, rng):
        self.rng = rng
        self.graph = tf.Graph()
        self.count = 0
        self.floats, self.vectors, self.scalars, self.bools = [], [], [], []

    def name(self):
        self.count += 1
        return f"n{self.count}"

    def add(self, op, inputs, attrs=(), types=()):
        """The outputs of a new node, or None if it was refused."""
        node = node_def_pb2.NodeDef(name=self.name(), op=op)
        for key, (kind, value) in dict(attrs).items():
            node.attr[key].CopyFrom(attr_from_json(kind, value))
        for key, dtype in dict(types).items():
            node.attr[key].type = type_number(dtype)
        try:
            return ops.Operation.from_node_def(node, self.graph, list(inputs)).outputs
        except (ValueError, tf.errors.OpError):
            return None

    def one(self, into, *args):
        made = self.add(*args)
        if made:
            into.extend(made)
        return made

    def const(self, shape, value):
        return add_constant(self.graph, self.name(), "DT_INT32", shape, value)

    def dim(self):
        return self.rng.choice([-1, -1, 0, 1, 2, 2, 3, 3, 4, 6])

    def shape(self):
        if self.rng.random() < 0.1:
            return None
        return [self.dim() for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3, 4]))]

    def placeholder(self):
        self.one(self.floats, "Placeholder", [], {"shape": ("shape", {"shape": self.shape()})}, {"dtype": "DT_FLOAT"})


INT = {"T": "DT_INT32"}


def fold(b):
    """A step of arithmetic on shapes."""
    rng = b.rng
    x = lambda: rng.choice(b.floats)
    s = lambda: rng.choice(b.scalars)
    v = lambda: rng.choice(b.vectors)
    n = lambda: rng.choice([-2, -1, 0, 0, 1, 1, 2, 3])
    either = lambda: rng.choice(b.scalars if rng.random() < 0.7 else b.vectors)

    def strided():
        mask = rng.choice([0, 0, 1])
        begin, end, stride = b.const([1], [n()]), b.const([1], [rng.choice([-1, 0, 1, 2, 3])]), b.const([1], [rng.choice([1, 1, 1, 2, -1])])
        masks = {"shrink_axis_mask": ("int", mask), "begin_mask": ("int", rng.choice([0, 0, 1])), "end_mask": ("int", rng.choice([0, 0, 1]))}
        b.one(b.scalars if mask else b.vectors, "StridedSlice", [v(), begin, end, stride], masks, {"T": "DT_INT32", "Index": "DT_INT32"})

    def pack():
        k = rng.choice([1, 2, 2, 3])
        b.one(b.vectors, "Pack", [s() for _ in range(k)], {"N": ("int", k), "axis": ("int", 0)}, INT)

    def concat():
        k = rng.choice([2, 2, 3])
        b.one(b.vectors, "ConcatV2", [v() for _ in range(k)] + [b.const([], rng.choice([0, 0, -1]))], {"N": ("int", k)}, {"T": "DT_INT32", "Tidx": "DT_INT32"})

    def binary():
        op = rng.choice(["Mul", "Mul", "AddV2", "Add", "Sub", "FloorDiv", "Maximum", "Minimum", "FloorMod"])
        if rng.random() < 0.6:
            b.one(b.scalars, op, [s(), s()], {}, INT)
        else:
            b.one(b.vectors, op, [v(), either()], {}, INT)

    def through():
        made = b.add("Cast", [v()], {}, {"SrcT": "DT_INT32", "DstT": "DT_INT64"})
        if made and rng.random() < 0.7:
            b.one(b.vectors, "Cast", made, {}, {"SrcT": "DT_INT64", "DstT": "DT_INT32"})

    def wide():
        k = rng.choice([1, 2])
        for out in b.add("ShapeN", [x() for _ in range(k)], {"N": ("int", k)}, {"T": "DT_FLOAT", "out_type": "DT_INT32"}) or []:
            b.vectors.append(out)

    def slices():
        b.one(b.vectors, "Slice", [v(), b.const([1], [rng.choice([0, 0, 1, 2])]), b.const([1], [rng.choice([-1, -1, 0, 1, 2])])], {}, {"T": "DT_INT32", "Index": "DT_INT32"})

    def gather():
        scalar = rng.random() < 0.5
        k = rng.choice([1, 2])
        indices = b.const([], rng.choice([0, 1, 2])) if scalar else b.const([k], [rng.choice([0, 1, 2]) for _ in range(k)])
        b.one(b.scalars if scalar else b.vectors, "GatherV2", [v(), indices, b.const([], 0)], {"batch_dims": ("int", 0)}, {"Tparams": "DT_INT32", "Tindices": "DT_INT32", "Taxis": "DT_INT32"})

    steps = [
        lambda: b.one(b.vectors, "Shape", [x()], {}, {"T": "DT_FLOAT", "out_type": "DT_INT32"}),
        lambda: b.one(b.vectors, "Shape", [x()], {}, {"T": "DT_FLOAT", "out_type": "DT_INT32"}),
        lambda: b.one(b.scalars, "Size", [x()], {}, {"T": "DT_FLOAT", "out_type": "DT_INT32"}),
        lambda: b.one(b.scalars, "Rank", [x()], {}, {"T": "DT_FLOAT"}),
        strided, strided, strided, pack, pack, concat, concat, binary, binary, through, wide, slices, gather,
        lambda: b.one(b.scalars, "Prod", [v(), b.const([1], [0])], {"keep_dims": ("bool", False)}, {"T": "DT_INT32", "Tidx": "DT_INT32"}),
        lambda: b.one(b.vectors, "Range", [s(), s(), b.const([], 1)], {}, {"Tidx": "DT_INT32"}),
        lambda: b.one(b.vectors, "ExpandDims", [s(), b.const([], 0)], {}, {"T": "DT_INT32", "Tdim": "DT_INT32"}),
        lambda: b.one(b.scalars, "Squeeze", [v()], {"squeeze_dims": ("list(int)", [0])}, INT),
        lambda: b.one(b.vectors, "Reshape", [either(), b.const([1], [-1])], {}, {"T": "DT_INT32", "Tshape": "DT_INT32"}),
        lambda: b.one(rng.choice([b.vectors]), "Identity", [v()], {}, INT),
        lambda: b.one(b.vectors, "Fill", [b.const([1], [rng.choice([1, 2, 3])]), s()], {}, {"T": "DT_INT32", "index_type": "DT_INT32"}),
        lambda: b.one(b.vectors, "OnesLike", [v()], {}, INT),
        lambda: b.one(b.vectors, "ZerosLike", [v()], {}, INT),
        lambda: b.one(b.vectors, "ReverseV2", [v(), b.const([1], [0])], {}, {"T": "DT_INT32", "Tidx": "DT_INT32"}),
        lambda: b.one(b.scalars, "Identity", [s()], {}, INT),
        lambda: b.one(b.scalars, "StopGradient", [s()], {}, INT),
        lambda: b.scalars.append(b.const([], rng.choice([-1, 1, 2, 3]))),
        lambda: b.vectors.append(b.const([2], [rng.choice([-1, 1, 2, 3]), rng.choice([1, 2, 4])])),
    ]
    rng.choice(steps)()


def use(b):
    """A step whose shape hangs on a value."""
    rng = b.rng
    x, v, s = rng.choice(b.floats), rng.choice(b.vectors), rng.choice(b.scalars)
    f = {"T": "DT_FLOAT"}
    zero = add_constant(b.graph, b.name(), "DT_FLOAT", [], 0.0)
    steps = [
        lambda: b.one(b.floats, "Reshape", [x, v], {}, {**f, "Tshape": "DT_INT32"}),
        lambda: b.one(b.floats, "Reshape", [x, v], {}, {**f, "Tshape": "DT_INT32"}),
        lambda: b.one(b.floats, "Fill", [v, zero], {}, {**f, "index_type": "DT_INT32"}),
        lambda: b.one(b.floats, "BroadcastTo", [x, v], {}, {**f, "Tidx": "DT_INT32"}),
        lambda: b.one(b.floats, "Tile", [x, v], {}, {**f, "Tmultiples": "DT_INT32"}),
        lambda: b.one(b.floats, "RandomUniform", [v], {"seed": ("int", 0), "seed2": ("int", 0)}, {"T": "DT_INT32", "dtype": "DT_FLOAT"}),
        lambda: b.one(b.floats, "OneHot", [v, s, zero, zero], {"axis": ("int", -1)}, {**f, "TI": "DT_INT32"}),
        lambda: b.one(b.floats, "Slice", [x, v, rng.choice(b.vectors)], {}, {**f, "Index": "DT_INT32"}),
        lambda: b.one(b.floats, "StridedSlice", [x, v, rng.choice(b.vectors), rng.choice(b.vectors)], {}, {**f, "Index": "DT_INT32"}),
        lambda: b.one(b.floats, "Sum", [x, v], {"keep_dims": ("bool", rng.random() < 0.5)}, {**f, "Tidx": "DT_INT32"}),
        lambda: b.one(b.floats, "Transpose", [x, v], {}, {**f, "Tperm": "DT_INT32"}),
        lambda: b.one(b.floats, "ExpandDims", [x, s], {}, {**f, "Tdim": "DT_INT32"}),
        lambda: b.one(b.floats, "ConcatV2", [x, rng.choice(b.floats), s], {"N": ("int", 2)}, {**f, "Tidx": "DT_INT32"}),
        lambda: b.one(b.floats, "Split", [s, x], {"num_split": ("int", 2)}, f),
        lambda: b.one(b.floats, "AddV2", [x, rng.choice(b.floats)], {}, f),
        lambda: b.one(b.floats, "ScatterNd", [b.const([1, 1], [[0]]), x, v], {}, {**f, "Tindices": "DT_INT32"}),
        lambda: b.one(b.floats, "TensorListGetItem", [rng.choice(lists(b)), s, v], {}, {"element_dtype": "DT_FLOAT"}),
        lambda: b.one(b.floats, "TensorListStack", [rng.choice(lists(b)), v], {"num_elements": ("int", rng.choice([-1, 3]))}, {"element_dtype": "DT_FLOAT"}),
    ]
    rng.choice(steps)()


def lists(b):
    """Some lists of tensors."""
    made = b.add("TensorListReserve", [b.rng.choice(b.vectors), b.rng.choice(b.scalars)], {}, {"element_dtype": "DT_FLOAT", "shape_type": "DT_INT32"})
    if not made:
        made = b.add("EmptyTensorList", [b.const([], -1), b.const([], 2)], {}, {"element_dtype": "DT_FLOAT", "shape_type": "DT_INT32"})
    more = b.add("TensorListSetItem", [made[0], b.const([], 0), b.rng.choice(b.floats)], {}, {"element_dtype": "DT_FLOAT"})
    return list(made) + list(more or [])


def loop(b):
    """A while loop over a counter, a tensor and perhaps a handle."""
    rng = b.rng
    frame = b.name()

    def enter(t, constant):
        return b.add("Enter", [t], {"frame_name": ("string", frame), "is_constant": ("bool", constant), "parallel_iterations": ("int", 10)}, {"T": f"DT_{t.dtype.base_dtype.name.upper()}".replace("FLOAT32", "FLOAT")})[0]

    variables = [b.const([], 0), rng.choice(b.floats)]
    kinds = ["DT_INT32", "DT_FLOAT"]
    if rng.random() < 0.5:
        variables.append(rng.choice(lists(b)))
        kinds.append("DT_VARIANT")
    if rng.random() < 0.4:
        variables.append(b.add("VarHandleOp", [], {"shape": ("shape", {"shape": b.shape()})}, {"dtype": "DT_FLOAT"})[0])
        kinds.append("DT_RESOURCE")
    entered = [enter(t, False) for t in variables]
    merged = [b.add("Merge", [t, t], {"N": ("int", 2)}, {"T": k})[0] for t, k in zip(entered, kinds)]
    limit = enter(b.const([], 3), True)
    free = enter(rng.choice(b.floats), True)
    cond = b.add("LoopCond", b.add("Less", [merged[0], limit], {}, INT), {}, {})[0]
    switched = [b.add("Switch", [t, cond], {}, {"T": k}) for t, k in zip(merged, kinds)]
    body = [t[1] for t in switched]
    out = list(body)
    out[0] = b.add("AddV2", [body[0], b.const([], 1)], {}, INT)[0]
    made = b.add(rng.choice(["AddV2", "Mul", "Maximum"]), [body[1], free], {}, {"T": "DT_FLOAT"})
    out[1] = made[0] if made else body[1]
    for i, k in enumerate(kinds):
        if k == "DT_VARIANT":
            made = b.add("TensorListSetItem", [body[i], body[0], body[1]], {}, {"element_dtype": "DT_FLOAT"})
            out[i] = made[0] if made else body[i]
            b.add("TensorListGetItem", [body[i], body[0], b.const([], -1)], {}, {"element_dtype": "DT_FLOAT"})
        if k == "DT_RESOURCE":
            b.add("ReadVariableOp", [body[i]], {}, {"dtype": "DT_FLOAT"})
    after = [b.add("NextIteration", [t], {}, {"T": k})[0] for t, k in zip(out, kinds)]
    for t, k in zip(switched, kinds):
        done = b.add("Exit", [t[0]], {}, {"T": k})[0]
        if k == "DT_FLOAT":
            b.floats.append(done)
        if k == "DT_VARIANT":
            b.add("TensorListStack", [done, b.const([], -1)], {"num_elements": ("int", -1)}, {"element_dtype": "DT_FLOAT"})
    return {m.op.name: a.name for m, a in zip(merged, after)}


def build(rng):
    """A GraphDef."""
    b = Builder(rng)
    for _ in range(3):
        b.placeholder()
    b.scalars.append(b.const([], 2))
    b.vectors.append(b.const([2], [-1, 3]))
    back = {}
    for _ in range(rng.choice([6, 12, 20, 30])):
        fold(b)
        if rng.random() < 0.4:
            use(b)
        if rng.random() < 0.04:
            back.update(loop(b))
        if rng.random() < 0.05:
            pred = b.one(b.bools, "Placeholder", [], {"shape": ("shape", {"shape": []})}, {"dtype": "DT_BOOL"})
            made = b.one(b.vectors, "Switch", [rng.choice(b.vectors), pred[0]], {}, INT)
            if made:
                b.one(b.vectors, "Identity", [made[0]], {}, INT)
                merged = b.add("Merge", [rng.choice(b.vectors), made[1]], {"N": ("int", 2)}, INT)
                b.vectors.append(merged[0])
    graph = b.graph.as_graph_def()
    for node in graph.node:
        node.ClearField("experimental_debug_info")
        if node.name in back:
            node.input[1] = back[node.name]
        if rng.random() < 0.03 and node.op != "Const":
            outputs = b.graph.get_operation_by_name(node.name).outputs
            node.attr["_output_shapes"].CopyFrom(attr_from_json("list(shape)", [{"shape": claimed(b, t.shape)} for t in outputs]))
    return graph


def claimed(b, shape):
    """A shape that a node may say of itself, mostly one that it can have."""
    if b.rng.random() < 0.1 or shape.rank is None:
        return b.shape()
    return [d if d is not None and b.rng.random() < 0.8 else b.rng.choice([-1, 2, 3]) if d is None else -1 for d in shape.as_list()]


def ask(graph):
    row = {"graph": base64.b64encode(graph.SerializeToString(deterministic=True)).decode()}
    imported = tf.Graph()
    try:
        with imported.as_default():
            tf.import_graph_def(graph, name="")
    except (ValueError, tf.errors.OpError) as e:
        row["error"] = str(e)[:200]
        return row
    row["shapes"], row["handles"] = {}, {}
    for op in imported.get_operations():
        row["shapes"][op.name] = [None if t.shape.rank is None else [-1 if d is None else d for d in t.shape.as_list()] for t in op.outputs]
        handles = [handle_data(imported, t) for t in op.outputs]
        if any(handles):
            row["handles"][op.name] = handles
    return row


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("output", help="where the rows go")
    p.add_argument("--graphs", type=int, default=500)
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()
    rows = [ask(build(random.Random(args.seed * 1000003 + i))) for i in range(args.graphs)]
    with open(args.output, "w") as out:
        out.write("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
    print(f"{len(rows)} graphs, {sum('error' in r for r in rows)} refused", file=sys.stderr)


if __name__ == "__main__":
    main()
