"""Writes recurrent.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

rng = np.random.default_rng(4)


def x(*shape, dt=np.float32):
    return rng.standard_normal(shape).astype(dt)


def value(out):
    head, _, rest = out.partition(" ")
    return np.array([float(v) for v in rest.split()], np.float32).reshape(eval(head[head.index("["):]))


r = Recorder(os.path.join(HERE, "recurrent.jsonl.gz"))
T, B, I, C = 3, 2, 5, 4
for dt in (np.float32, np.float16):
    for kw in (dict(), dict(use_peephole=True, cell_clip=0.5, forget_bias=0.3), dict(cell_clip=-1.0)):
        weights = [x(I + C, 4 * C, dt=dt), x(C, dt=dt), x(C, dt=dt), x(C, dt=dt), x(4 * C, dt=dt)]
        state = [x(B, C, dt=dt), x(B, C, dt=dt)]
        r.ask("LSTMBlockCell", [x(B, I, dt=dt)] + state + weights, **kw)
        xs = x(T, B, I, dt=dt)
        out = r.ask("BlockLSTM", [np.int64(3), xs] + state + weights, **kw)["Out"]
        for n in (3, 2):
            if dt == np.float32:
                r.ask("BlockLSTMGradV2", [np.int64(n), xs] + state + weights + [value(o) for o in out] + [x(T, B, C), x(T, B, C)], use_peephole=kw.get("use_peephole", False))
for B in (1, 3):
    args = [x(B, I), x(B, C), x(I + C, 2 * C), x(I + C, C), x(2 * C), x(C)]
    out = r.ask("GRUBlockCell", args)["Out"]
    r.ask("GRUBlockCellGrad", args + [value(o) for o in out[:3]] + [x(B, C)])
r.ask("GRUBlockCell", args[:5] + [x(3)])
r.ask("LSTMBlockCell", [x(B, 4), x(B, C), x(B, C)] + [w.astype(np.float32) for w in weights])
r.close()
