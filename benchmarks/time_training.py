"""Times training steps in TensorFlow: the models of examples/digits and
examples/adding, by tf.function, with gradients and updates in one graph.

    go -C examples test ./... -run - -bench Update
    python benchmarks/time_training.py          # after pip install tensorflow-cpu==2.21.0

The median of samples of about 10 ms for two seconds, with Keras's Adam and with that
of version 1, whose updates are single operations. Batches are NumPy arrays.
"""

import argparse
import os
import statistics
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf


def adams(rate):
    yield "keras", tf.keras.optimizers.Adam(rate)
    yield "version 1", tf.compat.v1.train.AdamOptimizer(rate)


def glorot(rng, rows, columns):
    limit = np.sqrt(6 / (rows + columns))
    return tf.Variable(rng.uniform(-limit, limit, (rows, columns)).astype(np.float32))


def stepper(loss, variables, optimizer, clip, signature):
    if hasattr(optimizer, "build"):
        optimizer.build(variables)

    @tf.function(input_signature=signature)
    def step(x, y):
        with tf.GradientTape() as tape:
            value = loss(x, y)
        grads = tape.gradient(value, variables)
        if clip:
            grads, _ = tf.clip_by_global_norm(grads, clip)
        optimizer.apply_gradients(zip(grads, variables))
        return value

    return step


def digits(optimizer, rng):
    w1, b1 = glorot(rng, 64, 64), tf.Variable(tf.zeros(64))
    w2, b2 = glorot(rng, 64, 10), tf.Variable(tf.zeros(10))

    def loss(x, y):
        logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y))

    signature = [tf.TensorSpec([None, 64]), tf.TensorSpec([None], tf.int64)]
    step = stepper(loss, [w1, b1, w2, b2], optimizer, None, signature)
    return step, [(rng.random((32, 64), np.float32), rng.integers(0, 10, 32)) for _ in range(200)]


def adding(optimizer, rng, hidden=32):
    kernel, out = glorot(rng, 2 + hidden, 4 * hidden), glorot(rng, hidden, 1)
    bias = tf.Variable(np.repeat(np.array([0, 1, 0, 0], np.float32), hidden))
    out_bias = tf.Variable(tf.zeros(1))

    def loss(x, y):
        shape = tf.shape(x)
        zeros = tf.zeros([shape[1], hidden])

        def body(i, h, c):
            gates = tf.concat([tf.gather(x, i), h], 1) @ kernel + bias
            enter, keep, value, leave = tf.split(gates, 4, 1)
            c = tf.sigmoid(keep) * c + tf.sigmoid(enter) * tf.tanh(value)
            return i + 1, tf.sigmoid(leave) * tf.tanh(c), c

        _, h, _ = tf.while_loop(lambda i, h, c: i < shape[0], body, [0, zeros, zeros])
        return tf.reduce_mean(tf.math.squared_difference(tf.reshape(h @ out + out_bias, [-1]), y))

    signature = [tf.TensorSpec([None, None, 2]), tf.TensorSpec([None])]
    step = stepper(loss, [kernel, bias, out, out_bias], optimizer, 1.0, signature)
    batches = []
    for _ in range(200):
        length = rng.integers(10, 31)
        batches.append((rng.random((length, 32, 2), np.float32), rng.random(32, np.float32)))
    return step, batches


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=0)
    threads = parser.parse_args().threads
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    for model, size in (digits, 20), (adding, 5):
        for name, optimizer in adams(0.003):
            step, batches = model(optimizer, np.random.default_rng(1))
            for x, y in batches[:20]:
                step(x, y)
            samples, end = [], time.perf_counter() + 2
            while time.perf_counter() < end:
                for k in range(0, len(batches), size):
                    began = time.perf_counter()
                    for x, y in batches[k : k + size]:
                        loss = step(x, y)
                    loss.numpy()
                    samples.append((time.perf_counter() - began) / size)
            print(f"{model.__name__}, Adam of {name}: {statistics.median(samples) * 1e6:.0f} us an update")


main()
