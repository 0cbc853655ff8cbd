"""Writes stateless.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "stateless.jsonl.gz"), isolated=True)
i64 = lambda x: np.array(x, np.int64)
i32 = lambda x: np.array(x, np.int32)
u64 = lambda x: np.array(x, np.uint64)

# StatelessShuffle
for n in (0, 1, 2, 3, 7, 30):
    for x in (np.arange(n, dtype=np.int32), np.arange(2 * n, dtype=np.float32).reshape(n, 2), np.array([b"%d" % i for i in range(n)], object)):
        r.ask("StatelessShuffle", [x, u64([123456789]), u64([7, 9]), i32(1)])
x = np.arange(4, dtype=np.int32)
for key, counter, alg in [(u64([1, 2]), u64([7, 9]), i32(1)), (u64([1]), u64([7, 9]), i32(2)), (u64([1]), u64([7, 9]), i32(9)), (u64([1]), u64([7, 9]), i32([1])), (u64(1), u64([7, 9]), i32(1))]:
    r.ask("StatelessShuffle", [x, key, counter, alg])
r.ask("StatelessShuffle", [i32(3), u64([1]), u64([7, 9]), i32(1)])

# StatelessRandomBinomial
for dt in (np.float32, np.float64, np.float16):
    for to in (tf.float32, tf.float64, tf.int32, tf.int64, tf.float16):
        for count, p in ((5, .3), (100, .5), (100, .05), (1000, .9), (20, .5), (3, 1), (3, 0), (-1, .5), (0, .5), (40, .25), (40, .8), (2.5, .5), (12, .875)):
            r.ask("StatelessRandomBinomial", [i32([7]), i64([3, 4]), dt(count), dt(p)], dtype=to)
        r.ask("StatelessRandomBinomial", [i64([2, 3]), i64([3, 4]), dt([[10], [100]]), dt([.25, .5, .75])], dtype=to)
        r.ask("StatelessRandomBinomial", [i64([3, 2]), i64([3, 4]), dt([10, 1000]), dt(.5)], dtype=to)
r.ask("StatelessRandomBinomial", [i32([3]), i64([3, 4]), np.float64(5), np.float64(np.nan)], dtype=tf.float64)
f = np.float64
for shape, seed, c, p in [(i32([3]), i64([3]), f(5), f(.5)), (i32([3]), i64([3, 4]), f([1, 2]), f(.5)), (i32([3]), i64([3, 4]), f([1, 2]), f([.5] * 3)), (i32(3), i64([3, 4]), f(5), f(.5)), (i32([-3]), i64([3, 4]), f(5), f(.5)), (i32([0]), i64([3, 4]), f(5), f(.5)), (i32([]), i64([3, 4]), f(5), f(.5))]:
    r.ask("StatelessRandomBinomial", [shape, seed, c, p])

# StatelessParameterizedTruncatedNormal
for dt in (np.float32, np.float64, np.float16):
    for m, s, a, b in ((0, 1, -1, 1), (0, 1, 2, 3), (0, 1, -3, -2), (0, 1, -np.inf, np.inf), (0, 1, 5, 6), (0, 1, -6, -5), (1, 2, -1, 4), (0, 1, 0, 9), (0, .125, -5, 5), (0, -1, -1, 1), (0, 1, 1, -1), (0, 1, 8, np.inf), (0, 1, -.125, .125), (0, 1, 1, 1),
                       (0, 1, -np.inf, 2), (0, 1, -np.inf, -4), (0, 0, -1, 1), (np.nan, 1, -1, 1), (0, 1, np.nan, 1), (0, 1, -1.5, -1), (0, 1, 1, 1.5), (5, 1, 4.5, 7)):
        if dt == np.float16 and (abs(m) + abs(a) > 1.5):
            continue
        r.ask("StatelessParameterizedTruncatedNormal", [i32([9]), i64([3, 4]), dt(m), dt(s), dt(a), dt(b)])
    r.ask("StatelessParameterizedTruncatedNormal", [i64([2, 3]), i64([3, 4]), dt([[0], [1]]), dt([1, 2, 1]), dt(-1), dt([1, 3, 1.5])])
    r.ask("StatelessParameterizedTruncatedNormal", [i64([4, 2]), i64([3, 4]), dt([0, 1]), dt(1), dt(-1), dt(2)])
for shape, seed, m, s in [(i32([3]), i64([3]), f(0), f(1)), (i32([3]), i64([3, 4]), f([1, 2]), f(.5)), (i32([3]), i64([3, 4]), f([1, 2]), f([.5] * 3)), (i32(3), i64([3, 4]), f(5), f(.5)), (i32([-3]), i64([3, 4]), f(5), f(.5)), (i32([0]), i64([3, 4]), f(5), f(.5)), (i32([0]), i64([3, 4]), f(5), f(-.5)), (i32([]), i64([3, 4]), f(0), f(.5))]:
    r.ask("StatelessParameterizedTruncatedNormal", [shape, seed, m, s, f(-1), f(1)])

# ParameterizedTruncatedNormal
for dt in (np.float32, np.float64, np.float16):
    for a, b in ((-1, 1), (1, 2), (-3, 3)):
        r.ask("ParameterizedTruncatedNormal", [i32([3, 4]), dt(0), dt(1), dt(a), dt(b)], seed=3, seed2=5)
    r.ask("ParameterizedTruncatedNormal", [i64([2, 3]), dt([0, 1]), dt([1, 2]), dt([-1, 0]), dt([1, 2])], seed=3, seed2=5)
for shape, m, s in [(i32([3]), f([[0]]), f(1)), (i32([3]), f([1, 2]), f(.5)), (i32(3), f(5), f(.5)), (i32([-3]), f(5), f(.5)), (i32([0]), f(5), f(.5)), (i32([0, 3]), f(5), f(-.5)), (i32([]), f(0), f(.5)), (i32([2]), f(0), f(-.5))]:
    r.ask("ParameterizedTruncatedNormal", [shape, m, s, f(-1), f(1)], seed=3, seed2=5)
r.close()
