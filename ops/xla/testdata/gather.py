"""Writes gather.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "gather.jsonl.gz"), isolated=True)
rng = np.random.default_rng(8)
i32 = lambda *x: np.array(x, np.int32)
ints = lambda *dims: rng.integers(-9, 9, dims)


def lists(**fields):
    """A message of packed lists of small numbers: f1=[...], f2=[...]; a number is a field of its own."""
    out = b""
    for name, x in fields.items():
        n = int(name[1:])
        out += bytes([n << 3, x]) if isinstance(x, int) else bytes([n << 3 | 2, len(x)]) + bytes(x) if x else b""
    return out


def gather(x, at, sizes, **fields):
    r.ask("XlaGather", [x, at, np.array(sizes, at.dtype)], dimension_numbers=lists(**fields), indices_are_sorted=False)


x = ints(3, 4, 5).astype(np.float32)
gather(x, i32([2], [0], [7]), [1, 3, 5], f1=[1, 2], f2=[0], f3=[0], f4=1)
gather(x, i32(2, 0, -3), [1, 4, 2], f1=[0, 1], f2=[0], f3=[0], f4=1)
gather(x, i32([2, 1], [0, 9]), [1, 1, 5], f1=[1], f2=[0, 1], f3=[0, 1], f4=1)
gather(x, i32([2, 1], [0, 9]), [2, 1, 3], f1=[0, 2], f2=[1], f3=[2, 0], f4=1)
gather(x, i32([2, 1], [0, 9]), [2, 1, 3], f1=[0, 2], f2=[1], f3=[2, 0], f4=0)
gather(x, np.array([1, 2]), [2, 1, 3], f1=[0, 1, 2], f3=[2, 0])
gather(ints(3, 4) > 0, np.zeros((2, 3, 0), np.int32), [3, 4], f1=[1, 3], f4=2)
gather(x, np.zeros((0, 1), np.int32), [1, 4, 5], f1=[1, 2], f2=[0], f3=[0], f4=1)
gather(ints(3, 4, 2).astype(np.int32), i32([1, 3, 0]).T, [1, 2, 2], f1=[1, 2], f3=[1], f4=1, f5=[0], f6=[0])
gather(x, i32([2], [0]), [1, 3], f1=[1, 2], f2=[0], f3=[0], f4=1)
gather(x, i32([2], [0]), [1, 9, 5], f1=[1, 2], f2=[0], f3=[0], f4=1)
gather(x, i32([2], [0]), [2, 3, 5], f1=[1, 2], f2=[0], f3=[0], f4=1)
gather(x, i32([2], [0]), [1, 3, 5], f1=[1], f2=[0], f3=[0], f4=1)
gather(x, i32([2], [0]), [1, 3, 5], f1=[1, 2], f2=[0], f3=[5], f4=1)
gather(x, i32([2], [0]), [1, 3, 5], f1=[1, 2], f2=[0], f3=[0], f4=4)


def dot(a, b, out=None, **fields):
    kw = dict(dimension_numbers=lists(**fields), precision_config="")
    r.ask("XlaDotV2", [a, b], preferred_element_type=tf.as_dtype(out or a.dtype), **kw)
    if out is None:
        r.ask("XlaDot", [a, b], **kw)


for dt in (np.float32, np.float64, np.int32, np.complex64, np.uint8):
    x, y = ints(2, 3, 4).astype(dt), ints(4, 2, 5).astype(dt)
    dot(x, y, f1=[2], f2=[0], f3=[0], f4=[1])
    dot(x, y, f1=[2, 0], f2=[0, 1])
    dot(x, y, f1=[0], f2=[1])
f32 = np.float32
dot(ints(3).astype(f32), ints(3).astype(f32), f1=[0], f2=[0])
dot(ints(3).astype(f32), ints(2).astype(f32))
dot(ints(3, 0).astype(f32), ints(0, 2).astype(f32), f1=[1], f2=[0])
dot(ints(2, 3).astype(np.int8), ints(3, 2).astype(np.int8), np.int32, f1=[1], f2=[0])
dot(ints(2, 3).astype(np.int8), ints(3, 2).astype(np.int32), np.int32, f1=[1], f2=[0])
dot(ints(2, 3).astype(np.float16), ints(3, 2).astype(np.float16), f1=[1], f2=[0])
dot(ints(2, 3).astype(tf.bfloat16.as_numpy_dtype), ints(3, 2).astype(tf.bfloat16.as_numpy_dtype), np.float32, f1=[1], f2=[0])
dot(ints(2, 3).astype(f32), ints(4, 2).astype(f32), f1=[1], f2=[0])
dot(ints(2, 3).astype(f32), ints(3, 2).astype(f32), f1=[1], f2=[7])
dot(ints(2, 3).astype(f32), ints(3, 2).astype(f32), f1=[1, 1], f2=[0, 0])
dot(ints(2, 3).astype(f32), ints(3, 2).astype(f32), f1=[1])
r.close()
