"""Executes single nodes by TensorFlow, each in a graph and a session of its own.

A row says what to execute, in the form of nodes.json:

    {"op": "Add", "attrs": {"T": "DT_FLOAT"},
     "inputs": [{"dtype": "DT_FLOAT", "shape": [2], "value": "[1, nan]"}, …]}

Values are texts with all elements in one pair of brackets. An input whose type
is a reference is a variable that was assigned the value. One of type
DT_RESOURCE has a "variable" in place of shape and value, which says what is in
it; without a value there it is not initialized. One of type DT_VARIANT has a
"list", a tensor whose rows are the elements of a TensorList.

Inputs come by PlaceholderWithDefault of unknown shape, so that kernels see what
shape functions would refuse, or as constants if the row has "known".

execute adds "outputs" and, if there are variables, "after", what they hold then;
or "error" and "code".
"""

import os
import pickle
import re
import resource
import select
import signal

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import node_def_pb2, tensor_pb2
from tensorflow.core.protobuf import config_pb2, error_codes_pb2, rewriter_config_pb2
from tensorflow.python.framework import ops

import shapes

QUANTIZED = {"DT_QINT8": np.int8, "DT_QUINT8": np.uint8, "DT_QINT16": np.int16, "DT_QUINT16": np.uint16, "DT_QINT32": np.int32}

MOST_ELEMENTS = 4000  # of all outputs of a node


def numpy_type(dtype):
    return QUANTIZED.get(dtype) or tf.as_dtype(shapes.type_number(dtype)).as_numpy_dtype


def to_array(texts, dtype):
    """An array of the elements, which are texts; it is flat."""
    if dtype == "DT_STRING":
        return np.array([t.encode("latin-1") for t in texts], dtype=object)
    if dtype == "DT_BOOL":
        return np.array([{"true": True, "false": False}[t] for t in texts], dtype=np.bool_)
    of = numpy_type(dtype)
    if np.dtype(of).kind in "iu" or dtype in ("DT_INT4", "DT_UINT4", "DT_INT2", "DT_UINT2"):
        return np.array([int(t) for t in texts], dtype=np.int64 if dtype != "DT_UINT64" else np.uint64).astype(of)
    if np.dtype(of).kind == "c":
        with np.errstate(over="ignore"):
            return np.array([complex(t) for t in texts], dtype=np.complex128).astype(of)
    with np.errstate(over="ignore"):
        return np.array([float(t) for t in texts], dtype=np.float64).astype(of)


def fits(text, dtype):
    """Whether the text is an element of the type."""
    try:
        if dtype in QUANTIZED or np.dtype(numpy_type(dtype)).kind in "iu":
            info = np.iinfo(numpy_type(dtype))
            return info.min <= int(text) <= info.max
        if dtype in ("DT_INT4", "DT_UINT4", "DT_INT2", "DT_UINT2"):
            low, high = {"DT_INT4": (-8, 7), "DT_UINT4": (0, 15), "DT_INT2": (-2, 1), "DT_UINT2": (0, 3)}[dtype]
            return low <= int(text) <= high
        if dtype != "DT_STRING" and text != text.strip():
            return False
        to_array([text], dtype)
        return True
    except (ValueError, KeyError, TypeError, OverflowError):
        return False


def element_text(x):
    if isinstance(x, bytes):
        return "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in x).join('""')
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (complex, np.complexfloating)):
        im = str(x.imag)
        return f"{x.real}{im if im[0] == '-' else '+' + im}j"
    return str(x)


def to_text(array):
    return "[" + ", ".join(element_text(x) for x in array.reshape(-1)) + "]"


def from_text(texts, dtype):
    """The text of a value whose elements are texts."""
    return to_text(to_array(texts, dtype))


def const_node(name, dtype, shape, texts):
    array = to_array(texts, dtype)
    node = node_def_pb2.NodeDef(name=name, op="Const")
    t = node.attr["value"].tensor
    t.dtype = node.attr["dtype"].type = shapes.type_number(dtype)
    t.tensor_shape.SetInParent()
    for d in shape:
        t.tensor_shape.dim.add().size = d
    if dtype == "DT_STRING":
        t.string_val.extend(array)
    else:
        t.tensor_content = array.tobytes()
    return node


class Graph:
    """The graph of a row, and what to run in it."""

    def __init__(self, op, row, inputs):
        self.graph = tf.Graph()
        self.before, self.after, self.fetches = [], [], []
        ins = [self.add_input(i, row, dtype, v) for i, (dtype, v) in enumerate(inputs)]
        node = node_def_pb2.NodeDef(name="op", op=op.name)
        for a in op.attr:
            if a.name in row["attrs"]:
                node.attr[a.name].CopyFrom(shapes.attr_from_json(a.type, row["attrs"][a.name]))
        self.op = self.add(node, ins)
        for i, t in enumerate(self.op.outputs):
            dtype = shapes.type_name(t.dtype.base_dtype.as_datatype_enum)
            if dtype == "DT_VARIANT" and op.name.startswith("TensorList"):
                element = row["attrs"].get("element_dtype") or inputs[0][1]["list"]
                stack = node_def_pb2.NodeDef(name=f"out{i}", op="TensorListStack")
                stack.attr["element_dtype"].type = shapes.type_number(element)
                self.fetches.append((i, element, self.add(stack, [t, self.constant(f"out{i}_shape", "DT_INT32", [], ["-1"])]).outputs[0]))
            elif dtype not in ("DT_VARIANT", "DT_RESOURCE"):
                self.fetches.append((i, dtype, t))

    def add(self, node, inputs=()):
        return ops.Operation.from_node_def(node, self.graph, list(inputs))

    def constant(self, name, dtype, shape, texts):
        return self.add(const_node(name, dtype, shape, texts)).outputs[0]

    def add_input(self, i, row, dtype, v):
        name = f"in{i}"
        element = v.get("variable") or v.get("list") or dtype.removesuffix("_REF")
        value = None
        if v["value"] is not None:
            value = self.constant(name + "_value", element, v["shape"], v["value"])
        if "list" in v:
            node = node_def_pb2.NodeDef(name=name, op="TensorListFromTensor")
            node.attr["element_dtype"].type = shapes.type_number(element)
            node.attr["shape_type"].type = shapes.type_number("DT_INT32")
            return self.add(node, [value, self.constant(name + "_shape", "DT_INT32", [], ["-1"])]).outputs[0]
        if "variable" in v or dtype.endswith("_REF"):
            resource = "variable" in v
            node = node_def_pb2.NodeDef(name=name, op="VarHandleOp" if resource else "VariableV2")
            node.attr["dtype"].type = shapes.type_number(element)
            node.attr["shared_name"].s = name.encode()
            node.attr["shape"].shape.SetInParent()
            for d in v["shape"]:
                node.attr["shape"].shape.dim.add().size = d
            variable = self.add(node).outputs[0]
            if value is not None:
                node = node_def_pb2.NodeDef(name=name + "_assign", op="AssignVariableOp" if resource else "Assign")
                node.attr["dtype" if resource else "T"].type = shapes.type_number(element)
                self.before.append(self.add(node, [variable, value]))
                node = node_def_pb2.NodeDef(name=name + "_read", op="ReadVariableOp" if resource else "Identity")
                node.attr["dtype" if resource else "T"].type = shapes.type_number(element)
                self.after.append((element, self.add(node, [variable]).outputs[0]))
            return variable
        if row.get("known"):
            return value
        node = node_def_pb2.NodeDef(name=name, op="PlaceholderWithDefault")
        node.attr["dtype"].type = shapes.type_number(dtype)
        node.attr["shape"].shape.unknown_rank = True
        return self.add(node, [value]).outputs[0]


CONFIG = config_pb2.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
CONFIG.graph_options.optimizer_options.opt_level = config_pb2.OptimizerOptions.L0
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True
CONFIG.graph_options.rewrite_options.constant_folding = rewriter_config_pb2.RewriterConfig.OFF


def as_output(dtype, array):
    array = np.asarray(array, dtype=object if dtype == "DT_STRING" else None)  # as bytes they would lose zeros at the end
    if dtype in QUANTIZED:
        array = array.view(QUANTIZED[dtype])
    return {"dtype": dtype, "shape": list(array.shape), "value": to_text(array)}


def first_words(message):
    """What an error of a step says, without where the node was made."""
    return shapes.first_words(re.split(r"\nNode: '[^']*'\n", message)[-1].removeprefix("Graph execution error:").strip())


def execute(op, row, inputs):
    """Puts what TensorFlow answers into the row; "nonsense" where it can be no answer."""
    try:
        made = Graph(op, row, inputs)
        with tf.compat.v1.Session(graph=made.graph, config=CONFIG) as session:
            session.run(made.before)
            wanted = [t for _, _, t in made.fetches]
            answers = session.run(wanted or made.op)
            if sum(np.asarray(a).size for a in answers or []) > MOST_ELEMENTS:
                row["nonsense"] = "large"
                return
            outputs = [as_output(dtype, a) for (_, dtype, _), a in zip(made.fetches, answers or [])]
            after = [as_output(dtype, session.run(t)) for dtype, t in made.after]
            if not after and outputs and session.run(wanted) and [as_output(dtype, a) for (_, dtype, _), a in zip(made.fetches, session.run(wanted))] != outputs:
                row["nonsense"] = "another answer each time"
                return
    except tf.errors.OpError as e:
        row["error"], row["code"] = first_words(e.message), error_codes_pb2.Code.Name(e.error_code)
        return
    except (ValueError, IndexError) as e:
        row["error"], row["code"] = shapes.first_words(str(e)), "INVALID_ARGUMENT"
        if str(e).startswith("vector::") or isinstance(e, IndexError):
            row["nonsense"] = repr(e)
        return
    row["outputs"] = [None] * len(made.op.outputs)
    for (i, _, _), o in zip(made.fetches, outputs):
        row["outputs"][i] = o
    if after:
        row["after"] = after


class Died(Exception):
    """What asked was the end of the child process."""


class Child:
    """A child process that does what it is asked, and is replaced when it dies."""

    def __init__(self, work, seconds=20):
        self.work, self.seconds, self.pid = work, seconds, None

    def start(self):
        to_child, to_parent = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(to_child[1])
            os.close(to_parent[0])
            if not os.environ.get("SHOW_CRASHES"):
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with os.fdopen(to_child[0], "rb") as requests, os.fdopen(to_parent[1], "wb") as answers:
                try:
                    while True:
                        pickle.dump(self.work(*pickle.load(requests)), answers)
                        answers.flush()
                except EOFError:
                    pass
                finally:
                    os._exit(0)
        os.close(to_child[0])
        os.close(to_parent[1])
        self.requests, self.answers = os.fdopen(to_child[1], "wb"), os.fdopen(to_parent[0], "rb")

    def ask(self, *request):
        if self.pid is None:
            self.start()
        try:
            pickle.dump(request, self.requests)
            self.requests.flush()
            if not select.select([self.answers], [], [], self.seconds)[0]:
                os.kill(self.pid, signal.SIGKILL)
            return pickle.load(self.answers)
        except (EOFError, BrokenPipeError):
            raise Died(self.stop()) from None

    def stop(self):
        """Ends the child, and says how it ended."""
        if self.pid is None:
            return ""
        for f in (self.requests, self.answers):
            try:
                f.close()
            except BrokenPipeError:
                pass
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {status}"
