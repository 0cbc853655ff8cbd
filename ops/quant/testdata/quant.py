"""Writes quant.jsonl; see kernel/kerneltest/testdata/record.py."""
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


r = Recorder(os.path.join(HERE, "quant.jsonl"))
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
