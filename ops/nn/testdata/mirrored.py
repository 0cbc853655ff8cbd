"""Writes mirrored.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

rng = np.random.default_rng(19)
r = Recorder(os.path.join(HERE, "mirrored.jsonl.gz"), isolated=True, known=True)
i32 = lambda x: np.array(x, np.int32)
image = lambda *dims: rng.integers(-8, 8, dims).astype(np.float32)
x, f = image(1, 4, 5, 2), image(3, 2, 2, 2) / 8
pads = lambda t, b, l, rr: i32([[0, 0], [t, b], [l, rr], [0, 0]])
for mode in ("REFLECT", "SYMMETRIC"):
    for p in (pads(0, 0, 0, 0), pads(1, 2, 3, 0), pads(3, 3, 4, 4), pads(4, 0, 0, 5), pads(5, 0, 0, 0), pads(-1, 0, 0, 0), pads(0, 1, 1, 0)[:3], i32([[1, 0], [0, 0], [0, 0], [0, 0]])):
        r.ask("FusedPadConv2D", [x, p, f], mode=mode, strides=[1, 1, 1, 1], padding="VALID")
        r.ask("FusedResizeAndPadConv2D", [x, i32([6, 5]), p, f], mode=mode, strides=[1, 2, 1, 1], padding="SAME")
for size in ([4, 5], [9, 3], [2, 11], [0, 3], [3], [[3, 3]]):
    for corners in (False, True):
        r.ask("FusedResizeAndPadConv2D", [x, i32(size), pads(1, 0, 1, 1), f], mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID", resize_align_corners=corners)
for dt in (np.float16, np.float64):
    r.ask("FusedPadConv2D", [x.astype(dt), pads(1, 1, 1, 1), f.astype(dt)], mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID")
    if dt == np.float64:  # half is rounded elsewhere
        r.ask("FusedResizeAndPadConv2D", [x.astype(dt), i32([6, 5]), pads(1, 1, 1, 1), f.astype(dt)], mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID")
r.ask("FusedPadConv2D", [x[0], pads(1, 1, 1, 1), f], mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID")
r.ask("FusedPadConv2D", [x, pads(1, 1, 1, 1), f[0]], mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID")
r.ask("FusedPadConv2D", [x, pads(1, 1, 1, 1), f[:, :, :1]], mode="REFLECT", strides=[1, 1, 1, 1], padding="VALID")
r.ask("FusedPadConv2D", [x, pads(1, 1, 1, 1), f], mode="REFLECT", strides=[1, 1, 1, 2], padding="VALID")
r.close()
