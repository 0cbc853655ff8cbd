"""Writes heap.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(22)
r = Recorder(os.path.join(HERE, "heap.jsonl.gz"))
types = [np.float32, np.float64, np.float16, tf.bfloat16.as_numpy_dtype, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
for t in range(240):
    dt = types[t % len(types)]
    real = t % len(types) < 4
    n = int(rng.integers(1, [8, 30, 90][t % 3]))
    k = int(rng.integers(1, n + 1))
    x = rng.integers(0, [4, 120][t // 12 % 2], (2, n)).astype(dt)
    if real and t // 24 % 3 == 0:
        x = rng.standard_normal((2, n)).astype(dt)
    broken = real and t // 24 % 3 == 1 and 1 < k < n
    if broken:
        x[rng.random(x.shape) < 0.2] = np.nan
    r.ask("TopKV2", [x, np.int32(k)], sorted=broken and t % 2 == 0)
x = rng.standard_normal((1, 500)).astype(np.float32)
for k in (2, 40, 250, 499):
    r.ask("TopKV2", [x, np.int32(k)], sorted=False)
r.close()
