"""Writes fractional.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

rng = np.random.default_rng(8)


def pooled(a, rows, cols, more):
    out = np.zeros((a.shape[0], len(rows) - 1, len(cols) - 1, a.shape[3]), a.dtype)
    for i in range(len(rows) - 1):
        for j in range(len(cols) - 1):
            out[:, i, j] = a[:, rows[i]:rows[i + 1] + more, cols[j]:cols[j + 1] + more].max((1, 2))
    return out


r = Recorder(os.path.join(HERE, "fractional.jsonl.gz"))
for dt in (np.float32, np.float64, np.int32, np.int64):
    for more in (0, 1):
        a = np.round(rng.standard_normal((2, 7, 6, 2)) * 5).astype(dt)
        rows, cols = np.array([0, 2, 3, 5, 7]), np.array([0, 1, 3, 4, 6])
        g = np.round(rng.standard_normal((2, 4, 4, 2)) * 50).astype(dt)
        r.ask("FractionalMaxPoolGrad", [a, pooled(a, rows, cols, more), g, rows, cols], overlapping=bool(more))
        if dt in (np.float32, np.float64):
            r.ask("FractionalAvgPoolGrad", [np.array(a.shape), g, rows, cols], overlapping=bool(more))
r.ask("FractionalMaxPoolGrad", [a, pooled(a, rows, cols, 1) + 1, g, rows, cols])
r.ask("FractionalMaxPoolGrad", [a, pooled(a, rows, cols, 1), g, rows[:3], cols])
r.close()
