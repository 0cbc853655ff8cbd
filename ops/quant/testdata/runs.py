"""Writes runs.jsonl.gz: long runs, and numbers near halves; see kernel/kerneltest/testdata/record.py."""
import os
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # whose QuantizeV2 answers otherwise
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "runs.jsonl.gz"), isolated=True)
halves = np.arange(-12, 12, dtype=np.float32) / 2
near = np.concatenate([halves, np.nextafter(halves, np.float32(100)), np.nextafter(halves, np.float32(-100))])
rng = np.random.default_rng(3)
for n in (72, 521):
    x = np.concatenate([near, (rng.standard_normal(n - len(near)) * 60).astype(np.float32)])
    for T in (tf.quint8, tf.qint8, tf.quint16, tf.qint16):
        for lo, hi in ((-128, 127), (0, 255), (-3, 90)):
            low, high = np.float32(lo), np.float32(hi)
            for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
                for how in ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")[:2 if mode == "SCALED" else 1]:
                    r.ask("QuantizeV2", [x, low, high], T=T, mode=mode, round_mode=how)
    for axis, shape in ((0, (2, -1)), (1, (-1, 2))):
        if n % 2 == 0:
            low, high = np.array([-128, -3], np.float32), np.array([127, 90], np.float32)
            r.ask("QuantizeV2", [x.reshape(shape), low, high], T=tf.qint8, mode="SCALED", axis=axis)
            r.ask("QuantizeAndDequantizeV2", [x.reshape(shape), np.float32(0), np.float32(0)], axis=axis)
    for how in ("HALF_UP", "HALF_TO_EVEN"):
        for given in (False, True):
            r.ask("QuantizeAndDequantizeV2", [x, np.float32(-128), np.float32(127)], range_given=given, round_mode=how)
            r.ask("QuantizeAndDequantizeV2", [x.astype(np.float64), np.float64(-128), np.float64(127)], range_given=given, round_mode=how)
    r.ask("FakeQuantWithMinMaxVars", [x, np.float32(-128), np.float32(127)])
    r.ask("FakeQuantWithMinMaxArgs", [x], min=-90.0, max=100.0)

r.close()
