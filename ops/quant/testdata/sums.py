"""Writes sums.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(9)
F = np.float32
U = tf.quint8
r = Recorder(os.path.join(HERE, "sums.jsonl.gz"))


def q(*shape):
    return rng.integers(0, 256, shape).astype(np.uint8)


# Of a scalar each number is rounded by itself, of other operands all are in whole steps.
for a, b in [((20,), ()), ((), (20,)), ((), ()), ((1,), (1,)), ((20,), (1, 1)), ((20,), (20,)), ((4, 5), (5,)), ((5,), (4, 5))]:
    for scale in (0.7, 31.3, 977.1):
        lo = -rng.random(2) * scale
        hi = rng.random(2) * scale + 0.01
        ends = [F(lo[0]), F(hi[0]), F(lo[1]), F(hi[1])]
        r.ask("QuantizedAdd", [q(*a), q(*b)] + ends, types=[U, U] + [None] * 4)
# Windows over 12x12.
for padding in ("VALID", "SAME"):
    for step in (1, 2, 3):
        for size in (1, 2, 3):
            r.ask("QuantizedMaxPool", [q(1, 12, 12, 1), F(0), F(1)], types=[U, None, None], ksize=[1, size, size, 1], strides=[1, step, step, 1], padding=padding)
r.close()
