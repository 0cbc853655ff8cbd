"""Compares real models in Troupe with TensorFlow: answers and times.

    pip install tensorflow-cpu==2.21.0
    go build -o troupe ./cmd/troupe
    python benchmarks/real/compare.py ./troupe models            # all; or followed by names

Every folder of models is a SavedModel, as convert.py writes them. Its inputs are drawn
with a fixed seed, floats between 0 and 1 and integers between 0 and 255; an unknown first
dimension is 1, any other unknown one 256.

Times are of one run of its signature: in TensorFlow by a callable of a session with the
default configuration, which rewrites graphs and uses all cores, and in Troupe by troupe
bench. With --onnx FOLDER the other side is ONNX Runtime, on FOLDER/NAME.onnx (what has none
is left out):

    pip install tf2onnx onnxruntime==1.32.0
    python -m tf2onnx.convert --saved-model models/NAME --signature_def serving_default \\
        --tag serve --opset 17 --output onnx/NAME.onnx

The two take turns, in rounds of a second each (--rounds, 2 unless told); the figures are
the median and the best of all rounds. The difference is relative to the largest number of
an output, and the largest of all outputs.
"""
import argparse
import json
import multiprocessing
import os
import re
import statistics
import subprocess
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.logging.set_verbosity(v1.logging.ERROR)


# Inputs that cannot be drawn: the states of rvm begin as one zero a channel.
fixed = {"downsample_ratio": np.float32(0.5)} | {
    f"r{n}i": np.zeros([1, 1, 1, channels], np.float32) for n, channels in enumerate((16, 20, 40, 64), 1)}


def drawn(name, shape, dtype):
    if name.removesuffix(":0") in fixed:
        return np.asarray(fixed[name.removesuffix(":0")])
    shape = [size if isinstance(size, int) and size else (256 if at else 1) for at, size in enumerate(shape)]
    random = np.random.default_rng(1)
    if np.issubdtype(dtype, np.floating):
        return random.random(shape).astype(dtype)
    return random.integers(0, 256, shape).astype(dtype)


class TensorFlow:
    def __init__(self, folder):
        self.session = v1.Session(graph=tf.Graph())
        with self.session.graph.as_default():
            loaded = v1.saved_model.load(self.session, ["serve"], folder)
        ends, tensor = loaded.signature_def["serving_default"], self.session.graph.get_tensor_by_name
        self.given = {key: drawn(key, t.shape.as_list() if t.shape.rank is not None else [], t.dtype.as_numpy_dtype)
                      for key, t in ((key, tensor(info.name)) for key, info in sorted(ends.inputs.items()))}
        self.names = sorted(ends.outputs)
        call = self.session.make_callable([tensor(ends.outputs[key].name) for key in self.names],
                                          [tensor(ends.inputs[key].name) for key in self.given])
        self.run = lambda: call(*self.given.values())
        self.close = self.session.close


class OnnxRuntime:
    """A model that tf2onnx has converted: its names have underscores where others have colons."""

    def __init__(self, file, folder):
        import onnxruntime
        self.session = session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
        with tf.Graph().as_default(), v1.Session() as load:
            ends = v1.saved_model.load(load, ["serve"], folder).signature_def["serving_default"]
        plain = {re.sub(r"\W", "_", key): key for key in list(ends.inputs) + list(ends.outputs)}
        types = {"tensor(float)": np.float32, "tensor(int32)": np.int32, "tensor(int64)": np.int64, "tensor(uint8)": np.uint8, "tensor(bool)": np.bool_}
        feeds = {x.name: drawn(plain[re.sub(r"\W", "_", x.name)], x.shape, types[x.type]) for x in session.get_inputs()}
        self.given = {plain[re.sub(r"\W", "_", name)]: value for name, value in feeds.items()}
        self.names = [plain[re.sub(r"\W", "_", x.name)] for x in session.get_outputs()]
        self.run = lambda: session.run(None, feeds)
        self.close = lambda: None


def timed(run):
    times, end = [], time.perf_counter() + 1
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        run()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def difference(want, got):
    if want.shape != got.shape:
        return float("inf")
    want, got = want.astype(np.float64), got.astype(np.float64)
    return np.abs(want - got).max(initial=0) / max(np.abs(want).max(initial=0), 1e-30)


def compare(troupe, folder, rounds, onnx):
    theirs = OnnxRuntime(onnx, folder) if onnx else TensorFlow(folder)
    inputs, outputs = os.path.join(folder, "inputs.npz"), os.path.join(folder, "outputs.npz")
    np.savez(inputs, **theirs.given)
    subprocess.run([troupe, "run", folder, "--feed", "@" + inputs, "--output", outputs], check=True)
    got, want = np.load(outputs), dict(zip(theirs.names, theirs.run()))
    worst = max(difference(np.asarray(want[key]), got[key]) for key in want)
    for _ in range(3):
        theirs.run()
    told, times = [], []
    for _ in range(rounds):
        times += timed(theirs.run)
        ran = subprocess.run([troupe, "bench", folder, "--feed", "@" + inputs, "--format", "json"], check=True, capture_output=True)
        told.append(json.loads(ran.stdout))
    theirs.close()
    return (statistics.median(times), min(times), statistics.median(t["median_ns"] for t in told) / 1e6,
            min(t["best_ns"] for t in told) / 1e6, worst)


def apart(*arguments):
    """compare in a process of its own, as some models crash TensorFlow's."""
    fork = multiprocessing.get_context("fork")
    mine, its = fork.Pipe()

    def send():
        try:
            its.send(compare(*arguments))
        except Exception as e:
            its.send(e)

    process = fork.Process(target=send)
    process.start()
    its.close()
    try:
        row = mine.recv()
    except EOFError:
        process.join()
        raise RuntimeError(f"the process ended with {process.exitcode}")
    process.join()
    if isinstance(row, Exception):
        raise row
    return row


def mean(rows):
    if not rows:
        return "no model"
    medians, bests = [row[0] / row[2] for row in rows], [row[1] / row[3] for row in rows]
    return f"{statistics.geometric_mean(medians):.2f} ({statistics.geometric_mean(bests):.2f}) of {len(rows)} models, least {min(medians):.2f} ({min(bests):.2f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("troupe")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--onnx", metavar="FOLDER")
    asked = parser.parse_args()
    rows = []
    peer = "ONNX Runtime" if asked.onnx else "TensorFlow"
    print(f"| model | {peer}, ms (best) | Troupe, ms (best) | ratio (of the best) | difference |\n|---|---|---|---|---|")
    for name in asked.names or sorted(os.listdir(asked.folder)):
        onnx = asked.onnx and os.path.join(asked.onnx, name + ".onnx")
        if onnx and not os.path.exists(onnx):
            continue
        try:
            row = apart(asked.troupe, os.path.join(asked.folder, name), asked.rounds, onnx)
        except Exception as e:
            print(f"{name}: {e}", file=sys.stderr)
            continue
        theirs, their_best, ours, our_best, worst = row
        rows.append(row)
        print(f"| {name} | {theirs:.2f} ({their_best:.2f}) | {ours:.2f} ({our_best:.2f}) "
              f"| {theirs / ours:.2f} ({their_best / our_best:.2f}) | {worst:.0e} |", flush=True)
    print("\nGeometric mean of the ratios:", mean(rows))
    print(f"Above 5 ms in {peer}:", mean([row for row in rows if row[0] > 5]))
