"""Writes kernel/tensorflow.txt: which types TensorFlow's CPU kernels take.

    python kernel/testdata/tensorflow_types.py > kernel/tensorflow.txt

Of every operation in registry/testdata, ops.pb and more.pb.gz, and every attribute of kind type
it lists the values that some kernel takes, unless these are all that the
definition allows. Kernels with a label count for nothing.
"""

import collections
import gzip
import os
import sys

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2, types_pb2
from tensorflow.python.framework import dtypes, kernels

# Names that definitions write otherwise than as_dtype does.
NAMES = {"float16": "half", "float32": "float", "float64": "double"}


def name(t):
    n = dtypes.as_dtype(t).name
    return NAMES.get(n, n)


def constraints(kernel):
    return {c.name: set(c.allowed_values.list.type)
            for c in kernel.constraint if c.allowed_values.list.type}


ops = op_def_pb2.OpList()
path = os.path.join(os.path.dirname(__file__), "../../registry/testdata/")
for name_, opened in (("ops.pb", open), ("more.pb.gz", gzip.open)):
    with opened(path + name_, "rb") as f:
        ops.MergeFromString(f.read())

# Package tensor knows no later ones.
every = set(range(types_pb2.DT_FLOAT, types_pb2.DT_UINT2 + 1))
registered = collections.defaultdict(list)
for k in kernels.get_all_registered_kernels().kernel:
    if k.device_type in ("CPU", "DEFAULT") and not k.label:
        registered[k.op].append(constraints(k))

lines = collections.defaultdict(list)
for op in ops.op:
    for attr in op.attr:
        if attr.type != "type" or not registered[op.name]:
            continue
        allowed = set(attr.allowed_values.list.type) or every
        taken = set().union(*(k.get(attr.name, allowed) for k in registered[op.name]))
        if not allowed <= taken:
            lines[attr.name, tuple(sorted(allowed & taken))].append(op.name)

sys.stdout.write("# TensorFlow %s, written by testdata/tensorflow_types.py\n" % tf.__version__)
for (attr, types), names in sorted(lines.items()):
    sys.stdout.write("%s %s: %s\n" % (attr, ",".join(map(name, types)), " ".join(names)))
