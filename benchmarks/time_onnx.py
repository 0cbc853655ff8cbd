"""Times ONNX Runtime on the residual network of the benchmark graphs resnet20_b1 and resnet20_b16.

python time_onnx.py [BATCH...]: one JSON line for each batch, nanoseconds for an example, median and best of
samples of 20 ms. Needs the packages onnx and onnxruntime. THREADS=1 asks for one thread.
"""
import json
import os
import sys
import time

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as T, helper as h, numpy_helper as nh


def resnet20(batch):
    """Convolutions of 3 by 3 in three stages of 16, 32 and 64 channels, each normalized, with random weights."""
    rng = np.random.default_rng(0)
    nodes, weights = [], []

    def weight(*dims, plus=0.0):
        name = f"w{len(weights)}"
        weights.append(nh.from_array((rng.standard_normal(dims) * 0.1 + plus).astype(np.float32), name))
        return name

    def node(op, *inputs, **attrs):
        name = f"v{len(nodes)}"
        nodes.append(h.make_node(op, list(inputs), [name], **attrs))
        return name

    def conv(x, cin, cout, stride, k=3):
        x = node("Conv", x, weight(cout, cin, k, k), auto_pad="SAME_UPPER", strides=[stride, stride])
        variance = nh.from_array(np.abs(rng.standard_normal(cout) * 0.1).astype(np.float32) + 1, f"w{len(weights)}")
        weights.append(variance)
        return node("BatchNormalization", x, weight(cout, plus=1), weight(cout), weight(cout), variance.name)

    x = node("Relu", conv("x", 3, 16, 1))
    cin = 16
    for cout in (16, 32, 64):
        for block in range(3):
            stride = 2 if block == 0 and cout != 16 else 1
            short = x if cin == cout else conv(x, cin, cout, stride, 1)
            x = node("Relu", conv(x, cin, cout, stride))
            x = node("Relu", node("Add", conv(x, cout, cout, 1), short))
            cin = cout
    x = node("Flatten", node("GlobalAveragePool", x))
    y = node("Softmax", node("MatMul", x, weight(64, 10)))
    graph = h.make_graph(nodes, "resnet20", [h.make_tensor_value_info("x", T.FLOAT, [batch, 3, 32, 32])],
                         [h.make_tensor_value_info(y, T.FLOAT, [batch, 10])], weights)
    return h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=9)


for batch in map(int, sys.argv[1:] or ["1", "16"]):
    options = ort.SessionOptions()
    if threads := int(os.environ.get("THREADS", "0")):
        options.intra_op_num_threads = options.inter_op_num_threads = threads
    session = ort.InferenceSession(resnet20(batch).SerializeToString(), options, providers=["CPUExecutionProvider"])
    feed = {"x": np.linspace(-1, 1, batch * 3 * 32 * 32, dtype=np.float32).reshape(batch, 3, 32, 32)}
    times, end = [], time.perf_counter() + 3
    for _ in range(20):
        session.run(None, feed)
    while time.perf_counter() < end:
        runs, start = 0, time.perf_counter()
        while time.perf_counter() - start < 0.02:
            session.run(None, feed)
            runs += 1
        times.append((time.perf_counter() - start) / runs / batch * 1e9)
    print(json.dumps({"peer": "onnxruntime " + ort.__version__, "graph": f"resnet20_b{batch}",
                      "median_ns": round(float(np.median(times))), "best_ns": round(min(times))}))
