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
for seed, seed2 in ((3, 5), (0, 7)):
    for unique in (False, True):
        r.ask("AllCandidateSampler", [true], num_true=2, num_sampled=6, unique=unique, seed=seed, seed2=seed2)
        r.ask("LearnedUnigramCandidateSampler", [true], num_true=2, num_sampled=5, unique=unique, range_max=9, seed=seed, seed2=seed2)
        fixed = lambda unigrams, size, n=5, **kw: r.ask("FixedUnigramCandidateSampler", [true], num_true=2, num_sampled=n, unique=unique, range_max=size, unigrams=unigrams, seed=seed, seed2=seed2, **kw)
        fixed([1.0, 2.0, 0.5, 4.0, 0.25, 3.0, 1.0], 7)
        fixed([1.0, 2.0, 0.5, 4.0, 0.25, 3.0, 1.0], 7, 40 if not unique else 7)
        fixed([1.0, 2.0, 0.5, 4.0, 0.25, 3.0, 1.0], 9, num_reserved_ids=2, distortion=0.75)
        fixed([float(i % 5 + 1) for i in range(15)], 8, 8, num_shards=2, shard=0)
        fixed([float(i % 5 + 1) for i in range(15)], 7, num_shards=2, shard=1)
        fixed([1.0] * 8, 8, 8)
        fixed([1.0] * 8, 7)
        fixed([], 7)
r.ask("AllCandidateSampler", [true], num_true=2, num_sampled=4, unique=True)
for t, s in [(true, i64([5, 9, 2, 0])), (true, i64([5, 5, 2, 2])), (true, i64([])), (true[:0], i64([1])), (true, i64([7]))]:
    r.ask("ComputeAccidentalHits", [t, s], num_true=2)
r.ask("ComputeAccidentalHits", [true, i64([1])], num_true=3)
r.ask("ComputeAccidentalHits", [true[0], i64([1])], num_true=2)
r.ask("ComputeAccidentalHits", [true, i64([[1]])], num_true=2)
r.close()
