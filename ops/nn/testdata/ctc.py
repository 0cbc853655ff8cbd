"""Writes ctc.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

rng = np.random.default_rng(7)


def x(*shape, dt=np.float32):
    return rng.standard_normal(shape).astype(dt)


def i32(*v):
    return np.array(v, np.int32)


r = Recorder(os.path.join(HERE, "ctc.jsonl.gz"))
for dt in (np.float32, np.float64):
    a = np.round(x(7, 3, 5, dt=dt) * 2, 1)
    for merge in (False, True):
        for blank in (-1, 0, 2):
            r.ask("CTCGreedyDecoder", [a, i32(7, 4, 0)], merge_repeated=merge, blank_index=blank)
    idx = np.array([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]])
    for labels in (i32(0, 1, 3, 2, 2, 1), i32(1, 1, 1, 0, 4, 3)):
        for lengths in (i32(7, 5, 3), i32(3, 4, 1), i32(7, 0, 2)):
            for merge in (True, False):
                for collapse in (True, False):
                    for skip in (True, False):
                        r.ask("CTCLoss", [a, idx, labels, lengths], ctc_merge_repeated=merge, preprocess_collapse_repeated=collapse, ignore_longer_outputs_than_inputs=skip)
r.ask("CTCLoss", [a, idx, i32(0, 1, 3, 2, 2, 1), i32(2, 5, 3)])
r.ask("CTCLoss", [a, idx, i32(0, 1, 3, 2, 2, 1), i32(2, 5, 3)], ignore_longer_outputs_than_inputs=True)
r.ask("CTCLoss", [a, idx, i32(0, -1, 3, 2, 2, 1), i32(5, 5, 3)])
r.ask("CTCLoss", [a, idx, i32(4, 1, 3, 2, 2, 1), i32(5, 5, 3)])
r.ask("CTCLoss", [a, idx[:5], i32(4, 1, 3, 2, 2), i32(5, 5, 3)])
r.ask("CTCLoss", [a, idx, i32(0, 1, 3, 2, 2, 1), i32(8, 5, 3)])
r.ask("CTCLoss", [a, idx, i32(0, 1, 3, 2, 2), i32(5, 5, 3)])
r.ask("CTCGreedyDecoder", [a, i32(8, 5, 3)])
r.ask("CTCGreedyDecoder", [a, i32(5, 3)])
r.ask("CTCGreedyDecoder", [a, i32(5, 3, 1)], blank_index=7)
r.close()
