"""Writes uniform.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "uniform.jsonl.gz"), isolated=True)
rng = np.random.default_rng(6)
f32, i32 = lambda x: np.array(x, np.float32), lambda x: np.array(x, np.int32)
PLAIN = {tf.qint8: (np.int8, -128, 127), tf.quint8: (np.uint8, 0, 255), tf.qint32: (np.int32, -2**31, 2**31 - 1)}


def draw(dt, *dims, reach=100):
    plain, low, high = PLAIN[dt]
    return rng.integers(max(low, -reach), min(high, reach), dims).astype(plain).view(dt.as_numpy_dtype)


def how(prefix, dt, axis=-1):
    _, low, high = PLAIN[dt]
    return {prefix + "quantization_axis": axis, prefix + "quantization_min_val": low, prefix + "quantization_max_val": high}


x = f32([[-1, 0.25, 0.5, 0.75], [0.125, -0.125, -0.375, 100], [-100, 0.3, 1e9, -1e9]])
for dt in PLAIN:
    for axis, scale, zero in ((-1, 0.25, 3), (1, [0.1, 0.25, 1, 7], [0, 3, 5, 100]), (0, [0.1, 0.25, 1], [0, 3, 5]), (0, [0.1, 0.25], [0, 3]), (-1, [0.25], [3]), (-1, -0.25, 3), (2, [1], [1]), (-2, 0.25, 3)):
        r.ask("UniformQuantize", [x, f32(scale), i32(zero)], Tout=dt, **how("", dt, axis))
        r.ask("UniformDequantize", [draw(dt, 3, 4), f32(scale), i32(zero)], types=[dt, None, None], Tout=tf.float32, **how("", dt, axis))
r.ask("UniformQuantize", [x, f32(0.25), i32(300)], Tout=tf.qint8, **how("", tf.qint8))
for a in (tf.qint8, tf.qint32):
    for b in (tf.qint8,):  # there are no kernels for others
        for axis, scale, zero, axis2, scale2, zero2 in ((-1, 0.25, 3, -1, 0.1, -2), (1, [0.1, 0.25], [3, 4], -1, 0.7, 5), (-1, 0.1, 4, 1, [0.3, 0.01], [0, 7]), (1, [0.1, 0.25], [3, 4], 1, [1, 2], [0, 7]), (1, [0.1, 0.25], [3, 4], 0, [1, 2], [0, 7]), (-1, 1e-9, 0, -1, 1e9, 0)):
            r.ask("UniformRequantize", [draw(a, 5, 2), f32(scale), i32(zero), f32(scale2), i32(zero2)], types=[a] + [None] * 4, Tout=b, **how("input_", a, axis), **how("output_", b, axis2))
q = tf.qint32
for axis, low, high, scale, zero in ((-1, -20, 30, 0.5, 0), (1, [-20, 0], [0, 90], [1, 1], [0, 0]), (1, -20, 30, [1, 1], [0, 0])):
    as_q = lambda v: i32(v).view(q.as_numpy_dtype)
    r.ask("UniformQuantizedClipByValue", [draw(q, 3, 2), as_q(low), as_q(high), f32(scale), i32(zero)], types=[q, q, q, None, None], **how("", q, axis))
q = tf.qint8
for axis, scale, zero, axis2, scale2, zero2 in ((-1, 0.5, 1, -1, 2.0, 3), (1, [0.5, 0.25], [1, -1], -1, 2.0, 3), (1, [0.5, 0.25], [1, -1], 1, [2.0, 0.1], [3, 4]), (-1, 0.5, 1, 1, [2.0, 0.1], [3, 4]), (0, [0.5, 0.2, 1], [1, 2, 3], -1, 2.0, 3)):
    r.ask("UniformQuantizedDot", [draw(q, 4, 3), draw(q, 3, 2), f32(0.3), i32(-2), f32(scale), i32(zero), f32(scale2), i32(zero2)], types=[q, q] + [None] * 6, Tout=tf.qint32,
          **how("lhs_", q), **how("rhs_", q, axis), **how("output_", tf.qint32, axis2))
r.ask("UniformQuantizedDot", [draw(q, 4, 3), draw(q, 2, 2), f32(0.3), i32(-2), f32(1), i32(0), f32(1), i32(0)], types=[q, q] + [None] * 6, Tout=tf.qint32, **how("lhs_", q), **how("rhs_", q), **how("output_", tf.qint32))
r.close()
