# Records proto.json: how TensorFlow serializes tensors. "typed" is what
# make_tensor_proto writes, "content" what serialize_tensor writes, "bytes" and
# "strings" what the elements are.
import base64
import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

b64 = lambda b: base64.b64encode(b).decode()
cases = []


def add(value, dtype, tf_dtype=None):
    d = tf.as_dtype(tf_dtype or dtype)
    if dtype == "string":
        a = np.asarray(value, dtype=object)
        c = {"strings": [b64(s) for s in a.ravel().tolist()]}
        proto = tf.make_tensor_proto(value, d, shape=a.shape)
    else:
        a = np.asarray(value).astype(d.as_numpy_dtype)
        raw = a.astype(np.int8) if dtype in ("int4", "uint4", "int2", "uint2") else a
        c = {"bytes": b64(raw.tobytes())}
        proto = tf.make_tensor_proto(a, d)
    c.update(dtype=d.name, shape=list(a.shape), typed=b64(proto.SerializeToString()))
    try:
        c["content"] = b64(tf.io.serialize_tensor(tf.constant(a, d)).numpy())
    except Exception:  # no kernel for this type
        pass
    cases.append(c)


signed = [[], 0, -1, [1, -2, 1], [[1, -2], [-1, 0]]]
unsigned = [[], 0, 1, [1, 3, 2], [[1, 2], [3, 0]]]
for dt in ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "qint8", "qint16", "qint32",
           "int4", "int2", "complex64", "complex128", "float8_e5m2",
           "float8_e4m3fn"]:
    for v in signed:
        add(v, dt)
for dt in ["uint8", "uint16", "uint32", "uint64", "quint8", "quint16", "uint4", "uint2", "bool"]:
    for v in unsigned:
        add(v, dt)
for v in [-(2**63), 2**63 - 1, [1 << 40, -(1 << 40)]]:
    add(v, "int64")
for v in [2**64 - 1, [2**63, 1]]:
    add(v, "uint64")
add([2**32 - 1, 2**31], "uint32")
for v in [1.5, [0.1, float("inf"), -0.0]]:
    for dt in ["float16", "bfloat16", "float32", "float64"]:
        add(v, dt)
for v in [1 + 2j, [1 - 2j, 3j]]:
    add(v, "complex64")
    add(v, "complex128")
for v in [b"", b"abc", [b"a", b"\x00\xff", b""], [[b"x"], [b"yz" * 200]]]:
    add(v, "string")
with open("proto.json", "w") as f:
    json.dump(cases, f, indent=0)
    f.write("\n")
