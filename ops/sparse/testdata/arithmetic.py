"""Writes arithmetic.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(6)
r = Recorder(os.path.join(HERE, "arithmetic.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)
bf = tf.bfloat16.as_numpy_dtype


def elements(n, dt):
    if dt in (np.complex64, np.complex128):
        return (rng.integers(-8, 9, n) / 2 + 1j * rng.integers(-8, 9, n)).astype(dt)
    if np.dtype(dt).kind == "u":
        return rng.integers(0, 200, n).astype(dt)
    return (rng.integers(-9, 10, n) / (2 if np.dtype(dt).kind not in "iu" else 1)).astype(dt)


def sparse(dims, density=0.5, dt=np.float32, order=True):
    at = np.argwhere(rng.random(dims) < density).astype(np.int64).reshape(-1, len(dims))
    if not order:
        rng.shuffle(at)
    return [at, elements(len(at), dt), i64(dims)]


SHAPES = [(5,), (3, 4), (2, 3, 2), (0, 3)]
one = np.float32([1, 2])
ok = [i64([[0, 0], [1, 1]]), one, i64([2, 2])]
bad = [[i64([0, 0]), one, i64([2, 2])], [i64([[0, 0]]), one, i64([2, 2])], [i64([[0, 0], [1, 1]]), one[None], i64([2, 2])], [i64([[0, 0], [1, 1]]), one, i64([[2, 2]])],
       [i64([[0, 0], [1, 1]]), one, i64([2, 2, 2])], [i64([[0, 0], [1, 1]]), one, i64([2])], [i64([[0, 0], [1, 5]]), one, i64([2, 2])], [i64([[0, 0], [-1, 1]]), one, i64([2, 2])],
       [i64([[1, 1], [0, 0]]), one, i64([2, 2])], [i64([[1, 1], [1, 1]]), one, i64([2, 2])], [i64([[0, 0], [1, 1]]), one, i64([-2, 2])], [i64([[0, 0], [1, 1]]), one, i64([1 << 40, 1 << 40])], [i64([[0, 0], [1, 1]]), one, i64([3, 2])],
       [np.zeros((0, 2), np.int64), one[:0], i64([2, 2])], [np.zeros((2, 0), np.int64), one, i64([])]]

# SparseAdd
for dt in (np.float32, np.float64, np.int8, np.int64, np.complex64, np.complex128):
    real = {np.complex64: np.float32, np.complex128: np.float64}.get(dt, dt)
    for dims in SHAPES:
        for thresh in (0, 1, 3):
            r.ask("SparseAdd", sparse(dims, dt=dt) + sparse(dims, dt=dt) + [np.array(thresh, real)])
for b in bad:
    r.ask("SparseAdd", ok + b + [np.float32(0)])
    r.ask("SparseAdd", b + ok + [np.float32(0)])
r.ask("SparseAdd", ok + ok + [np.float32([0])])
r.ask("SparseAdd", [ok[0], np.float32([np.nan, 1]), ok[2]] + ok + [np.float32(0)])

# SparseSparseMaximum, SparseSparseMinimum
for op in ("SparseSparseMaximum", "SparseSparseMinimum"):
    for dt in (np.float32, np.float64, np.int8, np.uint8, np.int64, np.float16, bf):
        for dims in SHAPES:
            r.ask(op, sparse(dims, dt=dt) + sparse(dims, dt=dt))
    for b in bad:
        r.ask(op, ok + b)
        r.ask(op, b + ok)
    r.ask(op, [ok[0], np.float32([np.nan, 1]), ok[2]] + ok)

# SparseTensorDenseAdd
for dt in (np.float32, np.int8, np.complex64, np.float16, bf, np.uint16):
    for dims in SHAPES:
        at, v, s = sparse(dims, dt=dt, order=False)
        d = elements(int(np.prod(dims)), dt).reshape(dims)
        r.ask("SparseTensorDenseAdd", [at, v, s, d])
        r.ask("SparseTensorDenseAdd", [at.astype(np.int32), v, s.astype(np.int32), d])
d22 = np.float32([[1, 2], [3, 4]])
for b in bad:
    r.ask("SparseTensorDenseAdd", b + [d22])
r.ask("SparseTensorDenseAdd", ok + [d22[0]])
r.ask("SparseTensorDenseAdd", ok + [d22[None]])

# SparseDenseCwise
for op in ("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"):
    for dt in (np.float32, np.float64, np.int32, np.uint8, np.float16, bf):
        for dims, dd in [((5,), (5,)), ((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 4), (3, 1)), ((2, 3, 2), (3, 1)), ((2, 3, 2), ()), ((0, 3), (3,)), ((3, 4), (1, 4))]:
            d = elements(int(np.prod(dd)), dt).reshape(dd)
            d = np.where(d == 0, np.array(3, dt), d) if op.endswith("Div") and np.dtype(dt).kind in "iu" else d
            r.ask(op, sparse(dims, dt=dt) + [d.astype(dt)])
    for b in bad:
        r.ask(op, b + [d22])
    for d in (np.ones(3, np.float32), np.ones((1, 2, 2), np.float32), np.ones((2, 2, 2), np.float32), np.ones((0, 2), np.float32)):
        r.ask(op, ok + [d])

# SparseReduce
for op in ("SparseReduceSum", "SparseReduceMax"):
    for dt in (np.float32, np.float64, np.int8, np.uint16, np.int64, np.float16, bf) + ((np.complex64,) if op == "SparseReduceSum" else ()):
        for dims in SHAPES + [(2, 3, 2, 2)]:
            for axes in ([], [0], [-1], [0, 1], [1], [0, 0], [0, -1], [len(dims)], [-len(dims) - 1], list(range(len(dims)))):
                if dt not in (np.float32, np.int8) and len(axes) > 1:
                    continue
                r.ask(op, sparse(dims, dt=dt, order=len(axes) != 1) + [np.array(axes, np.int32)], keep_dims=len(axes) == 2)
    for b in bad:
        r.ask(op, b + [np.array([0], np.int32)])
    for axes in (3, [[0, 1]]):
        r.ask(op, ok + [np.array(axes, np.int32)])
    r.ask(op, ok + [np.array(1, np.int32)])

# SparseSoftmax
for dt in (np.float32, np.float64, np.float16):
    for dims in SHAPES[1:] + [(2, 2, 3, 4)]:
        r.ask("SparseSoftmax", sparse(dims, dt=dt))
for b in bad + [[i64([[0], [1]]), one, i64([2])], [ok[0], np.float32([np.inf, np.nan]), ok[2]], [i64([[0, 0], [0, 1]]), np.float32([np.inf, 3]), ok[2]], [i64([[0, 0], [0, 1]]), np.float32([-np.inf] * 2), ok[2]]]:
    r.ask("SparseSoftmax", b)
r.close()
