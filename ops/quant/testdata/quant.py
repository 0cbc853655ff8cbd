"""Writes quant.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # whose QuantizeV2 answers otherwise
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(6)
F = np.float32


def x(*shape, dt=F):
    return (rng.standard_normal(shape) * 4).astype(dt)


r = Recorder(os.path.join(HERE, "quant.jsonl.gz"))
for bits in (2, 4, 8, 16):
    for narrow in (False, True):
        kw = dict(num_bits=bits, narrow_range=narrow)
        for lo, hi in [(-6.0, 6.0), (-3.1, 5.3), (0.5, 4.0), (-7.0, -1.5)]:
            r.ask("FakeQuantWithMinMaxArgs", [x(3, 5)], min=lo, max=hi, **kw)
            r.ask("FakeQuantWithMinMaxArgsGradient", [x(3, 5), x(3, 5)], min=lo, max=hi, **kw)
            r.ask("FakeQuantWithMinMaxVars", [x(3, 5), F(lo), F(hi)], **kw)
            r.ask("FakeQuantWithMinMaxVarsGradient", [x(3, 5), x(3, 5), F(lo), F(hi)], **kw)
        lo, hi = np.array([-6, -3.1, 0, 0.5, -4], F), np.array([6, 5.3, 0, 4, -0.2], F)
        r.ask("FakeQuantWithMinMaxVarsPerChannel", [x(3, 5), lo, hi], **kw)
        r.ask("FakeQuantWithMinMaxVarsPerChannelGradient", [x(3, 5), x(3, 5), lo, hi], **kw)
r.ask("FakeQuantWithMinMaxVars", [x(3), F(0), F(0)])
r.ask("FakeQuantWithMinMaxVarsGradient", [x(3), x(3), F(0), F(0)])
r.ask("FakeQuantWithMinMaxVars", [x(3), x(1), F(0)])
r.ask("FakeQuantWithMinMaxVarsPerChannel", [x(2, 3), x(2), x(3)])
for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
    for t in (tf.qint8, tf.quint8, tf.qint16, tf.quint16):
        for lo, hi in [(-6.0, 6.0), (-3.0, 5.5), (0.0, 4.0), (1.0, 4.0), (0.0, 0.0)]:
            for kw in ([dict()] if mode != "SCALED" else [dict(), dict(narrow_range=True), dict(round_mode="HALF_TO_EVEN")]):
                if (t in (tf.quint16, tf.qint16)) and mode == "MIN_FIRST":
                    continue
                r.ask("QuantizeV2", [x(3, 5), F(lo), F(hi)], T=t, mode=mode, **kw)
                if "round_mode" not in kw:
                    np_t = t.as_numpy_dtype
                    q = rng.integers(0, 100, (2, 3)).astype(np.dtype(np_t).fields[np.dtype(np_t).names[0]][0]).view(np_t)
                    r.ask("Dequantize", [q, F(lo), F(hi)], types=[t, None, None], mode=mode, **kw)
axis = dict(axis=1, mode="SCALED")
r.ask("QuantizeV2", [x(2, 3, 2), np.array([-1, -2, 0], F), np.array([1, 3, 2], F)], T=tf.qint8, **axis)
r.ask("QuantizeV2", [x(2, 3), F(2), F(1)], T=tf.qint8)
r.ask("QuantizeV2", [x(2, 3), x(2), F(1)], T=tf.qint8)
for dt in (F, np.float64):
    for signed in (True, False):
        for given in (True, False):
            for mode in ("HALF_TO_EVEN", "HALF_UP"):
                for op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"):
                    for bits in (3, 8):
                        r.ask(op, [x(3, 5, dt=dt), dt(-2), dt(3)], signed_input=signed, range_given=given, round_mode=mode, num_bits=bits)
            r.ask("QuantizeAndDequantizeV3", [x(3, 5, dt=dt), dt(-2), dt(3), np.int32(5)], signed_input=signed, range_given=given, narrow_range=True)
            if given:
                continue
            r.ask("QuantizeAndDequantizeV2", [x(2, 3, dt=dt), np.array([-1, -2, 0], dt), np.array([1, 3, 2], dt)], signed_input=signed, range_given=given, axis=1)
    r.ask("QuantizeAndDequantizeV4Grad", [x(2, 3, dt=dt), x(2, 3, dt=dt), dt(-2), dt(3)])
    r.ask("QuantizeAndDequantizeV4Grad", [x(2, 3, dt=dt), x(2, 3, dt=dt), np.array([-1, -2, 0], dt), np.array([1, 3, 2], dt)], axis=1)
r.ask("QuantizeAndDequantizeV2", [x(3), F(3), F(2)], range_given=True)
r.ask("QuantizeAndDequantizeV3", [x(3), F(1), F(2), np.int32(0)])
r.close()

r = Recorder(os.path.join(HERE, "arithmetic.jsonl"))


def q(t, *shape, lo=0, hi=100):
    np_t = np.dtype(t.as_numpy_dtype)
    return rng.integers(lo, hi, shape).astype(np_t.fields[np_t.names[0]][0]).view(np_t)


RANGES = [(-1.0, 1.0, -2.0, 3.0), (0.0, 6.0, -0.5, 0.5), (-3.0, 5.0, 0.0, 2.0)]
U, S, W = tf.quint8, tf.qint8, tf.qint32
N = [None] * 4
for ranges in RANGES:
    ends = [F(v) for v in ranges]
    for a, b in [((3, 4), (4,)), ((3, 4), (3, 4)), ((5,), (5,))]:
        r.ask("QuantizedMul", [q(U, *a), q(U, *b)] + ends, types=[U, U] + N)
        r.ask("QuantizedAdd", [q(U, *a), q(U, *b)] + ends, types=[U, U] + N)
    for ta in (False, True):
        for tb in (False, True):
            r.ask("QuantizedMatMul", [q(U, *((4, 3) if ta else (3, 4))), q(U, *((5, 4) if tb else (4, 5)))] + ends, types=[U, U] + N, transpose_a=ta, transpose_b=tb)
    for t in (U, S):
        r.ask("QuantizedBiasAdd", [q(t, 3, 4), q(t, 4)] + ends, types=[t, t] + N, out_type=W)
    big = dict(lo=-2**29, hi=2**30)
    r.ask("RequantizationRange", [q(W, 3, 4, **big), ends[0], ends[1]], types=[W, None, None])
    r.ask("QuantizeDownAndShrinkRange", [q(W, 3, 4, **big), ends[0], ends[1]], types=[W, None, None], out_type=U)
    for t in (U, S):
        r.ask("Requantize", [q(W, 3, 4, **big), ends[0], ends[1], F(-0.25), F(0.75)], types=[W] + N, out_type=t)
r.ask("QuantizedMul", [q(U, 3), q(U, 3), F(1), F(0), F(0), F(1)], types=[U, U] + N)
r.ask("QuantizedMatMul", [q(U, 3, 4), q(U, 3, 4)] + ends, types=[U, U] + N)
r.close()
