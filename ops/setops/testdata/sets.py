"""Writes sets.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(8)
r = Recorder(os.path.join(HERE, "sets.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)


def elements(shape, dt):
    x = rng.integers(0, 5, shape)
    return np.vectorize(lambda i: b"s%d" % i, otypes=[object])(x) if dt == object else x.astype(dt)


def sparse(dims, dt, density=0.5):
    at = np.argwhere(rng.random(dims) < density).astype(np.int64).reshape(-1, len(dims))
    return [at, elements(len(at), dt), i64(dims)]


for dt in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, object):
    for dims in [(3, 5), (2, 2, 4), (0, 3), (3, 0)]:
        r.ask("SetSize", sparse(dims, dt))
        for op in ("a-b", "b-a", "intersection", "union"):
            r.ask("DenseToDenseSetOperation", [elements(dims, dt), elements(dims[:-1] + (3,), dt)], set_operation=op)
            r.ask("DenseToSparseSetOperation", [elements(dims, dt)] + sparse(dims[:-1] + (4,), dt), set_operation=op)
v = i64([1, 2, 1])
for at, x, s in [(i64([[0, 0], [0, 1], [0, 1]]), v, i64([2, 3])), (i64([[0, 1], [0, 0], [1, 1]]), v, i64([2, 3])), (i64([[0, 1], [0, 2], [1, 9]]), v, i64([2, 3])), (i64([[0, 1], [0, 2], [9, 1]]), v, i64([2, 3])), (i64([[0, -1], [0, 2], [1, 1]]), v, i64([2, 3])),
                 (i64([0, 1, 2]), v, i64([2, 3])), (i64([[0, 1], [0, 2], [1, 1]]), v[None], i64([2, 3])), (i64([[0, 1], [0, 2], [1, 1]]), v, i64([[2, 3]])), (i64([[0, 1], [0, 2], [1, 1]]), v[:2], i64([2, 3])), (i64([[0, 1], [0, 2], [1, 1]]), v, i64([2, 3, 4])),
                 (i64([[0, 1], [0, 2], [1, 1]]), v, i64([-2, 3])), (i64([[0], [1], [2]]), v, i64([3])), (i64([[0, 1], [0, 2], [1, 1]]), v, i64([1 << 40, 1 << 40])), (np.zeros((3, 0), np.int64), v, i64([])), (i64([[0, 1], [0, 2], [1, 1]]), v, i64([2, 0]))]:
    for check in (True, False):
        if check or s.size and s.min() > 0 and s.max() < 99:
            r.ask("SetSize", [at, x, s], validate_indices=check)
            if check or at.max() < 9 or at[-1, 0] == 1:  # TensorFlow passes over rows that do not exist
                r.ask("DenseToSparseSetOperation", [i64([[1, 2], [3, 4]]), at, x, s], set_operation="union", validate_indices=check)
a = i64([[1, 2], [3, 4]])
for x, y, op in [(a, a, "xor"), (a, a, "UNION"), (a, a[0], "union"), (a[0], a, "union"), (a[0], a[0], "union"), (a, i64([[1], [2], [3]]), "union"), (a, a[None], "union"), (i64(1), i64(1), "union")]:
    r.ask("DenseToDenseSetOperation", [x, y], set_operation=op)
s = [i64([[0, 0]]), i64([7]), i64([2, 2])]
for x, op in [(a, "xor"), (a[0], "union"), (a[:1], "union"), (a[None], "union")]:
    r.ask("DenseToSparseSetOperation", [x] + s, set_operation=op)
r.close()
