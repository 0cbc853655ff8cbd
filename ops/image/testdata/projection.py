"""Writes projection.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

rng = np.random.default_rng(10)
F = np.float32
r = Recorder(os.path.join(HERE, "projection.jsonl.gz"))
T = np.array([[1, 0.1, -2.3, -0.2, 0.9, 1.4, 0.01, -0.02], [0.5, 0, 3, 0, 1.7, -4, 0, 0]], F)
for dt in (np.uint8, np.int32, np.int64, np.float16, F, np.float64):
    a = rng.integers(0, 100, (2, 5, 6, 2)).astype(dt)
    for how in ("NEAREST", "BILINEAR"):
        for mode in ("REFLECT", "WRAP", "CONSTANT", "NEAREST"):
            for t in (T, T[:1]):
                r.ask("ImageProjectiveTransformV3", [a, t, np.array([7, 8], np.int32), F(9)], interpolation=how, fill_mode=mode)
            r.ask("ImageProjectiveTransformV2", [a, T, np.array([4, 3], np.int32)], interpolation=how, fill_mode=mode)
r.ask("ImageProjectiveTransformV2", [a, T[:, :7], np.array([4, 3], np.int32)], interpolation="NEAREST")
r.ask("ImageProjectiveTransformV2", [a, T, np.array([4, 0], np.int32)], interpolation="NEAREST")
r.close()
