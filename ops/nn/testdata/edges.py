"""Writes edges.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "edges.jsonl.gz"), isolated=True)
inf, nan = np.inf, np.nan
x = np.arange(18, dtype=np.float32).reshape(1, 3, 3, 2)
w = np.arange(8, dtype=np.float32).reshape(2, 2, 2, 1)
r.ask("Conv", [x, w], strides=[1, 1, 1, 1], padding="VALID")
r.ask("Conv", [x, w], strides=[1, 1, 1, 1], padding="SAME", data_format="CHANNELS_LAST")
r.ask("Conv", [x[:, :, :, None, :], w[:, :, None]], strides=[1, 1, 1, 1, 1], padding="VALID")
for dt in (np.float32, np.float64):
    for row in ([inf, 1, 2], [-inf, 1, 2], [inf, inf, 1], [-inf, -inf, -inf], [nan, 1, 2], [1000, -1000, 0]):
        for want in ([0.2, 0.3, 0.5], [0, 0.5, 0.5], [1, 0, 0]):
            r.ask("SoftmaxCrossEntropyWithLogits", [np.array([row], dt), np.array([want], dt)])
        r.ask("SparseSoftmaxCrossEntropyWithLogits", [np.array([row], dt), np.array([1], np.int32)])
rng = np.random.default_rng(3)
for shape in ((3, 5), (70, 3), (200, 2), (5, 7, 3), (2000, 4)):
    y = rng.standard_normal(shape).astype(np.float16)
    r.ask("BiasAddGrad", [y])
for sizes, g in ([[1, 3, 3, 0], (1, 2, 2, 1)], [[0, 3, 3, 2], (0, 2, 2, 1)]):
    r.ask("Conv2DBackpropInput", [np.array(sizes, np.int32), np.zeros((2, 2, sizes[3], 1), np.float32), np.zeros(g, np.float32)], strides=[1, 1, 1, 1], padding="VALID")
r.close()
