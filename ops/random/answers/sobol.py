"""Writes sobol.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "sobol.jsonl.gz"), isolated=True)
i32 = lambda x: np.array(x, np.int32)
for dims, points, skip in ((1, 9, 0), (5, 7, 3), (40, 2, 1000), (1111, 1, 2**29 - 2), (1111, 1, 123456789), (0, 1, 0), (-1, 1, 0), (1, 0, 0), (1, 1, -1), (21201, 1, 0), (1, 2**31 - 1, 1), ([1], 1, 0), (1, [1], 0), (1, 1, [0])):
    for dt in (tf.float32, tf.float64):
        r.ask("SobolSample", [i32(dims), i32(points), i32(skip)], dtype=dt)
r.close()
