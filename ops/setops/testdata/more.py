"""Writes more.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(4)
r = Recorder(os.path.join(HERE, "more.jsonl.gz"), isolated=True)


def sparse(dims, dtype, share=0.6):
    where = np.argwhere(rng.random(dims) < share).astype(np.int64).reshape(-1, len(dims))
    x = rng.integers(0, 4, len(where)).astype(np.int64)
    x = np.array([b"abcd"[i:i + 1] for i in x], object) if dtype is object else x.astype(dtype)
    return [where, x, np.array(dims, np.int64)]


for dtype in (np.int32, object):
    for op in ("a-b", "b-a", "intersection", "union"):
        for a, b in (((3, 4), (3, 2)), ((2, 2, 3), (2, 2, 4)), ((4, 1), (4, 1))):
            r.ask("SparseToSparseSetOperation", sparse(a, dtype) + sparse(b, dtype, 0.4), set_operation=op)
r.ask("SparseToSparseSetOperation", sparse((3, 4), np.int32) + sparse((2, 4), np.int32), set_operation="union")
r.ask("SparseToSparseSetOperation", sparse((3, 4), np.int32) + sparse((3, 4, 1), np.int32), set_operation="union")
r.ask("SparseToSparseSetOperation", sparse((3, 4), np.int32, 0) + sparse((3, 4), np.int32, 0), set_operation="union")
r.close()
