"""Writes crosses.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(14)
r = Recorder(os.path.join(HERE, "crosses.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)


def elements(n, kind):
    if kind == "s":
        return np.array([b"f%d" % i for i in rng.integers(0, 9, n)], object).reshape(n)
    return rng.integers(-9, 99, n).astype(np.int64)


def sparse(rows, kind):
    at = np.argwhere(rng.random((rows, 3)) < 0.5).astype(np.int64).reshape(-1, 2)
    return at, elements(len(at), kind), i64([rows, 3])


def dense(rows, columns, kind):
    return elements(rows * columns, kind).reshape(rows, columns)


def ragged(rows, kind, dt):
    s = np.concatenate([[0], np.cumsum(rng.integers(0, 3, rows))]).astype(dt)
    return elements(int(s[-1]), kind), s


for rows in (0, 1, 3):
    for kinds, more in (("s", ""), ("ss", ""), ("si", ""), ("ii", "s"), ("sis", "i"), ("", "ss"), ("", "i")):
        for columns in (1, 2):
            sp = [sparse(rows, k) for k in kinds]
            ins = [[x[0] for x in sp], [x[1] for x in sp], [x[2] for x in sp], [dense(rows, columns, k) for k in more]]
            r.ask("SparseCrossV2", ins + [np.array(b"-", object)])
            r.ask("SparseCross", ins, hashed_output=False, num_buckets=0, hash_key=1, out_type=tf.string, internal_type=tf.string)
            for buckets in (0, 100):
                r.ask("SparseCross", ins, hashed_output=True, num_buckets=buckets, hash_key=0xDECAFCAFFE, out_type=tf.int64, internal_type=tf.int64)
    for order, kinds in (("R", "s"), ("RR", "si"), ("RS", "ss"), ("DR", "is"), ("SDR", "sii"), ("D", "s"), ("S", "i")):
        for hashed in (False, True):
            parts = {"R": [], "S": [], "D": []}
            for o, k in zip(order, kinds):
                parts[o].append(ragged(rows, k, rng.choice([np.int32, np.int64])) if o == "R" else sparse(rows, k) if o == "S" else dense(rows, 2, k))
            ins = [[x[0] for x in parts["R"]], [x[1] for x in parts["R"]], [x[0] for x in parts["S"]], [x[1] for x in parts["S"]], [x[2] for x in parts["S"]], parts["D"]]
            for to in (tf.int32, tf.int64):
                r.ask("RaggedCross", ins, input_order=order, hashed_output=hashed, num_buckets=50, hash_key=7, out_values_type=tf.int64 if hashed else tf.string, out_row_splits_type=to)

ok = sparse(2, "s")
sep = np.array(b"-", object)
for other in [(i64([0, 0]), ok[1], ok[2]), (ok[0], ok[1][:1][None], ok[2]), (ok[0], ok[1], i64([[2, 3]])), (ok[0], ok[1], i64([2])), (ok[0], ok[1], i64([3, 3])), (ok[0], ok[1], i64([2, 3, 4])), (ok[0], elements(1, "s"), ok[2]),
              ok, (i64([[1, 9]]), elements(1, "s"), ok[2]), (i64([[0]]), elements(1, "s"), i64([2])), (i64([[0, 0, 0]]), elements(1, "s"), ok[2])]:
    r.ask("SparseCrossV2", [[ok[0], other[0]], [ok[1], other[1]], [ok[2], other[2]], [], sep])
for d in (dense(3, 1, "s"), dense(2, 1, "s")[0], dense(2, 1, "s")[None]):
    r.ask("SparseCrossV2", [[ok[0]], [ok[1]], [ok[2]], [d], sep])
r.ask("SparseCrossV2", [[ok[0]], [ok[1]], [ok[2]], [], np.array([b"-"], object)])
for values, splits in [(elements(3, "s"), i64([0, 1])), (elements(3, "s"), i64([0, 2, 9])), (elements(3, "s"), i64([0, 2, 1])), (elements(3, "s"), i64([1, 2, 3])), (elements(3, "s"), i64([])), (elements(3, "s"), i64([[0, 3]])), (elements(3, "s")[None], i64([0, 3])), (elements(3, "s"), i64([0, 1, 2]))]:
    r.ask("RaggedCross", [[values], [splits], [], [], [], []], input_order="R", hashed_output=False, num_buckets=0, hash_key=0, out_values_type=tf.string, out_row_splits_type=tf.int64)
r.ask("RaggedCross", [[elements(3, "s")], [i64([0, 3])], [], [], [], []], input_order="RR", hashed_output=False, num_buckets=0, hash_key=0, out_values_type=tf.string, out_row_splits_type=tf.int64)
r.ask("RaggedCross", [[elements(3, "s")], [i64([0, 3])], [], [], [], []], input_order="X", hashed_output=False, num_buckets=0, hash_key=0, out_values_type=tf.string, out_row_splits_type=tf.int64)
r.close()
