"""Writes conv.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "conv.jsonl.gz"), isolated=True)
rng = np.random.default_rng(9)
ints = lambda dims, dt: rng.integers(-4, 5, dims).astype(dt)


def numbers(x, w, y):
    """Dimensions of "NHWC", "HWIO" and the like."""
    out = b""
    for text, fields in ((x, (("N", 7), ("C", 8))), (w, (("I", 3), ("O", 4))), (y, (("N", 9), ("C", 10)))):
        for letter, n in fields:
            out += bytes([n << 3, text.index(letter)])
    for text, n in ((x, 11), (w, 6), (y, 12)):
        space = sorted(set(text) - set("NCIO"), key="DHW".index)
        out += bytes([n << 3 | 2, len(space)]) + bytes(text.index(s) for s in space)
    return out


def conv(x, w, form, stride=None, pad=None, spread=None, dilation=None, groups=1, out=None, **kw):
    n = x.ndim - 2
    i32 = lambda v, other: np.array(v if v is not None else other, np.int32)
    args = [x, w, i32(stride, [1] * n), i32(pad, [[0, 0]] * n).reshape(n, 2), i32(spread, [1] * n), i32(dilation, [1] * n), np.int32(groups)]
    r.ask("XlaConvV2", args, dimension_numbers=numbers(*form), precision_config="", preferred_element_type=tf.as_dtype(out or x.dtype), **{"batch_group_count": 1, **kw})
    if out is None and not kw:
        r.ask("XlaConv", args, dimension_numbers=numbers(*form), precision_config="")


nhwc, nchw = ("NHWC", "HWIO", "NHWC"), ("NCHW", "OIHW", "NCHW")
f32 = np.float32
conv(ints((2, 5, 4, 3), f32), ints((3, 2, 3, 2), f32), nhwc)
conv(ints((2, 3, 5, 4), f32), ints((2, 3, 3, 2), f32), nchw, stride=[2, 1], pad=[[1, 2], [0, 1]])
conv(ints((1, 5, 5, 2), f32), ints((2, 2, 2, 1), f32), nhwc, spread=[2, 3], dilation=[2, 1], pad=[[1, 1], [-1, 2]])
conv(ints((1, 4, 4, 4), f32), ints((2, 2, 2, 6), f32), nhwc, groups=2)
conv(ints((1, 4, 4, 4), f32), ints((2, 2, 1, 4), f32), nhwc, groups=4, stride=[3, 2])
conv(ints((4, 4, 4, 3), f32), ints((2, 2, 3, 6), f32), nhwc, batch_group_count=2)
conv(ints((2, 6, 3), f32), ints((2, 3, 4), f32), ("NWC", "WIO", "CNW"))
conv(ints((1, 3, 3, 3, 2), np.float64), ints((2, 2, 2, 2, 1), np.float64), ("NDHWC", "DHWIO", "NDHWC"))
conv(ints((1, 4, 4, 2), np.int32), ints((2, 2, 2, 1), np.int32), nhwc)
conv(ints((1, 4, 4, 2), np.int8), ints((2, 2, 2, 1), np.int8), nhwc, out=np.int32)
conv(ints((1, 2, 2, 2), f32), ints((3, 3, 2, 1), f32), nhwc)
conv(ints((1, 4, 4, 2), f32), ints((2, 2, 2, 1), f32), nhwc, stride=[0, 1])
r.close()
