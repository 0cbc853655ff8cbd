"""Writes ragged.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(7)
r = Recorder(os.path.join(HERE, "ragged.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)
i32 = lambda x: np.array(x, np.int32)
f32 = lambda x: np.array(x, np.float32)


def elements(shape, dt):
    n = int(np.prod(shape))
    if dt == object:
        return np.array([b"s%d" % i for i in rng.integers(0, 9, n)], object).reshape(shape)
    if dt == bool:
        return rng.integers(0, 2, n).astype(bool).reshape(shape)
    return (rng.integers(0, 40, n) / (2 if np.dtype(dt).kind == "f" else 1)).astype(dt).reshape(shape)


def splits(rows, dt=np.int64, most=4):
    return np.concatenate([[0], np.cumsum(rng.integers(0, most, rows))]).astype(dt)


# RaggedTensorToTensor
def to_dense(shape, values, default, parts, types):
    r.ask("RaggedTensorToTensor", [shape, values, default, parts], row_partition_types=types)


for dt in (np.float32, object, np.int8, bool, np.complex64):
    for rows in (0, 1, 3, 5):
        s = splits(rows)
        v = elements((int(s[-1]),), dt)
        d = elements((), dt)
        for shape in ([-1, -1], [-1, 2], [2, -1], [7, 7], [0, -1]):
            to_dense(i64(shape), v, d, [s], ["ROW_SPLITS"])
        to_dense(i32([-1, -1]), v, d, [s.astype(np.int32)], ["ROW_SPLITS"])
        to_dense(i64(-1), v, d, [s], ["ROW_SPLITS"])
        ids = np.repeat(np.arange(rows), np.diff(s)).astype(np.int64)
        to_dense(i64([-1, -1]), v, d, [i64(rows), ids], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
        to_dense(i64([2, 2]), v, d, [i64(rows), ids], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
for rows in (0, 2, 4):
    s = splits(rows)
    t = splits(int(s[-1]))
    v = elements((int(t[-1]), 2), np.float32)
    for d in (f32(5), f32([5, 6]), f32([5])):
        for shape in ([-1, -1, -1, 2], [-1, -1, -1, -1], [3, 2, 2, 2], [-1, -1, 1, 2], -1):
            to_dense(i64(shape), v, d, [s, t], ["ROW_SPLITS", "ROW_SPLITS"])
    ids = np.repeat(np.arange(len(t) - 1), np.diff(t)).astype(np.int64)
    to_dense(i64([-1, -1, -1, 2]), v, f32(5), [s, ids], ["ROW_SPLITS", "VALUE_ROWIDS"])
v, s = f32([1, 2, 3]), i64([0, 2, 3])
ROW = ["ROW_SPLITS"]
for shape, values, d, parts, types in [
    (i64([-1, -1]), v, f32(0), [i64([0, 2])], ROW), (i64([-1, -1]), v, f32(0), [i64([1, 2, 3])], ROW),
    (i64([-1, -1]), v, f32(0), [i64([0, 2, 1])], ROW), (i64([-1, -1]), v, f32(0), [i64([0, -2, 3])], ROW), (i64([-1, -1]), v, f32(0), [i64([])], ROW),
    (i64([-1, -1]), v, f32(0), [s, s], ROW), (i64([-1, -1]), v, f32(0), [s], ["ROW_LENGTHS"]), (i64([-1, -1]), v, f32(0), [s], ["X"]),
    (i64([-1, -1]), v, f32(0), [s], []), (i64([-1, -1, -1]), v, f32(0), [s], ROW), (i64([-1]), v, f32(0), [s], ROW), (i64([[-1, -1]]), v, f32(0), [s], ROW), (i64([-2, -1]), v, f32(0), [s], ROW),
    (i64([-1, -1]), v, f32([0, 0]), [s], ROW), (i64([-1, -1]), f32(3), f32(0), [s], ROW), (i64([-1, -1, 3]), f32([[1, 2]] * 3), f32(0), [s], ROW), (i64([-1, -1, 2]), f32([[1, 2]] * 3), f32([0, 0, 0]), [s], ROW),
    (i64([-1, -1]), v, f32(0), [i64(2), i64([0, 0, 1])], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]), (i64([-1, -1]), v, f32(0), [i64(1), i64([0, 0, 1])], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]),
    (i64([-1, -1]), v, f32(0), [i64(2), i64([0, 0, -1])], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]),
    (i64([-1, -1]), v, f32(0), [i64(-2), i64([0, 0, 0])], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]), (i64([-1, -1]), v, f32(0), [i64(2), i64([0, 0])], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]),
    (i64([-1, -1]), v, f32(0), [i64(2), s], ["FIRST_DIM_SIZE", "ROW_SPLITS"]), (i64([-1, -1]), v, f32(0), [i64([0, 0, 1])], ["VALUE_ROWIDS"]), (i64([-1, -1]), v, f32(0), [i64([2, 2]), i64([0, 0, 1])], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]),
    (i64([-1, 2]), v, f32(0), [i64([0, 3, 3])], ROW), (i64([1 << 40, 1 << 40]), v, f32(0), [s], ROW), (i64([-1, -1]), v, f32(0), [i64([0, 2, 3, 3])], ROW), (i64([-1, -1]), v, f32(0), [i64(2), i64([0, 0, 5])], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]),
    (i64([-1, -1, -1]), v, f32(0), [i64([0, 1, 5]), i64([0, 1, 2, 3])], ROW * 2), (i64([-1, -1, -1]), v, f32(0), [i64([0, 1, 2]), i64([0, 1, 2, 3])], ROW * 2), (i64([-1, -1]), f32([]), f32(0), [i64([0])], ROW)]:
    to_dense(shape, values, d, parts, types)

# RaggedBincount
for Tidx in (np.int32, np.int64):
    for dt in (np.float32, np.float64, np.int32, np.int64):
        for binary in (False, True):
            s = splits(4, most=6)
            v = rng.integers(0, 7, int(s[-1])).astype(Tidx)
            r.ask("RaggedBincount", [s, v, Tidx(5), elements(v.shape, dt)], binary_output=binary)
            r.ask("RaggedBincount", [s, v, Tidx(8), elements((0,), dt)], binary_output=binary)
v = i32([1, 2, 3])
for s, v, size, w in [(i64([0, 3]), v, i32(-1), f32([])), (i64([0, 3]), v, i32([3]), f32([])), (i64([0, 2]), v, i32(3), f32([])), (i64([1, 3]), v, i32(3), f32([])), (i64([0, 5]), v, i32(3), f32([])), (i64([]), v, i32(3), f32([])),
                      (i64([0, 3]), i32([1, -2, 3]), i32(3), f32([])), (i64([0, 3, 2]), v, i32(3), f32([])), (i64([[0, 3]]), v, i32(3), f32([])),
                      (i64([0, 3]), v[None], i32(3), f32([])), (i64([0, 3]), v, i32(0), f32([])), (i64([0]), v[:0], i32(3), f32([])), (i64([0]), v, i32(3), f32([])), (i64([0, 3]), v, i32(5), f32([[1, 2, 3]]))]:
    r.ask("RaggedBincount", [s, v, size, w])

# The counts that are sparse
for op in ("RaggedCountSparseOutput", "DenseCountSparseOutput", "SparseCountSparseOutput"):
    for Tidx in (np.int32, np.int64):
        for dt in (np.float32, np.int64, np.float64, np.int32):
            for binary in (False, True):
                for lo, hi in ((-1, -1), (9, -1), (2, -1), (-1, 4), (6, 3), (0, 0)):
                    if Tidx == np.int64 and lo == 2:
                        continue
                    for weighted in (False, True):
                        if op[0] == "R":
                            s = splits(3, most=5)
                            v = rng.integers(0, 7, int(s[-1])).astype(Tidx)
                            first = [s, v]
                        elif op[0] == "D":
                            v = rng.integers(0, 7, (5,) if lo < 0 else (3, 4)).astype(Tidx)
                            first = [v]
                        else:
                            dims = (9,) if lo < 0 else (4, 4)
                            at = np.argwhere(rng.random(dims) < 0.5).astype(np.int64).reshape(-1, len(dims))
                            v = rng.integers(0, 7, len(at)).astype(Tidx)
                            first = [at, v, i64(dims)]
                        r.ask(op, first + [elements(v.shape if weighted else (0,), dt)], minlength=lo, maxlength=hi, binary_output=binary)
one = i32([1, 2, 3])
for first, w in [([i64([0, 2]), one], []), ([i64([1, 3]), one], []), ([i64([]), one], []), ([i64([0, 3]), one[None]], []), ([i64([0, 3]), i32([1, -1, 0])], []), ([i64([0, 3]), one], [1, 2]), ([i64([0]), one[:0]], []), ([i64([[0, 3]]), one], []), ([i64([0, 9]), one], [])]:
    r.ask("RaggedCountSparseOutput", first + [f32(w)], binary_output=False)
for x, w in [(i32(3), []), (i32([[[1]]]), []), (i32([1, -1]), []), (one, [1, 2]), (i32([]), []), (i32([[], []]), []), (one, [[1, 2, 3]])]:
    r.ask("DenseCountSparseOutput", [x, f32(w)], binary_output=False)
for at, x, s, w in [(i64([[0], [1], [2]]), one, i64([3]), [1, 2]), (i64([[0], [1], [2]]), i32([1, -1, 2]), i64([3]), []), (i64([[0, 0], [0, 1], [2, 0]]), one, i64([2, 2]), []), (i64([[0, 0], [0, 1], [-1, 0]]), one, i64([2, 2]), []), (i64([0, 1, 2]), one, i64([3]), []),
                    (i64([[0], [1]]), one, i64([3]), []), (i64([[0], [1], [2]]), one[None], i64([3]), []), (i64([[0], [1], [2]]), one, i64([3, 3]), []), (i64([[0, 0, 0], [0, 1, 0], [1, 0, 0]]), one, i64([2, 2, 2]), []), (i64([[0, 0], [0, 1], [1, 0]]), one, i64([2, 2]), []),
                    (i64([[1, 0], [0, 1], [1, 1]]), one, i64([2, 2]), []), (np.zeros((0, 1), np.int64), one[:0], i64([0]), []), (np.zeros((0, 2), np.int64), one[:0], i64([0, 2]), []), (i64([[0, 0], [0, 1], [1, 0]]), one, i64([[2, 2]]), []), (i64([[0], [1], [9]]), one, i64([3]), []),
                    (i64([[0, 0], [0, 9], [1, 0]]), one, i64([2, 2]), []), (np.zeros((0, 2), np.int64), one[:0], i64([-1, 2]), []), (np.zeros((0, 0), np.int64), one[:0], i64([]), [])]:
    r.ask("SparseCountSparseOutput", [at, x, s, f32(w)], binary_output=False)
    if at.shape[-1] in (1, 2):
        r.ask("SparseBincount", [at, x, s, i32(5), f32(w)])
for Tidx in (np.int32, np.int64):
    for dt in (np.float32, np.int64, np.float64, np.int32):
        for binary in (False, True):
            for dims in ((9,), (4, 4)):
                at = np.argwhere(rng.random(dims) < 0.5).astype(np.int64).reshape(-1, len(dims))
                v = rng.integers(0, 7, len(at)).astype(Tidx)
                r.ask("SparseBincount", [at, v, i64(dims), Tidx(5), elements(v.shape, dt)], binary_output=binary)
                r.ask("SparseBincount", [at, v, i64(dims), Tidx(9), elements((0,), dt)], binary_output=binary)
for size in (i32(-1), i32([3])):
    r.ask("SparseBincount", [i64([[0]]), i32([1]), i64([3]), size, f32([])])

# RaggedRange
for dt in (np.float32, np.float64, np.int32, np.int64):
    for T in (tf.int32, tf.int64):
        a = lambda x: np.array(x, dt)
        for s, l, d in [(a([0, 5, 8]), a([3, 5, 2]), a([1, 1, -2])), (a(0), a([3, 5, 0]), a(1)), (a([1, 2]), a(9), a([2, 3])), (a(2), a(7), a(2)), (a([]), a([]), a([])), (a([0]), a([3]), a([0])), (a([[0]]), a([3]), a([1])), (a([0, 1]), a([3, 4, 5]), a(1)), (a([5]), a([0]), a([1])), (a([0]), a([5]), a([-1]))]:
            r.ask("RaggedRange", [s, l, d], Tsplits=T)
r.ask("RaggedRange", [f32([0]), f32([1]), f32([0.3])])
r.ask("RaggedRange", [f32([np.nan]), f32([1]), f32([0.3])])
r.ask("RaggedRange", [f32([0]), f32([1e30]), f32([1e-30])])
r.ask("RaggedRange", [i64([-(1 << 63)]), i64([(1 << 63) - 1]), i64([1])])
r.ask("RaggedRange", [i32([0] * 3), i32([1 << 30] * 3), i32([1] * 3)], Tsplits=tf.int32)
r.ask("RaggedRange", [i64([-(1 << 63)]), i64([(1 << 63) - 1]), i64([1 << 62])])

# RaggedGather
for T in (np.int32, np.int64):
    for dt in (np.float32, object, np.int8):
        s = splits(4, T)
        v = elements((int(s[-1]),), dt)
        for at in (i32([0, 3, 3, 1]), i32([]), i64([[0, 1], [2, 2]]), i64(1)):
            r.ask("RaggedGather", [[s], v, at], OUTPUT_RAGGED_RANK=at.ndim)
        t = splits(int(s[-1]), T)
        w = elements((int(t[-1]), 2), dt)
        for at in (i32([0, 3, 3, 1]), i64([[0, 1], [2, 2]]), i64(1)):
            r.ask("RaggedGather", [[s, t], w, at], OUTPUT_RAGGED_RANK=at.ndim + 1)
s, v = i64([0, 2, 3]), f32([1, 2, 3])
for parts, v, at, n in [([s], v, i32([2]), 1), ([s], v, i32([-1]), 1), ([i64([0, 2, 9])], v, i32([1]), 1), ([i64([1, 2, 3])], v, i32([1]), 1), ([i64([0, 2, 1])], v, i32([1]), 1), ([i64([])], v, i32([0]), 1), ([i64([[0, 3]])], v, i32([0]), 1), ([s], f32(3), i32([0]), 1),
                        ([s], v, i32([0]), 2), ([s], v, i32([[0]]), 1), ([i64([0, -1, 3])], v, i32([0]), 1), ([s, i64([0, 1])], v, i32([0]), 2), ([s, i64([0, 1, 2, 9])], v, i32([1]), 2), ([s], v, i32(0), 0), ([i64([0, 2])], v, i32([0]), 1)]:
    r.ask("RaggedGather", [parts, v, at], OUTPUT_RAGGED_RANK=n)

# RaggedTensorToSparse
for T in (np.int32, np.int64):
    for dt in (np.float32, object, bool):
        for rows in (0, 1, 4):
            s = splits(rows, T)
            r.ask("RaggedTensorToSparse", [[s], elements((int(s[-1]),), dt)])
            r.ask("RaggedTensorToSparse", [[s], elements((int(s[-1]), 2), dt)])
            t = splits(int(s[-1]), T)
            r.ask("RaggedTensorToSparse", [[s, t], elements((int(t[-1]),), dt)])
            r.ask("RaggedTensorToSparse", [[s, t], elements((int(t[-1]), 2, 2), dt)])
v = f32([1, 2, 3])
for parts, v in [([i64([0, 2])], v), ([i64([0, 9])], v), ([i64([1, 3])], v), ([i64([0, 2, 1, 3])], v), ([i64([])], v), ([i64([0, 3])], f32(3)), ([i64([0, -1, 3])], v), ([i64([0, 1]), i64([0, 1, 3])], v), ([i64([0, 5]), i64([0, 1, 3])], v), ([i64([0, 0, 0])], v[:0]), ([i64([0, 3])], np.zeros((3, 0), np.float32))]:
    r.ask("RaggedTensorToSparse", [parts, v])
r.close()
