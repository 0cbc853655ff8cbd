"""Asks TensorFlow for the shapes of random nodes, as rows of shapes.json.

For every operation of a list of definitions the script makes nodes that differ
in types, attributes, shapes of placeholders and values of constants, adds them
to a graph, where TensorFlow's shape functions see them, and writes down the
shapes of their outputs or the error. No kernel runs.

Nodes are found by mutation: the first has inputs of unknown rank, which most
shape functions let pass, and every node that is accepted may be the ancestor
of others, of which one argument or attribute differs. So most nodes of an
operation come to be well known and still accepted, without the script knowing
anything about it.

A node that makes TensorFlow end its process, or wait forever, is reported on standard error and
left out. The same seed gives the same rows.

    python shapes.py --opdefs ../../registry/testdata/ops.pb --trials 300 shapes.json
"""

import argparse
import copy
import json
import os
import random
import re
import signal
import sys
import tempfile
import zlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, node_def_pb2, op_def_pb2, types_pb2
from tensorflow.core.protobuf import error_codes_pb2
from tensorflow.core.framework import cpp_shape_inference_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import ops

Op = op_def_pb2.OpDef

# What an attribute of kind type may be where the definition allows all.
ANY_TYPE = ["DT_FLOAT", "DT_FLOAT", "DT_FLOAT", "DT_INT32", "DT_INT64", "DT_STRING", "DT_BOOL", "DT_DOUBLE", "DT_UINT8", "DT_COMPLEX64"]

# Attributes of kind string that mean something to shape functions.
WORDS = {
    "data_format": ["NHWC", "NCHW", "NDHWC", "NCDHW", "NCHW_VECT_C"],
    "src_format": ["NHWC", "NCHW", "NDHWC", "NCDHW"],
    "dst_format": ["NHWC", "NCHW", "NDHWC", "NCDHW"],
    "padding": ["SAME", "VALID", "EXPLICIT"],
    "equation": ["ab,bc->ac", "ab->ba", "abc->b", "a...,...b->ab...", "aa->a", "...->...", "ab,ab->", "a,b->ba", "abb->a",
                 "...a,ab->...b", "ab,bc", "->", "a->aa", "ij,jk,kl->il", "...ab->...ba", "a...->..."],
    "reduction_type": ["SUM", "MEAN"],
    "rnn_mode": ["lstm", "gru", "rnn_relu"],
    "input_mode": ["linear_input", "auto_select"],
    "direction": ["unidirectional", "bidirectional"],
    "set_operation": ["a-b", "a-b", "intersection", "union"],
    "mode": ["REFLECT", "SYMMETRIC", "MIN_COMBINED", "SCALED"],
    "input_quant_mode": ["MIN_FIRST", "SCALED"],
    "message": ["no"],
    "loss_type": ["logistic_loss"],
    "combiner": ["mean", "sum"],
    "row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS", "ROW_LENGTHS"],
}

CONSTANT_TYPES = {"DT_INT32": np.int32, "DT_INT64": np.int64, "DT_BOOL": np.bool_, "DT_FLOAT": np.float32, "DT_STRING": object}
STRINGS = ["", "a", "farmhash64", "ab,bc->ac"]


def type_number(name):
    return types_pb2.DataType.Value(name)


def type_name(number):
    return types_pb2.DataType.Name(number)


class Maker:
    """Makes nodes of one operation."""

    def __init__(self, op, rng):
        self.op = op
        self.rng = rng
        self.seen = set()
        self.accepted = []

    # A candidate, with inputs that may also know what is behind a handle, is {"attrs": {name: json}, "inputs": {arg: [{"shape", "value"?}]}}.

    def first(self):
        node = {"attrs": {}, "inputs": {}}
        for a in self.op.attr:
            node["attrs"][a.name] = self.plain_attr(a)
        if self.rng.random() < 0.5:
            self.even_out(node)
        self.fit(node)
        return node

    def plain_attr(self, a):
        """A value that is likely to be accepted."""
        if a.HasField("default_value"):
            return attr_to_json(a.type, a.default_value)
        return self.random_attr(a, wrong=0)

    def even_out(self, node):
        """Gives lists one length, which numbers of arguments are too."""
        n = self.rng.choice([0, 1, 1, 2, 3])
        numbers = {arg.number_attr for arg in list(self.op.input_arg) + list(self.op.output_arg)}
        for a in self.op.attr:
            if a.name in numbers or re.match(r"N[a-z]|num_(sparse|dense)", a.name):
                node["attrs"][a.name] = max(n, a.minimum)
            elif a.type.startswith("list(") and a.type != "list(int)":
                node["attrs"][a.name] = [self.random_scalar(a, a.type[5:-1], 0) for _ in range(max(n, a.minimum))]

    def random_attr(self, a, wrong=0.03):
        rng = self.rng
        if a.type.startswith("list("):
            kind = a.type[5:-1]
            if kind == "int" and rng.random() < 0.5:  # such as strides
                n = rng.choice([4, 4, 4, 5, 5, 2, 3])
                return [1] + [rng.choice([1, 1, 1, 2, 2, 3, 0, -1]) if rng.random() < 0.3 else rng.choice([1, 1, 2, 3]) for _ in range(n - 2)] + [1]
            n = max(rng.choice([0, 1, 1, 2, 2, 3, 4]), a.minimum if rng.random() >= wrong else 0)
            if a.has_minimum is False and kind == "int" and rng.random() < 0.2:
                n = rng.choice([4, 5, 8, 10])
            return [self.random_scalar(a, kind, wrong) for _ in range(n)]
        return self.random_scalar(a, a.type, wrong)

    def random_scalar(self, a, kind, wrong):
        rng = self.rng
        if kind == "type":
            allowed = [type_name(t) for t in a.allowed_values.list.type]
            if not allowed or rng.random() < wrong:
                return rng.choice(ANY_TYPE)
            usual = [t for t in allowed if t in ("DT_FLOAT", "DT_INT32", "DT_INT64")]
            return rng.choice(usual if usual and rng.random() < 0.6 else allowed)
        if kind == "string":
            allowed = [s.decode() for s in a.allowed_values.list.s]
            words = WORDS.get(a.name, [])
            if allowed and rng.random() >= wrong:
                return rng.choice(allowed)
            return rng.choice(words + allowed + ["", "wrong"] if words else ["", "", "x", "NHWC"])
        if kind == "int":
            if a.has_minimum and rng.random() >= wrong or any(a.name == arg.number_attr for arg in self.op.input_arg):
                return a.minimum + rng.choice([0, 0, 1, 1, 2, 3, 4])
            if rng.random() < wrong:
                return rng.choice([-5, 100, 1 << 31, 1 << 40, -(1 << 63)])
            return rng.choice([-1, -1, 0, 0, 1, 1, 2, 2, 3, 4, -2, 8])
        if kind == "float":
            return rng.choice([0.0, 0.5, 1.0, 2.0, -1.0])
        if kind == "bool":
            return rng.random() < 0.5
        if kind == "shape":
            return {"shape": self.random_shape()}
        if kind == "func":
            return {"func": "f"}
        if kind == "tensor":
            return None
        raise ValueError(kind)

    def random_dim(self):
        return self.rng.choice([-1, -1, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 9, 12, 16])

    def random_shape(self):
        rng = self.rng
        if rng.random() < 0.1:
            return None
        return [self.random_dim() for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5]))]

    def fit(self, node):
        """Gives the node as many inputs as its attributes ask for."""
        for arg in self.op.input_arg:
            have = node["inputs"].setdefault(arg.name, [])
            n = len(self.types_of(arg, node["attrs"]))
            del have[n:]
            while len(have) < n:
                have.append(copy.deepcopy(have[-1]) if have else {"shape": None})
        for arg, i, dtype in self.flat(node):
            value = node["inputs"][arg.name][i]
            if "value" in value and not fits(value["value"], dtype):
                del value["value"]
            if "handle" in value and dtype not in ("DT_RESOURCE", "DT_VARIANT"):
                del value["handle"]

    def types_of(self, arg, attrs):
        if arg.type_list_attr:
            return list(attrs[arg.type_list_attr])
        dtype = type_name(arg.type) if arg.type else attrs[arg.type_attr]
        if arg.is_ref:
            dtype += "_REF"
        n = attrs[arg.number_attr] if arg.number_attr else 1
        return [dtype] * n

    def flat(self, node):
        return [(arg, i, t) for arg in self.op.input_arg for i, t in enumerate(self.types_of(arg, node["attrs"]))]

    def mutate(self, node):
        node = copy.deepcopy(node)
        rng = self.rng
        for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
            inputs = self.flat(node)
            if self.op.attr and (not inputs or rng.random() < 0.25):
                if rng.random() < 0.1:
                    self.even_out(node)
                    self.fit(node)
                    continue
                a = rng.choice(self.op.attr)
                node["attrs"][a.name] = self.random_attr(a)
                self.fit(node)
                continue
            if not inputs:
                continue
            arg, i, dtype = rng.choice(inputs)
            self.mutate_input(node, node["inputs"][arg.name][i], dtype)
        return node

    def mutate_input(self, node, this, dtype):
        rng = self.rng
        others = [v for vs in node["inputs"].values() for v in vs]
        if dtype in CONSTANT_TYPES and rng.random() < (0.45 if dtype in ("DT_INT32", "DT_INT64") else 0.1):
            self.make_constant(this, dtype, others)
            return
        this.pop("value", None)
        if dtype in ("DT_RESOURCE", "DT_VARIANT"):
            this.pop("handle", None)
            if rng.random() < 0.7:
                self.make_handle(node, this, dtype, others)
                return
        shape = this["shape"]
        what = rng.random()
        if shape is None or what < 0.2:
            this["shape"] = self.random_shape()
        elif what < 0.6 and shape:
            shape[rng.randrange(len(shape))] = self.random_dim()
        elif what < 0.7 and shape:
            del shape[rng.randrange(len(shape))]
        elif what < 0.8 and len(shape) < 6:
            shape.insert(rng.randrange(len(shape) + 1), self.random_dim())
        elif what < 0.83:
            this["shape"] = None
        else:
            other = rng.choice(others)
            this["shape"] = None if other["shape"] is None else list(other["shape"])
            if this["shape"] and rng.random() < 0.4:
                this["shape"][rng.randrange(len(this["shape"]))] = self.random_dim()

    def make_handle(self, node, this, dtype, others):
        """Makes an input a variable, a TensorArray or a list."""
        rng = self.rng
        types = [t for v in node["attrs"].values() for t in (v if isinstance(v, list) else [v]) if isinstance(t, str) and t.startswith("DT_")]
        shape = self.random_shape()
        if rng.random() < 0.6:
            other = rng.choice(others)
            shape = other.get("handle", other)["shape"]
            if shape and rng.random() < 0.4:
                shape = list(shape)
                shape[rng.randrange(len(shape))] = self.random_dim()
        this["shape"] = [2] if dtype == "DT_RESOURCE" and "TensorArray" in self.op.name else []
        this["handle"] = {"dtype": rng.choice(types) if types and rng.random() < 0.9 else "DT_FLOAT", "shape": shape}

    def make_constant(self, this, dtype, others):
        rng = self.rng
        number = self.random_number
        if dtype == "DT_BOOL":
            number = lambda: rng.random() < 0.5
        elif dtype == "DT_FLOAT":
            number = lambda: rng.choice([0.0, 1.0, 2.0, 0.5, -1.0, 4.0, 2.5])
        elif dtype == "DT_STRING":
            number = lambda: rng.choice(STRINGS)
        shape = this["shape"]
        if shape is None or -1 in shape or len(shape) > 2 or rng.random() < 0.3:
            shape = rng.choice([[], [], [1], [2], [2], [3], [4], [5], [0], [1, 2], [2, 2], [3, 2], [4, 2]])
        if shape and shape[0] > 16:
            shape = [2]
        known = [o["shape"] for o in others if o["shape"] is not None]
        if known and len(shape) == 1 and dtype in ("DT_INT32", "DT_INT64") and rng.random() < 0.25:
            value = list(rng.choice(known))
            shape = [len(value)]
        else:
            value = number() if not shape else [number() for _ in range(shape[0])] if len(shape) == 1 else [[number() for _ in range(shape[1])] for _ in range(shape[0])]
        this["shape"], this["value"] = list(shape), value

    def random_number(self):
        rng = self.rng
        if rng.random() < 0.02:
            return rng.choice([(1 << 31) - 1, -(1 << 31), 100, -100])
        return rng.choice([-3, -2, -1, -1, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8])

    def next(self):
        """A node that was not there yet; None if none comes to mind."""
        for _ in range(30):
            if not self.accepted:
                node = self.first()
                if self.rng.random() < 0.7:
                    for _ in range(self.rng.randrange(3)):
                        for a in self.op.attr:
                            if self.rng.random() < 0.5:
                                node["attrs"][a.name] = self.random_attr(a, wrong=0)
                    self.fit(node)
                    for arg, i, dtype in self.flat(node):
                        if self.rng.random() < 0.5:
                            self.mutate_input(node, node["inputs"][arg.name][i], dtype)
            else:
                ancestors = self.rng.choices(self.accepted, k=2)
                node = self.mutate(max(ancestors, key=known))
            key = json.dumps(node, sort_keys=True)
            if key not in self.seen:
                self.seen.add(key)
                return node
        return None

    def row(self, node):
        inputs = []
        for arg, i, dtype in self.flat(node):
            value = node["inputs"][arg.name][i]
            one = {"dtype": dtype, "shape": value["shape"]}
            for more in ("value", "handle"):
                if more in value:
                    one[more] = value[more]
            inputs.append(one)
        attrs = {name: v for name, v in node["attrs"].items() if v is not None}
        return {"op": self.op.name, "attrs": attrs, "inputs": inputs}


def known(node):
    """How much is known of a node's inputs."""
    total = 0
    for values in node["inputs"].values():
        for v in values:
            if "value" in v or "handle" in v:
                total += 2
            if v["shape"] is not None:
                total += 1 + sum(d >= 0 for d in v["shape"])
    return total


def fits(value, dtype):
    while isinstance(value, list):
        if not value:
            return dtype in CONSTANT_TYPES
        value = value[0]
    return {"DT_INT32": int, "DT_INT64": int, "DT_BOOL": bool, "DT_FLOAT": float, "DT_STRING": str}.get(dtype) is type(value)


def attr_to_json(kind, v):
    if kind.startswith("list("):
        kind = kind[5:-1]
        field = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type", "shape": "shape", "func": "func"}[kind]
        return [scalar_to_json(kind, x) for x in getattr(v.list, field)]
    field = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type", "shape": "shape", "func": "func", "tensor": "tensor"}[kind]
    return scalar_to_json(kind, getattr(v, field))


def scalar_to_json(kind, x):
    if kind == "string":
        return x.decode()
    if kind == "type":
        return type_name(x)
    if kind == "shape":
        return {"shape": None if x.unknown_rank else [d.size for d in x.dim]}
    if kind == "func":
        return {"func": x.name}
    if kind == "tensor":
        return None
    return x


def attr_from_json(kind, x):
    v = attr_value_pb2.AttrValue()
    if kind.startswith("list("):
        v.list.SetInParent()
        for e in x:
            set_field(v.list, kind[5:-1], e, True)
    else:
        set_field(v, kind, x, False)
    return v


def set_field(v, kind, x, repeated):
    if kind == "shape":
        s = v.shape.add() if repeated else v.shape
        s.SetInParent()
        if x["shape"] is None:
            s.unknown_rank = True
        else:
            for d in x["shape"]:
                s.dim.add().size = d
        return
    if kind == "func":
        f = v.func.add() if repeated else v.func
        f.name = x["func"]
        return
    field = {"int": "i", "float": "f", "bool": "b", "string": "s", "type": "type"}[kind]
    if kind == "string":
        x = x.encode()
    if kind == "type":
        x = type_number(x)
    if repeated:
        getattr(v, field).append(x)
    else:
        setattr(v, field, x)


def add_constant(graph, name, dtype, shape, value):
    array = np.array(value, dtype=CONSTANT_TYPES[dtype]).reshape(shape)
    node = node_def_pb2.NodeDef(name=name, op="Const")
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(array, dtype=tf.as_dtype(type_number(dtype)), shape=shape))
    node.attr["dtype"].type = type_number(dtype)
    return ops.Operation.from_node_def(node, graph).outputs[0]


def add_handle(graph, name, dtype, handle, rank):
    """A variable, a TensorArray if it is a vector, or a list."""
    shape = handle["shape"]
    inputs = []
    node = node_def_pb2.NodeDef(name=name, op="VarHandleOp")
    element = "dtype"
    if dtype == "DT_VARIANT":
        node.op, element = "EmptyTensorList", "element_dtype"
        node.attr["shape_type"].type = type_number("DT_INT32")
        if shape is None:
            dims = add_constant(graph, name + "_shape", "DT_INT32", [], -1)
        else:
            dims = add_constant(graph, name + "_shape", "DT_INT32", [len(shape)], shape)
        inputs = [dims, add_constant(graph, name + "_size", "DT_INT32", [], 3)]
    elif rank == 1:
        node.op = "TensorArrayV3"
        node.attr["element_shape"].CopyFrom(attr_from_json("shape", {"shape": shape}))
        inputs = [add_constant(graph, name + "_size", "DT_INT32", [], 3)]
    else:
        node.attr["shape"].CopyFrom(attr_from_json("shape", {"shape": shape}))
    node.attr[element].type = type_number(handle["dtype"])
    return ops.Operation.from_node_def(node, graph, inputs).outputs[0]


def add_input(graph, i, v):
    dtype, shape = v["dtype"], v["shape"]
    if "handle" in v:
        return add_handle(graph, f"in{i}", dtype, v["handle"], len(shape))
    if "value" in v:
        return add_constant(graph, f"in{i}", dtype, shape, v["value"])
    node = node_def_pb2.NodeDef(name=f"in{i}", op="Placeholder")
    if dtype.endswith("_REF"):
        node.op, dtype = "VariableV2", dtype[:-4]
    node.attr["dtype"].type = type_number(dtype)
    node.attr["shape"].CopyFrom(attr_from_json("shape", {"shape": shape}))
    op = ops.Operation.from_node_def(node, graph)
    return op.outputs[0]


def ask(op, row):
    """Adds the row's node to a graph; its outputs or error go into the row."""
    graph = tf.Graph()
    inputs = [add_input(graph, i, v) for i, v in enumerate(row["inputs"])]
    node = node_def_pb2.NodeDef(name="op", op=op.name)
    for a in op.attr:
        if a.name in row["attrs"]:
            node.attr[a.name].CopyFrom(attr_from_json(a.type, row["attrs"][a.name]))
    try:
        made = ops.Operation.from_node_def(node, graph, inputs)
    except ValueError as e:
        if str(e).startswith("vector::"):  # of C++ too
            row["nonsense"] = repr(e)
        else:
            row["error"] = first_words(str(e))
        return
    except tf.errors.OpError as e:
        row["error"] = first_words(e.message)
        row["code"] = error_codes_pb2.Code.Name(e.error_code)
        return
    except Exception as e:  # of C++, such as IndexError
        row["nonsense"] = repr(e)
        return
    try:
        row["outputs"] = [None if t.shape.rank is None else [-1 if d is None else d for d in t.shape.as_list()] for t in made.outputs]
    except ValueError as e:
        row["nonsense"] = str(e)
        return
    handles = [handle_data(graph, t) for t in made.outputs]
    if any(handles):
        row["handles"] = handles


def handle_data(graph, t):
    """What TensorFlow knows of the tensors behind a handle."""
    if t.dtype.base_dtype not in (tf.resource, tf.variant):
        return None
    with graph._c_graph.get() as c_graph:
        data = pywrap_tf_session.GetHandleShapeAndType(c_graph, t._as_tf_output())
    message = cpp_shape_inference_pb2.CppShapeInferenceResult.HandleData()
    message.ParseFromString(data)
    if not message.is_set:
        return None
    shapes = [None if h.shape.unknown_rank else [d.size for d in h.shape.dim] for h in message.shape_and_type]
    return [{"dtype": type_name(h.dtype), "shape": s} for h, s in zip(message.shape_and_type, shapes)]


def first_words(message):
    message = re.split(r" for '|; NodeDef:|\{\{node|\n", message)[0]
    return message[:160]


def kind_of(row):
    """What makes rows of an operation alike."""
    shapes = lambda ss: tuple(None if s is None else len(s) if -1 not in s else (len(s), "?") for s in ss)
    if "error" in row:
        return re.sub(r"-?\d+", "0", row["error"])
    return shapes(row["outputs"]), shapes(i["shape"] for i in row["inputs"])


def work(op, seed, trials, crashed, attempt, out):
    """Writes the rows of one operation; runs in a process of its own."""
    rng = random.Random(seed)
    maker = Maker(op, rng)
    done = 0
    while done < trials:
        node = maker.next()
        if node is None:
            break
        row = maker.row(node)
        text = json.dumps(row)
        if text in crashed:
            continue
        done += 1
        attempt.seek(0)
        attempt.write(text)
        attempt.truncate()
        attempt.flush()
        ask(op, row)
        if "nonsense" in row:
            print(f"{op.name}: TensorFlow infers {row['nonsense']}: {text}", file=sys.stderr, flush=True)
            continue
        if "outputs" in row:
            maker.accepted.append(node)
        out.write(json.dumps(row) + "\n")
        out.flush()


def rows_of(op, seed, trials):
    """The rows of an operation, asked in child processes until none crashes."""
    crashed = set()
    while True:
        with tempfile.TemporaryFile("w+") as attempt, tempfile.TemporaryFile("w+") as out:
            child = os.fork()
            if child == 0:
                signal.alarm(25)
                try:
                    work(op, seed, trials, crashed, attempt, out)
                except BaseException as e:  # a mistake of this script
                    print(f"{op.name}: {e!r}", file=sys.stderr, flush=True)
                finally:
                    os._exit(0)
            _, status = os.waitpid(child, 0)
            if os.WIFSIGNALED(status):
                attempt.seek(0)
                text = attempt.read()
                if len(crashed) < 3:
                    print(f"{op.name}: {signal.Signals(os.WTERMSIG(status)).name}: {text}", file=sys.stderr, flush=True)
                crashed.add(text)
                if len(crashed) < 20 and os.WTERMSIG(status) != signal.SIGALRM:
                    continue
            out.seek(0)
            return [json.loads(line) for line in out]


def select(rows, n, rng):
    """At most n rows that differ as much as may be."""
    kinds = {}
    for r in rows:
        kinds.setdefault(kind_of(r), []).append(r)
    groups = list(kinds.values())
    rng.shuffle(groups)
    chosen = []
    while groups and len(chosen) < n:
        groups = [g for g in groups if g]
        for g in groups:
            if len(chosen) < n and g:
                chosen.append(g.pop(rng.randrange(len(g))))
    return chosen


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("output", help="where the rows go")
    p.add_argument("--opdefs", required=True, help="a serialized OpList")
    p.add_argument("--ops", help="only these operations, separated by commas")
    p.add_argument("--trials", type=int, default=300, help="nodes tried of each operation")
    p.add_argument("--rows", type=int, default=0, help="rows kept of each operation, 0 for all")
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()

    defs = op_def_pb2.OpList()
    with open(args.opdefs, "rb") as f:
        defs.ParseFromString(f.read())
    wanted = set(args.ops.split(",")) if args.ops else None
    total = 0
    with open(args.output, "w") as out:
        out.write("[\n")
        for op in defs.op:
            if wanted and op.name not in wanted:
                continue
            seed = args.seed * 1000003 + zlib.crc32(op.name.encode())
            rows = rows_of(op, seed, args.trials)
            if args.rows:
                rows = select(rows, args.rows, random.Random(seed))
            for r in rows:
                out.write((",\n" if total else "") + json.dumps(r))
                total += 1
        out.write("\n]\n")
    print(f"{total} rows", file=sys.stderr)


if __name__ == "__main__":
    main()
