"""Writes convolution.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(20)
r = Recorder(os.path.join(HERE, "convolution.jsonl.gz"), isolated=True)
f = np.float32
i32 = lambda x: np.array(x, np.int32)
u8 = lambda *dims: rng.integers(0, 256, dims).astype(np.uint8)
F = tf.float32


def quantized(x, dt):
    return x.astype(dt.as_numpy_dtype)


filt = tf.quint8
k = quantized(u8(3, 2, 2, 3), filt)
for lo, hi, flo, fhi in ((0, 1, -1, 1), (-3, 5, -.5, 2), (0, 255, -128, 127)):
    for padding in ("SAME", "VALID"):
        for stride in (1, 2):
            r.ask("QuantizedConv2D", [quantized(u8(2, 5, 4, 2), tf.quint8), k, f(lo), f(hi), f(flo), f(fhi)], types=[tf.quint8, filt, F, F, F, F], strides=[1, stride, stride, 1], padding=padding)
x, k = quantized(u8(1, 3, 3, 1), tf.quint8), quantized(u8(2, 2, 1, 1), tf.quint8)
T = [tf.quint8, tf.quint8, F, F, F, F]
for args, kw in (((x[0], k, f(0), f(1), f(0), f(1)), {}), ((x, k[0], f(0), f(1), f(0), f(1)), {}), ((x, k, f([0]), f(1), f(0), f(1)), {}), ((x, k, f(0), f(1), f(0), f(1)), {"dilations": [1, 2, 2, 1]}), ((x, k, f(0), f(1), f(0), f(1)), {"strides": [1, 1, 2, 1]}),
                 ((x, k, f(0), f(1), f(0), f(1)), {"strides": [1, 1, 1, 2]}), ((x[:0], k, f(0), f(1), f(0), f(1)), {}), ((x, k[..., :0], f(0), f(1), f(0), f(1)), {})):
    r.ask("QuantizedConv2D", list(args), types=T, **{"strides": [1, 1, 1, 1], "padding": "VALID", **kw})
for op in ("QuantizedRelu", "QuantizedRelu6"):
    for lo, hi in ((-1, 1), (0, 10), (-20, 30), (3, 9), (-9, -3), (-8, 8)):
        r.ask(op, [quantized(u8(2, 9), tf.quint8), f(lo), f(hi)], types=[tf.quint8, F, F])
    r.ask(op, [quantized(u8(2), tf.quint8), f([0]), f(1)], types=[tf.quint8, F, F])
for shape in ([6], [-1, 2], [-1, -1], [5], [0, -1], [-2, 3], 6, [[6]]):
    r.ask("QuantizedReshape", [quantized(u8(2, 3), tf.quint8), i32(shape), f(0), f(1)], types=[tf.quint8, tf.int32, F, F])
r.ask("QuantizedReshape", [quantized(u8(2, 3), tf.quint8), i32([6]), f([0]), f(1)], types=[tf.quint8, tf.int32, F, F])
r.close()
