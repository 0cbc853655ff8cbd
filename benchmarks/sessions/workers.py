"""Times TensorFlow's own servers where `go test ./cluster -bench .` times Troupe's workers.

  python workers.py [--megabytes 100,1000] [--iterations 1000]

Two server processes on loopback: a while loop whose body is on the other one (time of an
iteration), and a variable of the other one that is read, of which one element is fetched.
Needs tensorflow-cpu.
"""
import argparse
import os
import socket
import subprocess
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

v1 = tf.compat.v1


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--megabytes", default="1,100,1000")
    ap.add_argument("--iterations", type=int, default=1000)
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--serve", default="")
    a = ap.parse_args()
    if a.serve:
        addresses, task = a.serve.split("/")
        server = tf.distribute.Server(tf.train.ClusterSpec({"worker": addresses.split(",")}), "worker", int(task))
        print("serving", flush=True)
        server.join()
    v1.disable_v2_behavior()
    addresses = ["127.0.0.1:%d" % free() for _ in range(2)]
    servers = [subprocess.Popen([sys.executable, __file__, "--serve", ",".join(addresses) + "/%d" % i], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
               for i in range(2)]
    try:
        for s in servers:
            s.stdout.readline()
        loop(addresses[0], a.iterations, a.rounds)
        for mb in a.megabytes.split(","):
            read(addresses[0], int(mb), a.rounds)
    finally:
        for s in servers:
            s.kill()
            s.wait()


def free():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def best(rounds, run):
    run()
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return min(times)


def loop(address, iterations, rounds):
    with tf.Graph().as_default():
        limit = v1.placeholder(tf.int32, [])
        with tf.device("/job:worker/task:0"):
            def body(i):
                with tf.device("/job:worker/task:1"):
                    return i + 1
            last = tf.while_loop(lambda i: i < limit, body, [tf.constant(0)], parallel_iterations=1)
        with v1.Session("grpc://" + address) as s:
            few = best(rounds, lambda: s.run(last, {limit: 10}))
            many = best(rounds, lambda: s.run(last, {limit: 10 + iterations}))
    print("loop: %.0f µs an iteration" % (1e6 * (many - few) / iterations), flush=True)


def read(address, megabytes, rounds):
    with tf.Graph().as_default():
        with tf.device("/job:worker/task:1"):
            v = v1.get_variable("v%d" % megabytes, initializer=tf.fill([megabytes << 18], 5.0), use_resource=True)
            value = v.read_value()
        with tf.device("/job:worker/task:0"):
            size = tf.reshape(tf.slice(value, [0], [1]), [])
        config = v1.ConfigProto()
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with v1.Session("grpc://" + address, config=config) as s:
            s.run(v.initializer)
            took = best(rounds, lambda: s.run(size))
    print("variable of %d MB: %.3f s, %.2f GB/s" % (megabytes, took, megabytes * (1 << 20) / 1e9 / took), flush=True)


if __name__ == "__main__":
    main()
