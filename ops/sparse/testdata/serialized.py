"""Writes serialized.jsonl.gz; see kernel/kerneltest/testdata/record.py. What is
read was serialized by TensorFlow."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(15)
r = Recorder(os.path.join(HERE, "serialized.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)


def proto(x):
    return tf.make_tensor_proto(x).SerializeToString()


def sparse(dims, dt=np.float32):
    at = np.argwhere(rng.random(dims) < 0.4).astype(np.int64).reshape(-1, len(dims))
    v = np.array([b"s%d" % i for i in range(len(at))], object) if dt == object else rng.integers(0, 9, len(at)).astype(dt)
    return [at, v, i64(dims)]


def serialized(parts):
    return [proto(parts[0]), tf.make_tensor_proto(parts[1], tf.string if parts[1].dtype == object else None, shape=parts[1].shape).SerializeToString(), proto(parts[2])]


def stacked(shape, dims, dt=np.float32):
    n = int(np.prod(shape))
    rows = [serialized(sparse([int(d + rng.integers(0, 2)) for d in dims], dt)) for _ in range(n)]
    out = np.empty((n, 3), object)
    for i, row in enumerate(rows):
        out[i] = row
    return out.reshape(tuple(shape) + (3,))


for dt in (np.float32, object, np.int64):
    kind = tf.string if dt == object else tf.as_dtype(dt)
    for dims in ((3,), (2, 3), (2, 2, 2)):
        for shape in ((), (1,), (3,), (2, 2), (0,)):
            r.ask("DeserializeSparse", [stacked(shape, dims, dt)], dtype=kind)
ok = serialized([i64([[0, 1]]), np.float32([5]), i64([2, 3])])
put = lambda rows: np.array(rows, object)
for rows in ([ok[:2]], [ok + ok[:1]], [[b"x", ok[1], ok[2]]], [[ok[0], b"x", ok[2]]], [[ok[0], ok[1], b"x"]], [ok, serialized([i64([[0]]), np.float32([5]), i64([2])])], [[proto(np.float32([[0, 1]])), ok[1], ok[2]]], [[ok[0], proto(np.int32([5])), ok[2]]], [[ok[0], ok[1], proto(np.int32([2, 3]))]],
             [[proto(i64([0, 1])), ok[1], ok[2]]], [[ok[0], proto(np.float32([[5]])), ok[2]]], [[ok[0], ok[1], proto(i64([[2, 3]]))]], [[ok[0], proto(np.float32([5, 6])), ok[2]]], [[ok[0], ok[1], proto(i64([2, 3, 4]))]], [[proto(i64([[9, 9]])), ok[1], ok[2]]], [[ok[0], ok[1], proto(i64([-2, 3]))]]):
    r.ask("DeserializeSparse", [put(rows)], dtype=tf.float32)
r.ask("DeserializeSparse", [np.array(b"x", object)], dtype=tf.float32)
r.ask("DeserializeSparse", [np.zeros((0, 3), object)], dtype=tf.float32)
one = np.float32([1, 2])
for op in ("SerializeSparse", "SerializeManySparse"):
    for at, v, s in [(i64([0, 0]), one, i64([2, 2])), (i64([[0, 0]]), one, i64([2, 2])), (i64([[0, 0], [1, 1]]), one[None], i64([2, 2])), (i64([[0, 0], [1, 1]]), one, i64([[2, 2]])), (i64([[0, 0], [1, 1]]), one, i64([2, 2, 2])), (i64([[0], [1]]), one, i64([2]))]:
        if op == "SerializeManySparse" or at.ndim == 1 or v.ndim > 1 or s.ndim > 1:
            r.ask(op, [at, v, s], only=0)
for at in (i64([[5, 0], [0, 0]]), i64([[-1, 0], [0, 0]]), i64([[1, 0], [0, 0]])):
    r.ask("SerializeManySparse", [at, one, i64([2, 2])], only=0)

r.close()
