"""Writes pool.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "pool.jsonl.gz"), isolated=True)
rng = np.random.default_rng(5)
f32 = np.float32
QUANTIZED = {tf.quint8: (np.uint8, 0, 256), tf.qint8: (np.int8, -128, 128), tf.qint32: (np.int32, -2**31, 2**31)}


def draw(dt, *dims):
    plain, low, high = QUANTIZED[dt]
    return rng.integers(low, high, dims).astype(plain).view(dt.as_numpy_dtype) if dims else None


for op in ("QuantizedMaxPool", "QuantizedAvgPool"):
    for dt in (tf.quint8, tf.qint8):
        for size, step in (((2, 2), (1, 1)), ((2, 3), (2, 2)), ((1, 1), (3, 2)), ((4, 1), (1, 2))):
            for padding in ("SAME", "VALID"):
                r.ask(op, [draw(dt, 2, 4, 5, 2), f32(-1), f32(2)], types=[dt, None, None], ksize=[1, *size, 1], strides=[1, *step, 1], padding=padding)
    r.ask(op, [draw(tf.quint8, 2, 4, 5), f32(-1), f32(2)], types=[tf.quint8, None, None], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    r.ask(op, [draw(tf.quint8, 1, 4, 5, 1), f32(-1), f32(2)], types=[tf.quint8, None, None], ksize=[1, 7, 2, 1], strides=[1, 1, 1, 1], padding="VALID")

for dt in (tf.quint8, tf.qint32):
    for lows, highs in [([-1, -1], [1, 1])] if dt == tf.qint32 else (([0, 0], [1, 1]), ([-1, -2], [1, 3]), ([0.5, 1], [2, 3]), ([-3, -1], [-1, 5])):
        for axis, a, b in ((0, (2, 3), (1, 3)), (1, (2, 3), (2, 4)), (-1, (2, 3), (2, 0))):
            r.ask("QuantizedConcat", [np.int32(axis), [draw(dt, *a), draw(dt, *b)], [f32(x) for x in lows], [f32(x) for x in highs]], types=[None, dt, dt] + [None] * 4)
q, ranges = tf.quint8, [[f32(0), f32(0)], [f32(1), f32(1)]]
for axis, a, b in ((2, (2, 3), (1, 3)), (0, (2, 3), (2, 4)), (0, (2, 3), (3,)), (-3, (2, 3), (2, 3))):
    r.ask("QuantizedConcat", [np.int32(axis), [draw(q, *a), draw(q, *b)], *ranges], types=[None, q, q] + [None] * 4)
r.close()
