"""The TreeLSTM of this package in TensorFlow: nodes a second.

    python benchmarks/trees/tensorflow_trees.py --units 64,256,512 --callers 1,16,64 --seconds 2

TensorFlow's functions do not call themselves from Python, so that both ways go over nodes that are
sorted by hand, children first: "loop" computes one node in each iteration of a tf.while_loop, "depth"
all nodes of one height, as TensorFlow Fold does.
"""
import argparse
import os
import random
import threading
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

WORDS = 1000


def model(units, way):
    rng = np.random.default_rng(units)
    weights = lambda *dims: tf.constant((rng.standard_normal(dims) / dims[0] * 4).astype(np.float32))
    table, w_leaf, b_leaf = weights(WORDS, units), weights(units, 3 * units), weights(3 * units)
    w_node, b_node, out = weights(2 * units, 5 * units), weights(5 * units), weights(units, 5)

    def leaf(words):
        i, u, o = tf.split(tf.nn.bias_add(tf.matmul(tf.gather(table, words), w_leaf), b_leaf), 3, 1)
        c = tf.sigmoid(i) * tf.tanh(u)
        return tf.sigmoid(o) * tf.tanh(c), c

    def inner(hl, hr, cl, cr):
        i, u, f, g, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([hl, hr], 1), w_node), b_node), 5, 1)
        c = tf.sigmoid(i) * tf.tanh(u) + (tf.sigmoid(f) * cl + tf.sigmoid(g) * cr)
        return tf.sigmoid(o) * tf.tanh(c), c

    if way == "loop":

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 3)
        def run(left, right, words):
            n = tf.size(left)
            hs = tf.TensorArray(tf.float32, n, element_shape=[1, units], clear_after_read=False)
            cs = tf.TensorArray(tf.float32, n, element_shape=[1, units], clear_after_read=False)

            def body(i, hs, cs):
                l, r = left[i], right[i]
                h, c = tf.cond(
                    l < 0,
                    lambda: leaf(words[i : i + 1]),
                    lambda: inner(hs.read(l), hs.read(r), cs.read(l), cs.read(r)),
                )
                return i + 1, hs.write(i, h), cs.write(i, c)

            _, hs, cs = tf.while_loop(lambda i, *_: i < n, body, [0, hs, cs])
            return tf.matmul(hs.read(n - 1), out)

    else:  # left, right and words are sorted by height; ends has where each height ends

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 4)
        def run(left, right, words, ends):
            h, c = leaf(words[: ends[0]])

            def body(k, h, c):
                l, r = left[ends[k - 1] : ends[k]], right[ends[k - 1] : ends[k]]
                h2, c2 = inner(tf.gather(h, l), tf.gather(h, r), tf.gather(c, l), tf.gather(c, r))
                return k + 1, tf.concat([h, h2], 0), tf.concat([c, c2], 0)

            rows = tf.TensorShape([None, units])
            _, h, _ = tf.while_loop(
                lambda k, *_: k < tf.size(ends), body, [1, h, c], shape_invariants=[tf.TensorShape([]), rows, rows]
            )
            return tf.matmul(h[-1:], out)

    return run.get_concrete_function()


def draw(rng, leaves):
    """A tree, children first."""
    left, right, words = [], [], []

    def node(n):
        l = r = w = -1
        if n == 1:
            w = rng.randrange(WORDS)
        else:
            k = rng.randint(1, n - 1)
            l, r = node(k), node(n - k)
        left.append(l), right.append(r), words.append(w)
        return len(left) - 1

    node(leaves)
    return left, right, words


def by_height(left, right, words):
    height = []
    for l, r in zip(left, right):
        height.append(0 if l < 0 else 1 + max(height[l], height[r]))
    order = sorted(range(len(left)), key=lambda i: height[i])
    at = {i: k for k, i in enumerate(order)}
    ends = [sum(h <= k for h in height) for k in range(max(height) + 1)]
    move = lambda list: [at[list[i]] if list[i] >= 0 else -1 for i in order]
    return move(left), move(right), [words[i] for i in order], ends


def measure(units, callers, seconds, way):
    run = model(units, way)
    took, lock, state = [], threading.Lock(), {"measuring": False, "ended": False}

    def caller(seed):
        rng = random.Random(seed)
        trees = []
        for _ in range(64):
            tree = draw(rng, rng.randint(5, 50))
            trees.append([tf.constant(x, tf.int32) for x in (tree if way == "loop" else by_height(*tree))])
        k = 0
        while not state["ended"]:
            tree, begin = trees[k % 64], time.perf_counter()
            run(*tree)
            k += 1
            with lock:
                if state["measuring"]:
                    took.append((time.perf_counter() - begin, len(tree[0])))

    threads = [threading.Thread(target=caller, args=(i,)) for i in range(callers)]
    for t in threads:
        t.start()
    time.sleep(seconds / 2)
    begin, state["measuring"] = time.perf_counter(), True
    time.sleep(seconds)
    state["measuring"], passed = False, time.perf_counter() - begin
    state["ended"] = True
    for t in threads:
        t.join()
    times = sorted(t for t, _ in took)
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))] * 1e3
    print(f"units={units} callers={callers} {way}: {sum(n for _, n in took) / passed:.0f} nodes/s, p50 {at(.5):.2f} ms, p99 {at(.99):.2f} ms", flush=True)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--units", default="64,256,512")
    p.add_argument("--callers", default="1,16,64")
    p.add_argument("--ways", default="loop,depth")
    p.add_argument("--seconds", type=float, default=2)
    a = p.parse_args()
    for units in map(int, a.units.split(",")):
        for callers in map(int, a.callers.split(",")):
            for way in a.ways.split(","):
                measure(units, callers, a.seconds, way)
