"""Trains a network for handwritten digits with two workers and a parameter server.

  troupe serve --cluster ps=:2222 --cluster worker=:2223,:2224
  python digits.py [--sync] [--steps N] [--workers localhost:2223,localhost:2224]

A plain program of TensorFlow 1, for TensorFlow's own servers or for Troupe's: each worker
builds its graph, with the variables on the parameter server, and trains through a session
at its own address. Without --sync a worker applies its gradients when it has them; with
it, those of both workers are averaged (SyncReplicasOptimizer: accumulators, a queue of
tokens, a barrier at each step). Needs tensorflow-cpu, or tensorflow.
"""
import argparse
import gzip
import os
import threading

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../handwritten/testdata/digits.csv.gz")


def read():
    with gzip.open(DATA, "rt") as f:
        rows = [line.strip().split(",") for line in f if line[:1].isdigit()]
    a = np.array(rows, np.float32)
    return a[:, :-1] / a[:, :-1].max(), a[:, -1].astype(np.int64)


def train(number, targets, images, labels, sync, steps, out):
    with tf.Graph().as_default():
        with v1.device(v1.train.replica_device_setter(cluster={
                "ps": ["unused:0"], "worker": ["unused:%d" % i for i in range(1, 1 + len(targets))]},
                worker_device="/job:worker/task:%d" % number)):
            x = v1.placeholder(tf.float32, [None, images.shape[1]])
            y = v1.placeholder(tf.int64, [None])
            h = dense(x, 64, tf.nn.relu, "h")
            logits = dense(h, 10, None, "out")
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
            right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
            step = v1.train.get_or_create_global_step()
            optimizer = v1.train.GradientDescentOptimizer(0.5)
            hooks = [v1.train.StopAtStepHook(last_step=steps)]
            if sync:
                optimizer = v1.train.SyncReplicasOptimizer(optimizer, len(targets), len(targets))
            update = optimizer.minimize(loss, step)
            if sync:
                hooks.append(optimizer.make_session_run_hook(number == 0))
        config = v1.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % number])
        rng, held, last = np.random.RandomState(number), len(labels) // 5, None
        # With --sync the chief's thread that averages gradients waits, at the end, for some that
        # no worker computes any more: TensorFlow waits for the thread, by default 120 s.
        with v1.train.MonitoredTrainingSession("grpc://" + targets[number], number == 0, hooks=hooks, config=config,
                                               stop_grace_period_secs=2) as s:
            while not s.should_stop():
                at = rng.randint(held, len(labels), 64)
                _, n = s.run([update, step], {x: images[at], y: labels[at]})
                if n % 20 == 0 and not s.should_stop():
                    last = s.run_step_fn(lambda step_context: step_context.session.run(right, {x: images[:held], y: labels[:held]}))
        out[number] = last


def dense(x, units, activation, name):
    w = v1.get_variable(name + "/w", [x.shape[1], units], initializer=v1.glorot_uniform_initializer(seed=1), use_resource=False)
    b = v1.get_variable(name + "/b", [units], initializer=v1.zeros_initializer(), use_resource=False)
    z = tf.matmul(x, w) + b
    return activation(z) if activation else z


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", default="localhost:2223,localhost:2224")
    ap.add_argument("--sync", action="store_true")
    ap.add_argument("--steps", type=int, default=400)
    a = ap.parse_args()
    v1.disable_v2_behavior()
    v1.logging.set_verbosity("ERROR")
    images, labels = read()
    for target in a.workers.split(","):
        v1.Session.reset("grpc://" + target)  # what an earlier run left
    order = np.random.RandomState(0).permutation(len(labels))
    images, labels, targets, out = images[order], labels[order], a.workers.split(","), {}
    threads = [threading.Thread(target=train, args=(i, targets, images, labels, a.sync, a.steps, out)) for i in range(len(targets))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for i in sorted(out):
        if out[i] is None:
            print("worker %d came when the others had finished" % i)
        else:
            print("worker %d: %.1f%% of the held-out digits read correctly" % (i, 100 * out[i]))


if __name__ == "__main__":
    main()
