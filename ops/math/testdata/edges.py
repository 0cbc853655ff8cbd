"""Writes edges.jsonl.gz: answers where numbers are infinite, zero or far from zero;
see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "edges.jsonl.gz"))
inf, nan = np.inf, np.nan
y = np.repeat([0, -0.0, inf, -inf, nan, 2], 5)
dy = np.tile([0, -0.0, 1, inf, nan], 6)
for op in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "TanhGrad", "SigmoidGrad"):
    for dt in (np.float16, np.float32, np.float64):
        r.ask(op, [y.astype(dt), dy.astype(dt)])
        r.ask(op, [dt(0), dt(0)])
        r.ask(op, [dt(inf), dt(0)])
    for dt in (np.complex64, np.complex128):
        r.ask(op, [np.array([0.5 + 0.25j, 2 - 3j, 0, 0.5j], dt), np.array([1, 1 - 2j, 0, 0], dt)])
far = [355 + 1j, -355 + 1j, 1 + 400j, 1 - 400j, 30 + 2j, 0.5 + 0.25j, 3 - 4j, 1e-9 + 1e-9j]
for dt in (np.complex64, np.complex128):
    for op in ("Tanh", "Tan"):
        r.ask(op, [np.array(far, dt)])
    for op in ("Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh"):
        r.ask(op, [np.array([1e9, 1e8 + 1j, -1e8 + 1j, 1e8 - 1j, 1e4j, -1e4j, 1 + 1e9j, 1 - 1e9j, -1 + 1e9j, 1e9 + 1j, 0.5 + 0.25j, -3 + 4j, 2 + 1j, -2 - 1j], dt)])
    for op in ("Asin", "Asinh", "Acosh"):
        r.ask(op, [np.array([-1e9 + 0.5j, 1e20 - 1e19j], dt)])
for op in ("Exp", "Sinh", "Cosh"):
    r.ask(op, [np.array([710 + 0j, 709 + 1j, 20 + 3j], np.complex128)])
    r.ask(op, [np.complex128(710)])
r.ask("Sin", [np.array([1 + 710j, 1 - 710j, 2 + 20j], np.complex128)])
r.ask("Cos", [np.array([1 + 710j, 1 - 710j, 2 + 20j], np.complex128)])
for op in ("Sinh", "Cosh"):
    r.ask(op, [np.array([710, 710.4, 711, -710.4, 1, 1e-9])])
for dt in (np.float32, np.float64):
    r.ask("ApproximateEqual", [np.array([0, 1, 0, 2, nan, inf], dt), np.array([0.5, 1.5, 0.25, 3, 1, inf], dt)], tolerance=0.5)
    x = np.array([[nan, 1, 3, 2], [1, nan, 3, 2], [nan, nan, nan, 0], [inf, nan, -inf, 1], [nan, nan, nan, nan], [nan, -inf, -inf, -inf], [nan, inf, inf, inf]], dt)
    for op in ("ArgMax", "ArgMin"):
        r.ask(op, [x, np.int32(1)])
        r.ask(op, [x, np.int32(0)])
    wide = np.tile(np.array([[3, nan, 1, 2, 9, 4, nan, 0]], dt), (1, 5))
    for k in (0, 1, 7, 9):
        shifted = np.roll(wide, k, 1)
        r.ask("ArgMax", [shifted, np.int32(1)])
        r.ask("ArgMin", [shifted, np.int32(1)])
    r.ask("Lgamma", [np.array([-inf, inf, nan, 0, -1, -2, -1.5], dt)])
    r.ask("Ndtri", [np.array([-1e-30, 0, 1, 1.5, -1, 0.5, nan], dt)])
r.ask("Igamma", [np.array([2.0, 2, 0.5, 1e-3, 100]), np.array([1e300, 1e20, 1e300, 1e100, 1e200])])
r.ask("Igammac", [np.array([2.0, 2, 0.5, 1e-3, 100]), np.array([1e300, 1e20, 1e300, 1e100, 1e200])])
for dt in (np.complex64, np.complex128):
    r.ask("ClipByValue", [np.array([1 + 1j, 3 - 2j, -5, 2 + 2j], dt), np.array(0, dt), np.array(2 + 1j, dt)])
    r.ask("ClipByValue", [np.array([1 + 1j, 3 - 2j, -5, 2 + 2j], dt), np.array([-1, 1, 1j, 3], dt), np.array([2, 2, 2, 2 + 3j], dt)])
numbers = np.array([0, -0.0, 1, 1.1, -2.5, 1e6, 447, 449, 464, 465, 480, 57344, 61439, 61441, 1e-3, 2.0**-9, 2.0**-10, 1.25, 1.125, 1.0625, 1.1875, 1.0625 + 1e-12, 1.125 + 1e-12, inf, -inf, nan])
for narrow in (tf.as_dtype("float8_e5m2"), tf.as_dtype("float8_e4m3fn")):
    for wide in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
        with np.errstate(over="ignore"):
            r.ask("Cast", [numbers.astype(wide.as_numpy_dtype)], DstT=narrow)
    few = np.array([0, 1, -2, 3.5, 96, 0.25]).astype(narrow.as_numpy_dtype)
    for to in (tf.bool, tf.int8, tf.int16, tf.int32, tf.int64, tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128):
        r.ask("Cast", [few], DstT=to)
    for to in (tf.as_dtype("float8_e5m2"), tf.as_dtype("float8_e4m3fn")):
        r.ask("Cast", [numbers.astype(narrow.as_numpy_dtype)], DstT=to)
r.close()
