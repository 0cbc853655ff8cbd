"""Writes integrals.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

r = Recorder(os.path.join(HERE, "integrals.jsonl.gz"))
x = np.array([0, 1e-6, .01, .1, .25, .4999, .5, .75, .999, 1, 1.25, 1.4999, 1.5, 1.9, 2, 2.5, 3.7, 5, 7.9, 8.1, 12, 19.9, 20.1, 39, 41, 60, 85])
x = np.concatenate([x, -x, [np.nan]])
for op in ("BesselI0", "BesselI1", "BesselJ0", "BesselJ1", "BesselY0", "BesselY1", "BesselK0", "BesselK1", "BesselK0e", "BesselK1e", "Dawsn", "Expint", "FresnelCos", "FresnelSin", "Spence"):
    r.ask(op, [x])
    r.ask(op, [x[1:27].astype(np.float32)])
a, x = np.array([.01, .3, 1, 2.5, 10, 60, 900, 1e5])[:, None], np.array([1e-6, .1, .5, .95, 1.05, 2, 4])
for dt in (np.float64, np.float32):
    k = 8 if dt == np.float64 else 5  # beyond, float underflows in TensorFlow
    r.ask("RandomGammaGrad", [a.astype(dt)[:k], (a * x).astype(dt)[:k, 2:]])
    r.ask("RandomGammaGrad", [np.array([1, 0, -1, 2, np.inf, np.nan, 2], dt), np.array([0, 1, 1, -1, 1, 1, np.inf], dt)])
r.close()
