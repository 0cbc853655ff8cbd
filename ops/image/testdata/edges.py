"""Writes edges.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "edges.jsonl.gz"), isolated=True)
nan, inf = np.nan, np.inf
for h, w, to in ((1, 1, (2, 2)), (1, 3, (4, 3)), (3, 1, (2, 5)), (1, 1, (1, 1)), (2, 2, (5, 7)), (1, 4, (3, 2)), (5, 4, (2, 3)), (1, 2, (1, 3))):
    for corners in (False, True):
        x = 5 + np.arange(h * w * 2, dtype=np.float32).reshape(1, h, w, 2)
        r.ask("ResizeArea", [x, np.array(to, np.int32)], align_corners=corners)
image = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
for box in ([nan, 0, 1, 1], [0, 0, 1, inf], [0, -inf, 1, 1], [0, 0, 1, 1]):
    r.ask("CropAndResize", [image, np.array([box], np.float32), np.array([0], np.int32), np.array([2, 2], np.int32)])
    r.ask("CropAndResizeGradImage", [np.ones((1, 2, 2, 1), np.float32), np.array([box], np.float32), np.array([0], np.int32), np.array([1, 3, 4, 1], np.int32)], T=tf.float32)
    r.ask("CropAndResizeGradBoxes", [np.ones((1, 2, 2, 1), np.float32), image, np.array([box], np.float32), np.array([0], np.int32)])
r.close()
