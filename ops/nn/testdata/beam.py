"""Writes beam.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(17)
r = Recorder(os.path.join(HERE, "beam.jsonl.gz"), isolated=True)
i32 = lambda x: np.array(x, np.int32)
for dt in (np.float32, np.float64):
    for steps, batch, classes in ((1, 1, 2), (4, 2, 3), (7, 3, 5), (12, 1, 4), (3, 1, 1), (20, 2, 6)):
        for width, paths in ((1, 1), (3, 2), (10, 3), (40, 1)):
            for merge in (False, True):
                x = (3 * rng.standard_normal((steps, batch, classes))).astype(dt)
                r.ask("CTCBeamSearchDecoder", [x, rng.integers(0 if paths == 1 else steps, steps + 1, batch).astype(np.int32)], beam_width=width, top_paths=paths, merge_repeated=merge)
x = rng.standard_normal((3, 2, 3)).astype(np.float32)
n = i32([3, 2])
for a, b, width, paths in ((x, n, 2, 3), (x, n, 0, 1), (x, n, 2, 0), (x[0], n, 2, 1), (x, n[:1], 2, 1), (x, i32([4, 2]), 2, 1), (x[:0], i32([0, 0]), 2, 1), (x[:, :0], n[:0], 2, 1), (x[:, :, :0], n, 2, 1), (x, i32([0, 0]), 5, 2), (x, n[None], 2, 1), (np.where(x > 1, np.nan, x), n, 2, 1), (np.where(x > 1, np.inf, x), n, 2, 1), (np.full((3, 2, 3), -np.inf, np.float32), n, 2, 1)):
    r.ask("CTCBeamSearchDecoder", [a, b], beam_width=width, top_paths=paths)
r.close()
