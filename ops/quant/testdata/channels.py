"""Writes channels.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(16)
r = Recorder(os.path.join(HERE, "channels.jsonl.gz"), isolated=True)
for dims in ((1, 2, 2, 3), (2, 1, 4, 3), (2, 2, 1, 1), (0, 1, 1, 2), (2, 3), (2, 2, 1)):
    for clip in (1e30, 3.0):
        x = rng.integers(-(1 << 30), 1 << 30, dims).astype(np.int32)
        lo = -rng.random(dims[-1]).astype(np.float32)
        r.ask("RequantizationRangePerChannel", [x, lo, -2 * lo], types=[tf.qint32, None, None], clip_value_max=clip)
x = np.int32([[[[1, 2]]]])
for lo, hi in ((np.float32([-1]), np.float32([1, 1])), (np.float32([-1, -1]), np.float32([1])), (np.float32(-1), np.float32(1)), (np.float32([[-1, -1]]), np.float32([[1, 1]]))):
    r.ask("RequantizationRangePerChannel", [x, lo, hi], types=[tf.qint32, None, None], clip_value_max=1.0)
r.close()
