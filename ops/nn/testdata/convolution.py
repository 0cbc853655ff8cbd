"""Writes convolution.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

rng = np.random.default_rng(1)


def x(*shape, dt=np.float32):
    return np.round(rng.standard_normal(shape) * 4).astype(dt)


def i32(*v):
    return np.array(v, np.int32)


r = Recorder(os.path.join(HERE, "convolution.jsonl.gz"))
geometries = [
    # input, filter, strides, dilations, padding
    ((2, 5, 6, 3), (3, 3, 3, 4), (1, 1), (1, 1), "SAME", None),
    ((1, 7, 5, 2), (3, 2, 2, 3), (2, 2), (1, 1), "SAME", None),
    ((2, 7, 8, 2), (2, 3, 2, 3), (3, 1), (1, 1), "VALID", None),
    ((1, 6, 6, 4), (3, 3, 2, 4), (1, 1), (1, 1), "SAME", None),
    ((1, 9, 7, 2), (3, 3, 2, 2), (1, 1), (2, 3), "SAME", None),
    ((1, 4, 4, 2), (1, 1, 2, 5), (1, 1), (1, 1), "VALID", None),
    ((2, 5, 5, 2), (1, 1, 2, 3), (2, 2), (1, 1), "SAME", None),
    ((1, 4, 3, 2), (2, 2, 2, 2), (2, 1), (1, 1), "EXPLICIT", [0, 0, 1, 2, 0, 3, 0, 0]),
    ((1, 3, 3, 1), (2, 2, 1, 2), (4, 4), (1, 1), "SAME", None),
]
for shape, filt, s, d, pad, explicit in geometries:
    for first in (False, True):
        turn = (lambda a: np.ascontiguousarray(np.moveaxis(a, -1, 1))) if first else (lambda a: a)
        four = (lambda p: [1, 1, *p]) if first else (lambda p: [1, *p, 1])
        kw = dict(strides=four(s), dilations=four(d), padding=pad, data_format="NCHW" if first else "NHWC")
        if explicit:
            kw["explicit_paddings"] = (explicit[:2] + explicit[6:] + explicit[2:6]) if first else explicit
        a, w = x(*shape), x(*filt)
        out = r.ask("Conv2D", [turn(a), w], **kw)["Out"][0]
        g = x(*eval(out[out.index("["):out.index("]") + 1]))
        if first and explicit:
            continue
        r.ask("Conv2DBackpropInput", [i32(*turn(a).shape), w, g], **kw)
        r.ask("Conv2DBackpropFilter", [turn(a), i32(*filt), g], **kw)
        if not first and d == (1, 1) and shape[3] == filt[2]:
            for dt in (np.float64, np.float16):
                r.ask("Conv2D", [a.astype(dt), w.astype(dt)], **kw)
                r.ask("Conv2DBackpropInput", [i32(*a.shape), w.astype(dt), g.astype(dt)], **kw)
                r.ask("Conv2DBackpropFilter", [a.astype(dt), i32(*filt), g.astype(dt)], **kw)
            r.ask("Conv2D", [a.astype(np.int32), w.astype(np.int32)], **kw)
            if pad != "EXPLICIT":
                r.ask("Conv2DBackpropInput", [i32(*a.shape[1:3]), w, g], **kw)
                kw.pop("data_format"), kw.pop("dilations")
                r.ask("Conv", [a, w], **kw)
for shape, filt, s, pad in [((1, 4, 5, 3, 2), (2, 3, 2, 2, 3), (1, 1, 1), "SAME"), ((2, 5, 4, 4, 2), (2, 2, 3, 2, 2), (2, 1, 2), "VALID"), ((1, 3, 3, 3, 2), (1, 1, 1, 2, 2), (1, 1, 1), "SAME")]:
    for first in (False, True):
        turn = (lambda a: np.ascontiguousarray(np.moveaxis(a, -1, 1))) if first else (lambda a: a)
        kw = dict(strides=[1, 1, *s] if first else [1, *s, 1], padding=pad, data_format="NCDHW" if first else "NDHWC")
        a, w = x(*shape), x(*filt)
        out = r.ask("Conv3D", [turn(a), w], **kw)["Out"][0]
        g = x(*eval(out[out.index("["):out.index("]") + 1]))
        r.ask("Conv3DBackpropInputV2", [i32(*turn(a).shape), w, g], **kw)
        r.ask("Conv3DBackpropFilterV2", [turn(a), i32(*filt), g], **kw)
# depthwise
for shape, filt, s, d, pad in [((2, 5, 6, 3), (3, 3, 3, 1), 1, 1, "SAME"), ((1, 7, 5, 2), (3, 2, 2, 3), 2, 1, "SAME"), ((1, 6, 6, 9), (2, 3, 9, 2), 1, 1, "VALID"), ((1, 6, 6, 17), (3, 3, 17, 1), 2, 1, "VALID")]:
    for dt in (np.float32, np.float64, np.float16):
        a, w = x(*shape, dt=dt), x(*filt, dt=dt)
        kw = dict(strides=[1, s, s, 1], dilations=[1, d, d, 1], padding=pad)
        out = r.ask("DepthwiseConv2dNative", [a, w], **kw)["Out"][0]
        g = x(*eval(out[out.index("["):out.index("]") + 1]), dt=dt)
        r.ask("DepthwiseConv2dNativeBackpropInput", [i32(*shape), w, g], **kw)
        r.ask("DepthwiseConv2dNativeBackpropFilter", [a, i32(*filt), g], **kw)
r.ask("DepthwiseConv2dNative", [x(1, 4, 4, 2), x(2, 2, 2, 1)], strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 0, 0, 2, 0, 0])
r.ask("DepthwiseConv2dNative", [x(1, 8, 8, 2), x(3, 3, 2, 1)], strides=[1, 1, 1, 1], dilations=[1, 2, 2, 1], padding="SAME")
r.ask("DepthwiseConv2dNative", [x(1, 4, 4, 2), x(2, 2, 3, 1)], strides=[1, 1, 1, 1], padding="SAME")
r.ask("DepthwiseConv2dNative", [x(1, 4, 4, dt=np.float64), x(2, 2, 3, 1, dt=np.float64)], strides=[1, 1, 1, 1], padding="SAME")
# dilation
for shape, filt, s, d, pad in [((2, 5, 6, 3), (3, 3, 3), 1, 1, "SAME"), ((1, 7, 5, 2), (3, 2, 2), 2, 1, "SAME"), ((1, 6, 7, 2), (2, 3, 2), 1, 2, "VALID")]:
    for dt in (np.float32, np.float64, np.int32, np.uint8, np.float16):
        a, w = np.abs(x(*shape)).astype(dt), np.abs(x(*filt)).astype(dt)
        kw = dict(strides=[1, s, s, 1], rates=[1, d, d, 1], padding=pad)
        out = r.ask("Dilation2D", [a, w], **kw)["Out"][0]
        g = x(*eval(out[out.index("["):out.index("]") + 1])).astype(dt)
        r.ask("Dilation2DBackpropInput", [a, w, g], **kw)
        r.ask("Dilation2DBackpropFilter", [a, w, g], **kw)
# errors

def y(*shape):
    return x(*shape, dt=np.float64)


one = dict(strides=[1, 1, 1, 1], padding="VALID")
r.ask("Conv2D", [y(2, 2, 1), y(3, 3, 1, 1)], **one)
r.ask("Conv2D", [y(1, 2, 2, 1), y(3, 1, 1)], **one)
r.ask("Conv2D", [y(1, 2, 2, 1), y(3, 3, 1, 1)], **one)
r.ask("Conv2D", [y(1, 2, 2, 3), y(1, 1, 2, 1)], **one)
r.ask("Conv2D", [y(1, 2, 2, 4), y(1, 1, 2, 3)], **one)
r.ask("Conv2D", [y(1, 2, 2, 1), y(1, 1, 1, 0)], **one)
r.ask("Conv2D", [y(0, 2, 2, 1), y(1, 1, 1, 2)], **one)
r.ask("Conv2D", [y(1, 0, 2, 1), y(1, 1, 1, 2)], strides=[1, 1, 1, 1], padding="SAME")
r.ask("Conv2DBackpropInput", [i32(1, 5, 4, 2), y(3, 3, 2, 2), y(1, 4, 4, 2)], **one)
r.ask("Conv2DBackpropInput", [i32(2, 6, 6, 2), y(3, 3, 2, 2), y(1, 4, 4, 2)], **one)
r.ask("Conv2DBackpropInput", [i32(6, 6, 2), y(3, 3, 2, 2), y(1, 4, 4, 2)], **one)
r.ask("Conv2DBackpropInput", [i32(1, 6, 6, 2), y(3, 3, 2, 2), y(1, 4, 4, 3)], **one)
r.ask("Conv2DBackpropInput", [i32(1, -6, 6, 2), y(3, 3, 2, 2), y(1, 4, 4, 2)], **one)
r.ask("Conv2DBackpropFilter", [y(1, 6, 6, 2), i32(3, 3, 2, 5), y(1, 4, 4, 2)], **one)
r.ask("Conv2DBackpropFilter", [y(2, 6, 6, 2), i32(3, 3, 2, 2), y(1, 4, 4, 2)], **one)
r.close()
