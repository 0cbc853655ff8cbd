"""Writes more.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "more.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)
i32 = lambda x: np.array(x, np.int32)
f32 = lambda x: np.array(x, np.float32)

at, x, shape = i64([[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 2, 1]]), f32([1, -2, 3, 4]), i64([2, 3, 2])
for op in ("SparseReduceSumSparse", "SparseReduceMaxSparse"):
    for axes in ([0], [1], [2], [0, 2], [0, 1, 2], [], [-1], 1, [3], [[1]]):
        for keep in (False, True):
            r.ask(op, [at, x, shape, i32(axes)], keep_dims=keep)
    r.ask(op, [at[:0], x[:0], shape, i32([0])])
    r.ask(op, [at, x[:3], shape, i32([0])])
    r.ask(op, [at[0], x, shape, i32([0])])

for rows, values, n in (([0, 2, 2, 3], [1, 2, 3, 4], 5), ([], [], 3), ([0, 1], [1, 2], 2), ([1, 0], [1, 2], 3), ([0, 5], [1, 2], 3), ([0, -1], [1, 2], 3), ([0], [1, 2], 3), ([[0]], [1], 3), ([0], [1], -3), ([0], [1], 0)):
    r.ask("RaggedFillEmptyRows", [i64(rows), f32(values), i64(n), f32(9)])
r.ask("RaggedFillEmptyRows", [i64([1]), np.array([b"a"], object), i64(2), b"z"])
r.ask("RaggedFillEmptyRows", [i64([1]), f32([1]), i64([2]), f32(9)])
r.ask("RaggedFillEmptyRows", [i64([1]), f32([1]), i64(2), f32([9])])
for places, grad in (([0, 2, 3], [1, 2, 3, 4, 5]), ([], [1, 2]), ([7], [1, 2]), ([[0]], [1])):
    r.ask("RaggedFillEmptyRowsGrad", [i64(places), f32(grad)])
r.close()
