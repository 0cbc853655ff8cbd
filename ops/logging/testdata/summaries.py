"""Writes summaries.jsonl.gz; see kernel/kerneltest/testdata/record.py. Nodes are
called as their operation, which the summaries of TensorSummary tell."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(13)
r = Recorder(os.path.join(HERE, "summaries.jsonl.gz"), isolated=True)
s = lambda x: np.array(x, object)
f = np.float32
for dt in (np.float32, np.float64, np.float16, np.int8, np.int64, np.uint16, tf.bfloat16.as_numpy_dtype):
    for tags, values in ((s([b"a", b"b"]), [1, 2]), (s(b"a"), 3), (s([b"a"]), [1, 2]), (s([[b"a"]]), [[1]]), (s(b"a"), [3]), (s([b"a"]), 3), (s([]), []), (s(b""), 0)):
        r.ask("ScalarSummary", [tags, np.array(values, dt)])
    r.ask("HistogramSummary", [s(b"h"), rng.integers(0, 100, 30).astype(dt)])
    r.ask("HistogramSummary", [s(b"h"), rng.integers(0, 100, (0, 3)).astype(dt)])
for v in ([1, 2, 2, -3, 0], [1e30, -1e30, 1e-30], [np.nan], [np.inf, 1], [-np.inf], 3, [[0, 0], [0, 0]], rng.standard_normal(200)):
    r.ask("HistogramSummary", [s(b"h"), f(v)])
r.ask("HistogramSummary", [s([b"h"]), f([1])])
one = b"\n\x08\n\x01a\x15\x00\x00\xc0?"
two = b"\n\x08\n\x01b\x15\x00\x00\xc0?"
for inputs in ([s(one), s(two)], [s(one), s(one)], [s([one, two]), s([[two]])], [s(b"xyz")], [s(b"")], [s([b"\n\x00", b""]), s(b"")], [s([b"\n\x00", b"\n\x00"])], [s([])], [s(one + two)], [s(one + b"\x78\x03")]):
    r.ask("MergeSummary", [inputs])
for t in (f([1, 2]), f(3), s([b"x", b"y"]), s(b""), np.array([True, False]), np.int64([[5]]), f(np.zeros((0, 2)))):
    r.ask("TensorSummary", [t])
    r.ask("TensorSummaryV2", [s(b"t"), t, s(b"\n\x03\n\x01p")])
r.ask("TensorSummary", [f(3)], description="z", labels=["x"], display_name="y")
for tag, meta in ((s(b"t"), s(b"xx")), (s([b"t"]), s(b"")), (s(b"t"), s(b"")), (s(b"t"), s([b""]))):
    r.ask("TensorSummaryV2", [tag, f(1), meta])
for x, rate, n in ((f([[0, .5, -1, 2]]), 8000, 3), (f([[[0, .5], [-1, 2]]] * 4), 44100, 2), (f([[.25, np.nan, -.3]] * 4), 1, 3), (f([0]), 8000, 3), (f([[0]]), -1, 3), (f([[0]]), 0, 3), (f(np.zeros((0, 3))), 1, 3), (f(np.zeros((2, 0))), 1, 3), (f([[0.1]]), 1e30, 1), (f(rng.standard_normal((2, 50))), 22050.5, 2)):
    r.ask("AudioSummaryV2", [s(b"a"), x, f(rate)], max_outputs=n)
r.ask("AudioSummaryV2", [s([b"a"]), f([[0]]), f(1)])
r.ask("AudioSummaryV2", [s(b"a"), f([[0]]), f([1])])
r.close()
