"""Times small and large steps of a TensorFlow session against servers, in turn.

  python round_trips.py --serve 127.0.0.1:4222          TensorFlow's own server, until interrupted
  python round_trips.py [--rounds N] NAME=HOST:PORT ...

A line has, for each server, the least and the median time of a step; the ratio is that of
the first server's least time to that of each other one. `go run ./benchmarks/sessions`
measures the same steps with a client that costs little itself. Needs tensorflow-cpu.
"""
import argparse
import os
import statistics
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1


def serve(address):
    server = tf.distribute.Server(tf.train.ClusterSpec({"localhost": [address]}), "localhost", 0)
    print("serving sessions at grpc://" + address, flush=True)
    server.join()


def steps(address):
    """Returns functions that each run one step, by name, with how often to run them in a round."""
    with tf.Graph().as_default():
        none = tf.no_op()
        x = v1.placeholder(tf.float32, [])
        y = x + 1.0
        large = v1.placeholder(tf.float32, [1 << 18])
        with tf.control_dependencies([tf.identity(large)]):
            taken = tf.no_op()
        v = v1.get_variable("v", initializer=tf.fill([25_000_000], 5.0), use_resource=True)
        value = v.read_value()
        session = v1.Session("grpc://" + address)
        session.run(v.initializer)
    one, mb = np.float32(1), np.ones([1 << 18], np.float32)
    return {
        "null step": (500, lambda: session.run(none)),
        "feed of 4 bytes": (500, lambda: session.run(y, {x: one})),
        "feed of 1 MB": (100, lambda: session.run(taken, {large: mb})),
        "fetch of 100 MB": (3, lambda: session.run(value)),
    }


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--serve", default="")
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("servers", nargs="*")
    a = ap.parse_args()
    v1.disable_v2_behavior()
    if a.serve:
        return serve(a.serve)
    names = [s.split("=")[0] for s in a.servers]
    servers = [steps(s.split("=")[1]) for s in a.servers]
    for kind in servers[0]:
        times = [[] for _ in servers]
        for s in servers:
            s[kind][1]()
        for _ in range(a.rounds):
            for i, s in enumerate(servers):
                n, run = s[kind]
                for _ in range(n):
                    began = time.perf_counter()
                    run()
                    times[i].append(time.perf_counter() - began)
        line = "%-16s" % kind
        for name, t in zip(names, times):
            line += "  %s %.3f / %.3f ms" % (name, 1e3 * min(t), 1e3 * statistics.median(t))
        for name, t in zip(names[1:], times[1:]):
            line += "  %s:%s %.2f" % (name, names[0], min(t) / min(times[0]))
        print(line, flush=True)


if __name__ == "__main__":
    main()
