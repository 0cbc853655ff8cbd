"""Writes xla.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "xla.jsonl.gz"), isolated=True)
rng = np.random.default_rng(3)
i32 = lambda *x: np.array(x, np.int32)
ints = lambda *dims: rng.integers(-9, 9, dims)

for dt in (np.float32, np.int32, np.bool_, np.complex64):
    x = ints(3, 4).astype(dt)
    for at in ((0, 0), (1, 2), (9, -9)):
        r.ask("XlaDynamicUpdateSlice", [x, ints(2, 3).astype(dt), i32(*at)])
x = ints(3, 4).astype(np.float32)
for update, at in ((ints(0, 3), (1, 1)), (ints(3, 4), (1, 1)), (ints(4, 4), (0, 0)), (ints(3), (0, 0)), (ints(2, 3), (0,)), (ints(2, 3), (2**31 - 1, -2**31))):
    r.ask("XlaDynamicUpdateSlice", [x, update.astype(np.float32), i32(*at)])
r.ask("XlaDynamicUpdateSlice", [np.float32(1), np.float32(2), np.zeros(0, np.int64)])
r.ask("XlaDynamicUpdateSlice", [x, x[:1], np.array([2**40, 0])])

for v in (ints(3, 5).astype(np.float32), ints(7).astype(np.uint8), np.array([[np.nan, 1, -np.inf, -0., 0, np.inf, np.nan]], np.float64), ints(2, 0).astype(np.int64), np.float32(1)):
    r.ask("XlaSort", [v])
    r.ask("XlaKeyValueSort", [v, np.arange(v.size, dtype=np.int32).reshape(v.shape)])
for dt in (tf.bfloat16.as_numpy_dtype, np.float16, np.float32, np.float64):
    v = np.array([0, -0., 1, 1.0009765625, 3.14159, -65504, 1e-5, 6e-8, np.inf, np.nan, 70000, 1e-3, 255, 256.5], np.float32).astype(dt)
    for e, m in ((5, 10), (8, 7), (4, 3), (1, 0), (2, 1), (11, 52)):
        r.ask("XlaReducePrecision", [v], exponent_bits=e, mantissa_bits=m)
r.ask("XlaReducePrecision", [v], exponent_bits=0, mantissa_bits=1)
r.ask("XlaOptimizationBarrier", [[np.float32(1), i32(1, 2)]])
r.ask("XlaSharding", [x], sharding="", unspecified_dims=[])

for start, size in (((0, 0), (2, 3)), ((2, -1), (2, 3)), ((1, 1), (0, 4)), ((0, 0), (4, 4)), ((0, 0), (2,)), ((0,), (2, 3)), ((0, 0), (-1, 2))):
    r.ask("XlaDynamicSlice", [x, i32(*start), i32(*size)])
for low, high, interior in (((0, 0), (0, 0), (0, 0)), ((1, 2), (2, 0), (0, 1)), ((-1, -2), (0, -1), (2, 1)), ((-5, 1), (9, -4), (1, 0)), ((-9, 0), (0, 0), (0, 0)), ((0, 0), (0, 0), (-1, 0)), ((0,), (0,), (0,))):
    r.ask("XlaPad", [x, np.float32(7), i32(*low), i32(*high), i32(*interior)])
r.ask("XlaPad", [x[:0], np.float32(7), i32(1, 0), i32(1, 0), i32(3, 1)])
r.ask("XlaPad", [x, x[0], i32(1, 0), i32(1, 0), i32(3, 1)])
for a, b, dims in ((x, x, ()), (x, x[0], (1,)), (x, x[:, 0], (0,)), (x[0], x, (0,)), (x[0], x, ()), (x, x[0], (2,)), (x, x[0], (0, 1)), (x, np.float32(1), ()), (x, x, (0, 1))):
    r.ask("XlaBroadcastHelper", [a, b, i32(*dims)])
r.close()
