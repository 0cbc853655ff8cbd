"""Records what TensorFlow answers when it runs single operations.

    r = Recorder("tensorflow.jsonl")
    r.ask("Conv2D", [x, w], strides=[1, 1, 1, 1], padding="SAME")
    r.close()

Inputs are fed through placeholders of unknown shape, so that kernels see what
shape functions would have refused. Written with TensorFlow 2.21.
"""
import functools
import gzip
import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_library

tf.compat.v1.disable_eager_execution()

NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def element(x):
    if isinstance(x, bytes):
        return '"' + "".join(f"\\x{b:02x}" for b in x) + '"'
    return str(x)


def tensor(x, dtype=None):
    x = np.array(x, object) if isinstance(x, bytes) else np.asarray(x)  # else zeros at its end are lost
    name = dtype.name if dtype else "string" if x.dtype == object else str(x.dtype)
    name = NAMES.get(name, name)
    if x.dtype.fields:  # NumPy has quantized types as records
        x = x[x.dtype.names[0]]
    head = name + "[" + ",".join(map(str, x.shape)) + "]"
    return " ".join([head] + [element(v) for v in x.reshape(-1)])


def attr(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, bytes):
        return element(v)
    if isinstance(v, tf.DType):
        return "DT_" + {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}.get(v.name, v.name.upper())
    if isinstance(v, str):
        return json.dumps(v)
    if isinstance(v, (list, tuple)):
        return "[" + ", ".join(map(attr, v)) + "]"
    return repr(v)


class Recorder:
    def __init__(self, path, isolated=False, known=False):
        """Isolated runs each operation in a process of its own: TensorFlow ends
        the process on some inputs, which then are not recorded. With known,
        shape functions see the shapes of inputs, without which some fail."""
        self.file = gzip.open(path, "wt") if path.endswith(".gz") else open(path, "w")
        self.isolated, self.known = isolated, known

    def ask(self, op, inputs, only=None, types=None, **attrs):
        """Runs an operation and writes down what it answers."""
        if not self.isolated:
            rec = self.run(op, inputs, only, types, **attrs)
            self.file.write(json.dumps(rec) + "\n")
            return rec
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            with open(write, "w") as f:
                f.write(json.dumps(self.run(op, inputs, only, types, **attrs)) + "\n")
            os._exit(0)
        os.close(write)
        with open(read) as f:
            text = f.read()
        if os.waitpid(child, 0)[1] != 0:
            print(f"{op} {attrs} {inputs}: TensorFlow ended the process")
            return None
        self.file.write(text)
        return json.loads(text)

    def run(self, op, inputs, only, types, **attrs):
        """Inputs has a list where the operation takes one. Only is how many outputs
        are kept, all by default. Types, a list with None where NumPy has the type,
        are those of the inputs, lists flattened."""
        from tensorflow.python.framework import op_def_registry
        args = op_def_registry.get(op).input_arg
        groups, said = [], dict(attrs)
        for a, x in zip(args, inputs):
            many = bool(a.number_attr or a.type_list_attr)
            groups.append((many, [np.array(e, object) if isinstance(e, bytes) else np.asarray(e) for e in (x if many else [x])]))
            if a.number_attr:
                said[a.number_attr] = len(groups[-1][1])
            if a.type_list_attr:
                said[a.type_list_attr] = [tf.string if e.dtype == object else tf.as_dtype(e.dtype) for e in groups[-1][1]]
        arrays = [e for _, g in groups for e in g]
        rec = {"Op": op, "Attrs": ", ".join(f"{k}={attr(v)}" for k, v in said.items()),
               "In": [tensor(x, types[i] if types else None) for i, x in enumerate(arrays)]}
        graph = tf.Graph()
        with graph.as_default():
            places = [tf.compat.v1.placeholder(types[i] if types and types[i] else x.dtype if x.dtype != object else tf.string, x.shape if self.known else None) for i, x in enumerate(arrays)]
            rest = list(places)
            values = [[rest.pop(0) for _ in g] if many else rest.pop(0) for many, g in groups]
            try:
                make = getattr(tf.raw_ops, op, None) or functools.partial(op_def_library.apply_op, op)
                out = make(**dict(zip([a.name for a in args], values)), **attrs)
                out = tf.nest.flatten(list(out)) if isinstance(out, (list, tuple)) else [out]
                with tf.compat.v1.Session(graph=graph) as s:
                    got = s.run(out, dict(zip(places, arrays)))
                rec["Out"] = [tensor(g, o.dtype.base_dtype) for o, g in zip(out, got)][:only]
            except (tf.errors.OpError, ValueError) as e:
                code = {3: "INVALID_ARGUMENT", 5: "NOT_FOUND", 12: "UNIMPLEMENTED", 9: "FAILED_PRECONDITION", 13: "INTERNAL", 8: "RESOURCE_EXHAUSTED", 11: "OUT_OF_RANGE", 15: "DATA_LOSS"}.get(getattr(e, "error_code", 3), "?")
                text = str(e).split("\n")
                at = [text[i - 1] for i, l in enumerate(text) if "[[{{" in l] or text[:1]
                rec["Error"] = code + ": " + at[0][:200]
        return rec

    def close(self):
        self.file.close()
