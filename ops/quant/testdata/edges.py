"""Writes edges.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "edges.jsonl.gz"), isolated=True)
x = np.array([-2, -1, -0.75, -0.5, -0.25, 0, 0.1, 0.2, 0.5, 1, 7], np.float32)
for low, high in ((-1, 0), (-0.5, 0), (0, 1), (-1, 1), (-0.1, 0.9), (0.5, 1), (-1, -0.5), (-6, 6)):
    for bits in (2, 3, 4, 8, 16):
        for narrow in (False, True):
            r.ask("FakeQuantWithMinMaxArgs", [x], min=float(low), max=float(high), num_bits=bits, narrow_range=narrow)
            r.ask("FakeQuantWithMinMaxVars", [x, np.float32(low), np.float32(high)], num_bits=bits, narrow_range=narrow)
            r.ask("FakeQuantWithMinMaxVarsPerChannel", [x[:, None], np.array([low], np.float32), np.array([high], np.float32)], num_bits=bits, narrow_range=narrow)
rng = np.random.default_rng(5)
q = tf.quint8
for lo, hi, lo2, hi2 in ((0, 1, 0, 1), (-1, 1, 0, 3), (-5, 2, -0.1, 0.3), (0, 255, -100, 100), (-1e-3, 1e3, -7, 2)):
    a, b = rng.integers(0, 256, (3, 4)).astype(np.uint8), rng.integers(0, 256, (4,)).astype(np.uint8)
    args = [np.float32(v) for v in (lo, hi, lo2, hi2)]
    types = [q, q, None, None, None, None]
    r.ask("QuantizedAdd", [a, b] + args, types=types, Toutput=tf.qint32)
    r.ask("QuantizedAdd", [a, a[::-1].copy()] + args, types=types, Toutput=tf.qint32)
    if lo2 != -100:  # there TensorFlow rounds in float
        r.ask("QuantizedBiasAdd", [a, b] + args, types=types, out_type=tf.qint32)
r.close()
