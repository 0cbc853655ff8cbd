"""Loops and their gradients by TensorFlow, for comparison with those by Troupe.

    pip install tensorflow-cpu==2.21.0
    python benchmarks/time_gradients_tensorflow.py graphs DIR
    go run ./benchmarks/measure gradients graphs DIR
    go run ./cmd/troupe bench DIR/troupe
    python benchmarks/time_tensorflow.py DIR

The first writes each loop with TensorFlow's backward graph to DIR, and without it to
DIR/forward; the second adds Troupe's backward graph and writes that to DIR/troupe.

    python benchmarks/time_gradients_tensorflow.py scale
    go run ./benchmarks/measure gradients scale

time how long it takes to build backward graphs of chains and of layers.

    python benchmarks/time_gradients_tensorflow.py memory DIR NAME
    go run ./benchmarks/measure gradients memory DIR/troupe NAME

run a graph once and print the most memory that the process had.
"""
import json
import os
import resource
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
tf1.disable_control_flow_v2()


def loop(n, body, init):
    """n iterations of body, which is given their number and the variables."""
    limit = tf1.placeholder(tf.int32, [], name="limit")
    outs = tf1.while_loop(lambda i, *_: i < limit, lambda i, *v: [i + 1, *body(i, *v)], [tf.constant(0), *init])
    return {"limit:0": ("int32", [], n)}, outs[1:]


def counter():
    x = tf1.placeholder(tf.float32, [], name="x")
    feeds, out = loop(100_000, lambda i, v: [v + x], [tf.constant(0.0)])
    return {**feeds, "x:0": ("float32", [], 0.5)}, out[0], x, 100_000


def cond():
    x = tf1.placeholder(tf.float32, [], name="x")
    body = lambda i, a: [tf1.cond(tf.equal(i % 2, 0), lambda: a + x, lambda: a * 0.5)]
    feeds, out = loop(30_000, body, [x])
    return {**feeds, "x:0": ("float32", [], 0.5)}, out[0], x, 30_000


def nested():
    x = tf1.placeholder(tf.float32, [], name="x")
    limit = tf1.placeholder(tf.int32, [], name="limit")

    def outer(i, a):
        _, a = tf1.while_loop(lambda j, a: j < limit, lambda j, a: [j + 1, a + x], [tf.constant(0), a])
        return i + 1, a
    out = tf1.while_loop(lambda i, a: i < limit, outer, [tf.constant(0), x])
    return {"limit:0": ("int32", [], 200), "x:0": ("float32", [], 0.5)}, out[1], x, 40_000


def vars20():
    x = tf1.placeholder(tf.float32, [], name="x")
    feeds, out = loop(10_000, lambda i, *vs: [v + 1.0 for v in vs], [x + float(k) for k in range(19)])
    return {**feeds, "x:0": ("float32", [], 0.5)}, tf.add_n(out), x, 10_000


def dense(width, batch, n):
    rng = np.random.default_rng(0)
    x = tf1.placeholder(tf.float32, [batch, width], name="x")
    w = tf.constant((rng.standard_normal((width, width)) / width**0.5).astype(np.float32))
    b = tf.constant(rng.standard_normal(width).astype(np.float32))
    feeds, out = loop(n, lambda i, h: [tf.tanh(tf.matmul(h, w) + b)], [x])
    return {**feeds, "x:0": ("float32", [batch, width], 0.5)}, tf.reduce_sum(out[0]), w, n


def lstm(batch, width, steps):
    rng = np.random.default_rng(0)
    xs = tf1.placeholder(tf.float32, [steps, batch, width], name="xs")
    w = tf.constant((rng.standard_normal((2 * width, 4 * width)) / (2 * width)**0.5).astype(np.float32))
    b = tf.constant(np.zeros(4 * width, np.float32))
    ta, out = tf.TensorArray(tf.float32, steps).unstack(xs), tf.TensorArray(tf.float32, steps)

    def body(t, c, h, out):
        i, j, f, o = tf.split(tf.matmul(tf.concat([ta.read(t), h], 1), w) + b, 4, 1)
        c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(j)
        h = tf.sigmoid(o) * tf.tanh(c)
        return t + 1, c, h, out.write(t, h)
    zero = tf.zeros([batch, width])
    out = tf1.while_loop(lambda t, *_: t < steps, body, [tf.constant(0), zero, zero, out], parallel_iterations=32)[3]
    y = out.stack()
    return {"xs:0": ("float32", [steps, batch, width], "ramp")}, tf.reduce_sum(y * y), w, steps


CASES = {
    "grad_while_counter": counter, "grad_while_cond": cond, "grad_while_nested": nested, "grad_while_vars20": vars20,
    "grad_while_dense_32": lambda: dense(32, 1, 20_000), "grad_while_dense_256x16": lambda: dense(256, 16, 2_000),
    "lstm_grad_b1_h64": lambda: lstm(1, 64, 200), "lstm_grad_b16_h128": lambda: lstm(16, 128, 100),
    "lstm_grad_1000_steps": lambda: lstm(1, 64, 1_000), "lstm_grad_10000_steps": lambda: lstm(1, 64, 10_000),
}


def save(folder, name, graph, row):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "graphs.json")
    table = json.load(open(path)) if os.path.exists(path) else {}
    definition = graph.as_graph_def()
    with open(os.path.join(folder, name + ".pb"), "wb") as file:
        file.write(definition.SerializeToString())
    table[name] = {**row, "nodes": len(definition.node)}
    json.dump(table, open(path, "w"), indent=1, sort_keys=True)


def graphs(folder):
    for name, make in CASES.items():
        with tf.Graph().as_default() as graph:
            feeds, y, x, work = make()
            row = {"feeds": {k: dict(zip(("dtype", "shape", "value"), v)) for k, v in feeds.items()}, "work": work, "unit": "iteration"}
            save(os.path.join(folder, "forward"), name, graph, {**row, "fetch": y.name, "by": x.name})
            dx = tf.convert_to_tensor(tf1.gradients(y, x)[0])
            save(folder, name, graph, {**row, "fetch": dx.name})


def chain(n):
    x = tf1.placeholder(tf.float32, [])
    y = x
    for _ in range(n):
        y = tf.sin(y)
    return y, x


def layers(n):
    x = tf1.placeholder(tf.float32, [None, 64])
    w = tf.constant(np.zeros((64, 64), np.float32))
    y = x
    for _ in range(n // 3):
        y = tf.tanh(tf.matmul(y, w) + 1.0)
    return y, x


def scale():
    for make in (chain, layers):
        for n in (1_000, 10_000, 100_000):
            with tf.Graph().as_default():
                y, x = make(n)
                begin = time.perf_counter()
                tf1.gradients(y, x)
                print(f"{make.__name__} of {n} nodes: {time.perf_counter() - begin:.3f} s", flush=True)


def memory(folder, name):
    row = json.load(open(os.path.join(folder, "graphs.json")))[name]
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        tf1.import_graph_def(tf1.GraphDef.FromString(open(os.path.join(folder, name + ".pb"), "rb").read()), name="")
        feeds = {}
        for key, spec in row["feeds"].items():
            n = int(np.prod(spec["shape"], dtype=np.int64))
            fill = np.arange(n) % 97 / 97 - 0.5 if spec["value"] == "ramp" else np.full(n, spec["value"])
            feeds[key] = fill.astype(spec["dtype"]).reshape(spec["shape"])
        session.run(row["fetch"], feeds)
    print(f"{name}: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.1f} MiB at most")


if __name__ == "__main__":
    {"graphs": graphs, "scale": scale, "memory": memory}[sys.argv[1]](*sys.argv[2:])
