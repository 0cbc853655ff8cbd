"""Writes narrow.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # whose sums are those of float

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(11)
bfloat16 = tf.bfloat16.as_numpy_dtype


def x(dt, *shape):
    return rng.standard_normal(shape).astype(dt)


def i32(*v):
    return np.array(v, np.int32)


r = Recorder(os.path.join(HERE, "narrow.jsonl.gz"))
for dt in (np.float16, bfloat16):
    # What is rounded depends on the columns: pairs of vectors of 8, a single one, the rest.
    shapes = [
        ((1, 5, 5, 2), (3, 3, 2, 2), 1, "SAME"),
        ((2, 6, 7, 5), (3, 3, 5, 7), 2, "SAME"),
        ((3, 5, 5, 8), (3, 2, 8, 9), 1, "VALID"),
        ((2, 7, 7, 3), (3, 3, 3, 28), 2, "VALID"),
        ((2, 3, 3, 11), (1, 1, 11, 24), 1, "SAME"),
        ((1, 3, 2, 2), (2, 2, 2, 67), 1, "SAME"),
        ((1, 2, 3, 2), (1, 1, 2, 830), 1, "VALID"),
        ((1, 40, 22, 1), (2, 2, 1, 1), 1, "SAME"),
        ((1, 2, 2, 1), (2, 2, 1, 1), 1, "VALID")]
    for shape, filt, s, pad in shapes:
        kw = dict(strides=[1, s, s, 1], padding=pad)
        a, w = x(dt, *shape), x(dt, *filt)
        out = [-(-n // s) if pad == "SAME" else (n - k) // s + 1 for n, k in zip(shape[1:3], filt)]
        g = x(dt, shape[0], *out, filt[3])
        if max(shape + filt) < 10:
            r.ask("Conv2D", [a, w], **kw)
        r.ask("Conv2DBackpropInput", [i32(*shape), w, g], **kw)
        r.ask("Conv2DBackpropFilter", [a, i32(*filt), g], **kw)
    for shape, filt, s, pad in [
            ((2, 5, 4, 3, 3), (2, 3, 2, 3, 8), 1, "SAME"),
            ((1, 5, 5, 5, 2), (3, 2, 2, 2, 5), 2, "VALID"),
            ((1, 2, 3, 3, 5), (1, 1, 1, 5, 17), 1, "VALID"),
            ((1, 3, 3, 3, 11), (3, 3, 3, 11, 9), 2, "SAME")]:
        r.ask("Conv3D", [x(dt, *shape), x(dt, *filt)], strides=[1, s, s, s, 1], padding=pad)
r.close()
