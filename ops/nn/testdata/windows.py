"""Writes windows.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

rng = np.random.default_rng(18)
r = Recorder(os.path.join(HERE, "windows.jsonl.gz"), isolated=True)
for op in ("FractionalMaxPool", "FractionalAvgPool"):
    for dt in (np.float32, np.float64, np.int32, np.int64):
        for pseudo in (False, True):
            for overlapping in (False, True):
                for h, w, ratio in ((9, 7, [1.0, 1.44, 1.73, 1.0]), (12, 5, [1.0, 2.4, 1.0, 1.0]), (30, 20, [1.0, 1.41, 1.9, 1.0])):
                    if h == 30 and dt != np.float32:
                        continue
                    x = rng.integers(-50, 50, (2, h, w, 2)).astype(dt)
                    for seed, seed2 in ((3, 5), (0, 9)):
                        r.ask(op, [x], pooling_ratio=ratio, pseudo_random=pseudo, overlapping=overlapping, deterministic=True, seed=seed, seed2=seed2)
    x = rng.integers(-50, 50, (1, 4, 4, 1)).astype(np.float32)
    for y, ratio in ((x[0], [1.0, 1.5, 1.5, 1.0]), (x, [1.0, 5.0, 1.5, 1.0]), (x, [1.0, 0.5, 1.5, 1.0]), (x, [2.0, 1.5, 1.5, 1.0]), (x, [1.0, 1.5, 1.5, 2.0]), (x[:0], [1.0, 1.5, 1.5, 1.0]), (x[:, :0], [1.0, 1.5, 1.5, 1.0]), (x, [1.0, 1.5, 1.5, 1.0, 1.0]), (x, [1.0, 4.0, 4.0, 1.0]), (x, [1.0, 1.0, 1.0, 1.0])):
        r.ask(op, [y], pooling_ratio=ratio, deterministic=True, seed=1, seed2=2)
    r.ask(op, [x], pooling_ratio=[1.0, 4.0, 4.0, 1.0], seed=1, seed2=2)
r.close()
