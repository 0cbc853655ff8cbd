"""Runs a graph of the laboratory on TensorFlow: lab.py GRAPH FEED FETCH THREADS.

Reads sizes, one a line, and writes for each the answer and the nanoseconds it took.
Graph rewriting is off, as in the other comparisons with TensorFlow.
"""
import os
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

path, feed, fetch, threads = sys.argv[1:]
config = tf.compat.v1.ConfigProto(inter_op_parallelism_threads=int(threads), intra_op_parallelism_threads=int(threads))
config.graph_options.rewrite_options.disable_meta_optimizer = True
config.graph_options.optimizer_options.opt_level = -1
with open(path, "rb") as file:
    graph_def = tf.compat.v1.GraphDef.FromString(file.read())
with tf.Graph().as_default() as graph, tf.compat.v1.Session(graph=graph, config=config) as session:
    tf.import_graph_def(graph_def, name="")
    run = session.make_callable(graph.get_tensor_by_name(fetch), feed_list=[graph.get_tensor_by_name(feed)])
    for line in sys.stdin:
        n = np.int64(line)
        begin = time.perf_counter_ns()
        answer = run(n)
        print(int(answer), time.perf_counter_ns() - begin, flush=True)
