"""Writes candidates.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "candidates.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)
true = i64([[0, 1], [5, 3], [2, 2]])
for op in ("UniformCandidateSampler", "LogUniformCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"):
    for seed, seed2 in ((3, 5), (0, 7), (-1, 1 << 40)):
        for unique in (False, True):
            for n, size in ((5, 100), (8, 8), (20, 30), (3, 1000), (4, 16)):
                r.ask(op, [true], num_true=2, num_sampled=n, unique=unique, range_max=size, seed=seed, seed2=seed2)
    r.ask(op, [true], num_true=2, num_sampled=9, unique=True, range_max=8, seed=3)
    r.ask(op, [true], num_true=3, num_sampled=4, unique=True, range_max=8, seed=3)
    r.ask(op, [true[0]], num_true=2, num_sampled=4, unique=True, range_max=8, seed=3)
    r.ask(op, [true[:0]], num_true=2, num_sampled=4, unique=True, range_max=8, seed=3)
    if op[0] != "T":
        r.ask(op, [i64([[-1, 50]])], num_true=2, num_sampled=4, unique=True, range_max=8, seed=3)
for t, s in [(true, i64([5, 9, 2, 0])), (true, i64([5, 5, 2, 2])), (true, i64([])), (true[:0], i64([1])), (true, i64([7]))]:
    r.ask("ComputeAccidentalHits", [t, s], num_true=2)
r.ask("ComputeAccidentalHits", [true, i64([1])], num_true=3)
r.ask("ComputeAccidentalHits", [true[0], i64([1])], num_true=2)
r.ask("ComputeAccidentalHits", [true, i64([[1]])], num_true=2)
r.close()
