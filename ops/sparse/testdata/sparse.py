"""Writes sparse.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(5)
r = Recorder(os.path.join(HERE, "sparse.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)


def elements(n, dt):
    if dt == object:
        return np.array([b"s%d" % i for i in rng.integers(0, 9, n)], object).reshape(n)
    if dt == bool:
        return rng.integers(0, 2, n).astype(bool)
    if dt in (np.complex64, np.complex128):
        return (rng.integers(-8, 9, n) / 2 + 1j * rng.integers(-8, 9, n)).astype(dt)
    if np.dtype(dt).kind == "u":
        return rng.integers(0, 200, n).astype(dt)
    return (rng.integers(-9, 10, n) / (2 if np.dtype(dt).kind == "f" else 1)).astype(dt)


def sparse(dims, density=0.4, dt=np.float32, order=True):
    at = np.argwhere(rng.random(dims) < density).astype(np.int64).reshape(-1, len(dims))
    if not order:
        rng.shuffle(at)
    return [at, elements(len(at), dt), i64(dims)]


SHAPES = [(3,), (2, 3), (4, 5), (2, 3, 2), (0, 3), (3, 0)]

# SparseToDense
for dt in (np.float32, np.int8, object, np.complex64, bool, np.float64):
    for dims in SHAPES:
        at, v, s = sparse(dims, dt=dt)
        d = elements(1, dt)[0]
        d = np.array(d, dt)
        r.ask("SparseToDense", [at, s, v, d])
        r.ask("SparseToDense", [at.astype(np.int32), s.astype(np.int32), d, d])
d0, one = np.float32(0), np.float32([1, 2])
for at, s, v in [(i64(3), i64([5]), np.float32(4)), (i64([3, 1]), i64([5]), one), (i64([1, 1]), i64([5]), one), (i64([1, 7]), i64([5]), one),
                 (i64([1, -1]), i64([5]), one), (i64([[0, 1], [0, 0]]), i64([2, 2]), one), (i64([[0, 1], [0, 1]]), i64([2, 2]), one),
                 (i64([[0, 1], [2, 1]]), i64([2, 2]), one), (i64([[0, 1], [1, -1]]), i64([2, 2]), one), (i64([[[1]]]), i64([2]), one), (i64([1, 2]), i64([2, 2]), one),
                 (i64([1, 2]), i64([[5]]), one), (i64([1, 2]), i64([-5]), one), (i64([1, 2, 3]), i64([5]), one), (i64([1, 2]), i64([5]), one[None]),
                 (i64([[]] * 2), i64([]), one), (i64([[1, 2]]), i64([1 << 40, 1 << 40]), one[:1]), (i64([[0, 1], [0, 0], [3, 3]]), i64([2, 2]), np.float32(2))]:
    for check in (True, False):
        r.ask("SparseToDense", [at, s, v, d0], validate_indices=check)
r.ask("SparseToDense", [i64([1]), i64([5]), one[:1], one])

# SparseFillEmptyRows
for dt in (np.float32, object, np.int64, bool):
    for dims in [(3, 2), (5, 4), (0, 3), (4, 3, 2), (6,), (8, 1)]:
        at, v, s = sparse(dims, density=0.2, dt=dt, order=dims[0] != 5)
        r.ask("SparseFillEmptyRows", [at, v, s, np.array(elements(1, dt)[0], dt)])
for at, v, s, d in [(i64([[0, 0]]), one[:1], i64([[3, 2]]), d0), (i64([0]), one[:1], i64([3, 2]), d0), (i64([[0, 0]]), one, i64([3, 2]), d0), (i64([[0, 0]]), one[:1], i64([3, 2]), one),
                    (i64([[5, 0]]), one[:1], i64([3, 2]), d0), (i64([[-1, 0]]), one[:1], i64([3, 2]), d0), (i64([[0, 0]]), one[:1], i64([0, 2]), d0), (i64([[0, 0]]), one[:1], i64([]), d0),
                    (i64([[0, 9]]), one[:1], i64([3, 2]), d0), (i64([[0, 0]]), one[:1], i64([-3, 2]), d0), (i64([[0, 0]]), one[:1], i64([3, 2, 2]), d0), (i64([[0, 0]]), one[:1][None], i64([3, 2]), d0),
                    (i64([[2, 0], [0, 0], [2, 1]]), np.float32([1, 2, 3]), i64([3, 2]), d0), (np.zeros((0, 2), np.int64), one[:0], i64([2, 2]), d0), (np.zeros((0, 2), np.int64), one[:0], i64([0, 2]), d0)]:
    r.ask("SparseFillEmptyRows", [at, v, s, d])
for dt in (np.float32, np.int32, np.complex64, np.uint8):
    g = elements(6, dt)
    r.ask("SparseFillEmptyRowsGrad", [i64([0, 2, 3]), g])
    r.ask("SparseFillEmptyRowsGrad", [i64([]), g])
r.ask("SparseFillEmptyRowsGrad", [i64([0, 6]), g])
r.ask("SparseFillEmptyRowsGrad", [i64([0, -1]), g])
r.ask("SparseFillEmptyRowsGrad", [i64([[0]]), g])
r.ask("SparseFillEmptyRowsGrad", [i64([0]), g[None]])
r.ask("SparseFillEmptyRowsGrad", [i64([1, 1]), g])

# SparseTensorDenseMatMul
for dt in (np.float32, np.float64, np.int32, np.complex64, np.complex128, np.float16, tf.bfloat16.as_numpy_dtype):
    for a in (False, True):
        for b in (False, True):
            for m, k, n in [(3, 4, 2), (2, 0, 3), (5, 3, 37)]:
                at, v, s = sparse((k, m) if a else (m, k), dt=dt, order=False)
                y = elements(k * n, dt).reshape((n, k) if b else (k, n))
                r.ask("SparseTensorDenseMatMul", [at.astype(np.int32) if n == 2 else at, v, s, y], adjoint_a=a, adjoint_b=b)
y = elements(8, np.float32).reshape(4, 2)
for at, v, s, b in [(i64([[0, 0]]), one, i64([3, 4]), y), (i64([[0, 4]]), one[:1], i64([3, 4]), y), (i64([[3, 0]]), one[:1], i64([3, 4]), y), (i64([[-1, 0]]), one[:1], i64([3, 4]), y),
                    (i64([[0, 0]]), one[:1], i64([3, 5]), y), (i64([[0, 0]]), one[:1], i64([3]), y), (i64([[0, 0]]), one[:1], i64([3, 4]), y[0]), (i64([0]), one[:1], i64([3, 4]), y),
                    (i64([[0, 0, 0]]), one[:1], i64([3, 4]), y), (i64([[0, 0]]), one[:1], i64([-3, 4]), y), (i64([[0, 0]]), one[:1][None], i64([3, 4]), y), (i64([[0, -1]]), one[:1], i64([3, 4]), y),
                    (i64([[0, 0]]), one[:1], i64([1 << 62, 4]), y), (i64([[0, 0], [0, 0]]), one, i64([3, 4]), y)]:
    r.ask("SparseTensorDenseMatMul", [at, v, s, b])

# SparseReorder
for dt in (np.float32, object, np.int8):
    for dims in SHAPES:
        r.ask("SparseReorder", sparse(dims, dt=dt, order=False))
for at, v, s in [(i64([0]), one[:1], i64([3])), (i64([[0]]), one[:1][None], i64([3])), (i64([[0]]), one[:1], i64([[3]])), (i64([[0]]), one, i64([3])), (i64([[0]]), one[:1], i64([3, 3])),
                 (i64([[5], [0]]), one, i64([3])), (i64([[-1], [0]]), one, i64([3])), (i64([[1], [1]]), one, i64([3])), (i64([[1], [0]]), one, i64([-3])), (i64([[1, 0], [0, 0]]), one, i64([1 << 40, 1 << 40]))]:
    r.ask("SparseReorder", [at, v, s])

# SparseReshape
for dims, new in [((2, 3), [6]), ((6,), [2, -1]), ((2, 3, 4), [-1, 4]), ((2, 3), [3, 2]), ((2, 3), [2, 3]), ((0, 3), [3, 0]), ((0, 3), [-1, 3]), ((2, 3), [4]), ((2, 3), [-1, -1]), ((2, 3), [-1, 4]),
                  ((2, 3), [-2, 3]), ((2, 3), []), ((1,), []), ((2, 3), [0, -1]), ((0,), [-1, 0])]:
    at, v, s = sparse(dims, order=False)
    r.ask("SparseReshape", [at, s, i64(new)])
for at, s, new in [(i64([0]), i64([3]), i64([3])), (i64([[0]]), i64([[3]]), i64([3])), (i64([[0]]), i64([3]), i64([[3]])), (i64([[0, 0]]), i64([3]), i64([3])), (i64([[7]]), i64([3]), i64([3, 1])),
                   (i64([[-1]]), i64([3]), i64([3, 1])), (i64([[0]]), i64([-3]), i64([3])), (i64([[0, 0]]), i64([1 << 40, 1 << 40]), i64([1 << 40, 1 << 40])), (i64([[1, 1]]), i64([1 << 31, 1 << 31]), i64([-1])),
                   (i64([[1]]), i64([4]), i64([1 << 40, 1 << 40])), (np.zeros((0, 2), np.int64), i64([4, 4]), i64([-1, 8])), (np.zeros((1, 0), np.int64), i64([]), i64([1, 1]))]:
    r.ask("SparseReshape", [at, s, new])
r.ask("SparseReshape", [i64([[0, 0]]), i64([0, 3]), i64([3, 0])])
r.ask("SparseReshape", [i64([[0, 0]]), i64([0, 3]), i64([0, 3])])

# SparseSlice
for dt in (np.float32, object, np.int16):
    for dims, start, size in [((4, 5), [1, 1], [2, 3]), ((4, 5), [0, 0], [4, 5]), ((4, 5), [3, 2], [9, 9]), ((4, 5), [4, 0], [1, 5]), ((4, 5), [9, 0], [1, 5]), ((2, 3, 2), [0, 1, 0], [2, 1, 2]), ((5,), [2], [0])]:
        r.ask("SparseSlice", sparse(dims, dt=dt) + [i64(start), i64(size)])
at, v, s = sparse((4, 5))
for start, size in [([-1, 0], [2, 2]), ([0, 0], [-1, 2]), ([0], [2]), ([0, 0], [2]), ([[0, 0]], [2, 2]), ([0, 0], [[2, 2]]), ([0, 0], [1 << 62, 1 << 62])]:
    r.ask("SparseSlice", [at, v, s, i64(start), i64(size)])
r.ask("SparseSlice", [at[0], v, s, i64([0, 0]), i64([1, 1])])
r.ask("SparseSlice", [at, v[:1], s, i64([0, 0]), i64([1, 1])])
r.ask("SparseSlice", [at, v, i64([4, 5, 6]), i64([0, 0, 0]), i64([1, 1, 1])])
r.ask("SparseSlice", [i64([[9, 9], [0, 0]]), one, s, i64([0, 0]), i64([8, 8])])

# SparseConcat
for dt in (np.float32, object, np.bool_):
    for shapes, d in [([(2, 3), (2, 3)], 0), ([(2, 3), (2, 1), (2, 4)], 1), ([(2, 3), (2, 1)], -1), ([(2, 0), (2, 3)], 1), ([(2, 3, 2), (2, 1, 2)], 1), ([(3,), (4,)], 0), ([(2, 3), (4, 3)], -2)]:
        parts = list(zip(*[sparse(x, dt=dt, order=len(x) != 2) for x in shapes]))
        r.ask("SparseConcat", [list(p) for p in parts], concat_dim=d)
one1 = (i64([[0, 0]]), one[:1], i64([2, 3]))
for other, d in [((i64([[0, 0]]), one[:1], i64([3, 3])), 1), ((i64([[0]]), one[:1], i64([3])), 0), (one1, 2), (one1, -3), ((i64([0, 0]), one[:1], i64([2, 3])), 0), ((i64([[0, 0]]), one[:1][None], i64([2, 3])), 0),
                 ((i64([[0, 0]]), one[:1], i64([[2, 3]])), 0), ((i64([[0, 0]]), one, i64([2, 3])), 0), ((i64([[0, 0, 0]]), one[:1], i64([2, 3])), 0), ((i64([[5, 0]]), one[:1], i64([2, 3])), 0), ((i64([[-5, 0]]), one[:1], i64([2, 3])), 0),
                 ((i64([[0, 0]]), one[:1], i64([(1 << 63) - 1, 3])), 0), ((i64([[0, 0]]), one[:1], i64([-1, 3])), 0), ((i64([[0, 0]]), one[:1], i64([1 << 40, 3])), 0)]:
    r.ask("SparseConcat", [list(p) for p in zip(one1, other)], concat_dim=d)

# SparseSplit
for dt in (np.float32, object):
    for dims, d, n in [((4, 5), 0, 2), ((4, 5), 1, 2), ((4, 5), 1, 3), ((4, 5), -1, 5), ((4, 5), 0, 5), ((2, 3, 2), 1, 2), ((5,), 0, 1), ((0, 3), 1, 2), ((4, 5), 2, 2), ((4, 5), -3, 2), ((4, 5), 1, 4)]:
        r.ask("SparseSplit", [i64(d)] + sparse(dims, dt=dt, order=n != 3), num_split=n)
for at, v, s in [(i64([[0, 9], [0, 0]]), one, i64([2, 4])), (i64([[0, -1], [0, 0]]), one, i64([2, 4])), (i64([0, 0]), one, i64([2, 4])), (i64([[0, 0]]), one, i64([2, 4])), (i64([[0, 0]]), one[:1], i64([2, 4, 4])),
                 (i64([[0, 0]]), one[:1], i64([[2, 4]])), (i64([[0, 0]]), one[:1], i64([2, -4])), (i64([[0, 0]]), one[:1], i64([2, 0])), (i64([[9, 0]]), one[:1], i64([2, 4]))]:
    r.ask("SparseSplit", [i64(1), at, v, s], num_split=2)
r.ask("SparseSplit", [i64([1]), i64([[0, 0]]), one[:1], i64([2, 4])], num_split=2)
r.close()
