"""Writes cells.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(3)
r = Recorder(os.path.join(HERE, "cells.jsonl.gz"))
x = lambda *shape: rng.normal(size=shape).astype(np.float32).round(2)
T, B, I, C = 3, 2, 2, 3
for peephole in (False, True):
    state, weights = [x(B, C), x(B, C)], [x(I + C, 4 * C), x(C), x(C), x(C), x(4 * C)]
    r.ask("BlockLSTMV2", [np.int64(2), x(T, B, I)] + state + weights, use_peephole=peephole)
    r.ask("BlockLSTMV2", [np.int64(3), x(T, B, I)] + state + weights, use_peephole=peephole, cell_clip=0.3)
    r.ask("LSTMBlockCellGrad", [x(B, I)] + state + weights + [x(B, C) for _ in range(8)], use_peephole=peephole)
r.ask("LSTMBlockCellGrad", [x(B, I)] + state + weights + [x(B, C) for _ in range(7)] + [x(B, C + 1)], use_peephole=False)
r.close()
