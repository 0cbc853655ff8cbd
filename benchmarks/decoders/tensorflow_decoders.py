"""The decoders of this package in TensorFlow: words a second, alone and in batches of whole requests.

    python benchmarks/decoders/tensorflow_decoders.py --cells gru,lstm --units 256,512 --callers 64 --seconds 2

"single" has each caller run its own step; "whole" has one step for all that wait, padded to the
longest, as the benchmark in Go does.
"""
import argparse
import os
import queue
import random
import threading
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

VOCABULARY = 1000


def decoder(cell, units, rows):
    rng = np.random.default_rng(units)
    weights = lambda *dims: tf.constant((rng.standard_normal(dims) / dims[0] * 4).astype(np.float32))
    table, out, bias = weights(VOCABULARY, units), weights(units, VOCABULARY), weights(VOCABULARY)
    gates = weights(2 * units, (4 if cell == "lstm" else 2) * units)
    more = weights(4 * units) if cell == "lstm" else weights(2 * units, units)

    @tf.function(input_signature=[tf.TensorSpec([rows], tf.int32), tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)])
    def decode(word, length, scale):
        zero = tf.zeros([rows, units])

        def body(i, word, h, c, words):
            x = tf.gather(table, word)
            both = tf.concat([x, h], 1)
            if cell == "gru":
                r, z = tf.split(tf.sigmoid(tf.matmul(both, gates)), 2, 1)
                h = z * h + (1.0 - z) * tf.tanh(tf.matmul(tf.concat([x, r * h], 1), more))
            else:
                a, f, g, o = tf.split(tf.nn.bias_add(tf.matmul(both, gates), more), 4, 1)
                c = tf.sigmoid(a) * c + tf.sigmoid(f) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            h = h * scale
            best = tf.argmax(tf.nn.bias_add(tf.matmul(h, out), bias), 1, tf.int32)
            return i + 1, best, h, c, words.write(i, best)

        words = tf.TensorArray(tf.int32, length, element_shape=[rows])
        _, _, h, _, words = tf.while_loop(lambda i, *_: i < length, body, [0, word, zero, zero, words])
        return words.stack(), h

    return decode.get_concrete_function()


def measure(cell, units, callers, seconds, way):
    decode = decoder(cell, units, callers if way == "whole" else 1)
    requests = queue.Queue()

    def run(word, length):
        decode(tf.constant([word]), tf.constant(length), tf.constant(1.0))

    def serve():
        while (first := requests.get()) is not None:
            batch = [first]
            while len(batch) < callers and not requests.empty():
                if (more := requests.get()) is None:
                    return
                batch.append(more)
            words = [word for word, _, _ in batch] + [0] * (callers - len(batch))
            decode(tf.constant(words), tf.constant(max(length for _, length, _ in batch)), tf.constant(1.0))
            for _, _, done in batch:
                done.set()

    if way == "whole":
        server = threading.Thread(target=serve)
        server.start()

        def run(word, length):  # noqa: F811
            done = threading.Event()
            requests.put((word, length, done))
            done.wait()

    took, lock, state = [], threading.Lock(), {"measuring": False, "ended": False}

    def caller(seed):
        rng = random.Random(seed)
        while not state["ended"]:
            length, begin = rng.randint(5, 200), time.perf_counter()
            run(rng.randrange(VOCABULARY), length)
            with lock:
                if state["measuring"]:
                    took.append((time.perf_counter() - begin, length))

    threads = [threading.Thread(target=caller, args=(i,)) for i in range(callers)]
    for t in threads:
        t.start()
    time.sleep(seconds / 4)
    begin, state["measuring"] = time.perf_counter(), True
    time.sleep(seconds)
    state["measuring"], passed = False, time.perf_counter() - begin
    state["ended"] = True
    for t in threads:
        t.join()
    if way == "whole":
        requests.put(None)
        server.join()
    times = sorted(t for t, _ in took)
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))] * 1e3
    print(f"{cell} units={units} callers={callers} {way}: {sum(n for _, n in took) / passed:.0f} words/s, p50 {at(.5):.1f} ms, p99 {at(.99):.1f} ms", flush=True)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--cells", default="gru,lstm")
    p.add_argument("--units", default="64,256,512")
    p.add_argument("--callers", default="1,16,64,256")
    p.add_argument("--ways", default="single,whole")
    p.add_argument("--seconds", type=float, default=2)
    a = p.parse_args()
    for cell in a.cells.split(","):
        for units in map(int, a.units.split(",")):
            for callers in map(int, a.callers.split(",")):
                for way in a.ways.split(","):
                    measure(cell, units, callers, a.seconds, way)
