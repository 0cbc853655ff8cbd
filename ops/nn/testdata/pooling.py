"""Writes pooling.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(2)


def x(*shape, dt=np.float32):
    return np.abs(np.round(rng.standard_normal(shape) * 4)).astype(dt)


def i32(*v):
    return np.array(v, np.int32)


def shape(out):
    return eval(out[out.index("["):out.index("]") + 1])


def value(out):
    head, _, rest = out.partition(" ")
    return np.array([float(v) for v in rest.split()]).reshape(shape(out))


r = Recorder(os.path.join(HERE, "pooling.jsonl.gz"))
REALS = [np.float32, np.float64, np.float16, np.int32, np.int64, np.uint8, np.int16, np.int8, np.uint16]
for dims, k, s, pad in [((2, 5, 6, 3), (2, 2), (1, 1), "SAME"), ((1, 7, 6, 2), (3, 2), (2, 2), "VALID"), ((2, 5, 4, 2), (3, 3), (2, 3), "SAME"), ((1, 4, 4, 2), (2, 2), (3, 3), "SAME"), ((1, 5, 5, 1), (5, 5), (3, 3), "SAME")]:
    kw = dict(ksize=[1, *k, 1], strides=[1, *s, 1], padding=pad)
    for dt in REALS:
        a = x(*dims, dt=dt)
        out = r.ask("MaxPool", [a], **kw)["Out"][0]
        o, g, gg = value(out).astype(dt), x(*shape(out), dt=dt), x(*dims, dt=dt)
        r.ask("MaxPoolV2", [a, i32(1, *k, 1), i32(1, *s, 1)], padding=pad)
        r.ask("MaxPoolGrad", [a, o, g], **kw)
        r.ask("MaxPoolGradV2", [a, o, g, i32(1, *k, 1), i32(1, *s, 1)], padding=pad)
        r.ask("MaxPoolGradGrad", [a, o, gg], **kw)
        for batch in (False, True):
            am = r.ask("MaxPoolWithArgmax", [a], include_batch_in_index=batch, **kw)["Out"][1]
            r.ask("MaxPoolGradWithArgmax", [a, g, value(am).astype(np.int64)], include_batch_in_index=batch, **kw)
        if dt in (np.float32, np.float64, np.float16):
            r.ask("AvgPool", [a], **kw)
            r.ask("AvgPoolGrad", [i32(*dims), g], **kw)
    a = x(dims[0], dims[3], *dims[1:3])
    kw = dict(ksize=[1, 1, *k], strides=[1, 1, *s], padding=pad, data_format="NCHW")
    out = r.ask("MaxPool", [a], **kw)["Out"][0]
    r.ask("AvgPool", [a], **kw)
    r.ask("AvgPoolGrad", [i32(*a.shape), x(*shape(out))], **kw)
r.ask("MaxPoolWithArgmax", [x(1, 4, 4, 2)], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID", Targmax=tf.int32)
for dims, k, s, pad in [((2, 3, 5, 6, 2), (2, 2, 3), (1, 2, 2), "SAME"), ((1, 4, 5, 6, 2), (2, 3, 2), (2, 1, 1), "VALID")]:
    for first in (False, True):
        a = x(*dims)
        kw = dict(ksize=[1, *k, 1], strides=[1, *s, 1], padding=pad)
        if first:
            a = np.ascontiguousarray(np.moveaxis(a, -1, 1))
            kw = dict(ksize=[1, 1, *k], strides=[1, 1, *s], padding=pad, data_format="NCDHW")
        out = r.ask("MaxPool3D", [a], **kw)["Out"][0]
        o, g = value(out).astype(np.float32), x(*shape(out))
        r.ask("AvgPool3D", [a], **kw)
        if not first:
            r.ask("MaxPool3DGrad", [a, o, g], **kw)
            r.ask("MaxPool3DGradGrad", [a, o, x(*dims)], **kw)
            r.ask("AvgPool3DGrad", [i32(*dims), g], **kw)
d = np.float64
r.ask("MaxPool", [x(1, 4, 4, 1, dt=d) - 9], ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 1, 1, 1, 0, 0])
r.ask("MaxPool", [x(1, 4, 4, 1, dt=d)], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 2, 2, 2, 2, 0, 0])
r.ask("MaxPool", [x(1, 2, 2, 4, dt=d)], ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID")
r.ask("MaxPool", [x(1, 2, 2, 4, dt=d)], ksize=[1, 2, 1, 2], strides=[1, 1, 1, 2], padding="VALID")
r.ask("MaxPool", [x(1, 2, 2, 4, dt=d)], ksize=[1, 1, 1, 3], strides=[1, 1, 1, 3], padding="VALID")
r.ask("MaxPool", [x(1, 2, 2, 4, dt=d)], ksize=[2, 1, 1, 1], strides=[1, 1, 1, 1], padding="VALID")
r.ask("MaxPool", [x(2, 2, 4, dt=d)], ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], padding="VALID")
r.ask("MaxPool", [x(0, 2, 2, 4, dt=d)], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
r.ask("AvgPool", [x(0, 2, 2, 4, dt=d)], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
r.ask("AvgPool", [x(1, 2, 2, 4, dt=d)], ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID")
for dt in (np.float32, np.float64):
    for v in ([np.nan, 1, 2, 3], [1, 2, 3, np.nan], [np.nan] * 4):
        a = np.array(v, dt).reshape(1, 2, 2, 1)
        kw = dict(ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
        r.ask("MaxPool", [a], **kw)
        r.ask("MaxPoolWithArgmax", [a], **kw)
r.ask("MaxPoolGrad", [x(1, 3, 3, 1), x(1, 2, 2, 1), x(1, 3, 2, 1)], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
r.ask("MaxPoolGrad", [x(1, 3, 3, 1), x(1, 2, 3, 1), x(1, 2, 2, 1)], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="VALID")
r.ask("MaxPool3DGrad", [x(1, 3, 3, 3, 1), x(1, 2, 2, 2, 1) + 9, x(1, 2, 2, 2, 1)], ksize=[1, 2, 2, 2, 1], strides=[1] * 5, padding="VALID")
r.close()
