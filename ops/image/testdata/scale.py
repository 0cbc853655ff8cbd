"""Writes scale.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(11)
r = Recorder(os.path.join(HERE, "scale.jsonl.gz"), isolated=True)
f32 = lambda x: np.array(x, np.float32)
i32 = lambda x: np.array(x, np.int32)
image = lambda dims, dt: (rng.integers(0, 100, dims)).astype(dt)

# ScaleAndTranslate
for kind in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
    for antialias in (False, True):
        for size, scale, shift in (([7, 5], [2, 1.5], [0, 0]), ([2, 3], [.5, .4], [.3, -.2]), ([4, 4], [1, 1], [1, -1]), ([5, 5], [1.3, .7], [-9, 2.5])):
            r.ask("ScaleAndTranslate", [image((1, 4, 5, 2), np.float32), i32(size), f32(scale), f32(shift)], kernel_type=kind, antialias=antialias)
for dt in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.float16, tf.bfloat16.as_numpy_dtype, np.float64):
    r.ask("ScaleAndTranslate", [image((2, 3, 4, 1), dt), i32([5, 3]), f32([1.5, .75]), f32([0, .5])])
x = image((1, 3, 3, 1), np.float32)
for im, size, scale, shift in [(x[0], i32([2, 2]), f32([1, 1]), f32([0, 0])), (x, i32([2]), f32([1, 1]), f32([0, 0])), (x, i32([[2, 2]]), f32([1, 1]), f32([0, 0])), (x, i32([0, 2]), f32([1, 1]), f32([0, 0])), (x, i32([-1, 2]), f32([1, 1]), f32([0, 0])), (x, i32([2, 2]), f32([0, 1]), f32([0, 0])),
                               (x, i32([2, 2]), f32([-1, 1]), f32([0, 0])), (x, i32([2, 2]), f32([1]), f32([0, 0])), (x, i32([2, 2]), f32([1, 1]), f32([0])), (x[:, :0], i32([2, 2]), f32([1, 1]), f32([0, 0])), (x[:0], i32([2, 2]), f32([1, 1]), f32([0, 0])), (x[..., :0], i32([2, 2]), f32([1, 1]), f32([0, 0])),
                               (x, i32([2, 2]), f32([np.nan, 1]), f32([0, 0])), (x, i32([2, 2]), f32([np.inf, 1]), f32([0, 0])), (x, i32([2, 2]), f32([1e-20, 1]), f32([0, 0])), (x, i32([2, 2]), f32([1, 1]), f32([np.nan, 0])), (x, i32([2, 2]), f32([1, 1]), f32([1e30, 0])), (x, i32([2, 2]), f32([[1, 1]]), f32([0, 0]))]:
    r.ask("ScaleAndTranslate", [im, size, scale, shift])
r.ask("ScaleAndTranslate", [x, i32([2, 2]), f32([1, 1]), f32([0, 0])], kernel_type="cubic")

# CombinedNonMaxSuppression
def boxes(*dims):
    b = rng.random(dims + (2, 2)) * 1.4 - .2
    b.sort(axis=-2)
    return b.reshape(dims + (4,)).astype(np.float32)


f = np.float32
for batch, n, q, c in ((1, 6, 1, 1), (2, 8, 1, 3), (2, 8, 3, 3), (1, 1, 1, 2), (0, 3, 1, 2), (1, 0, 1, 2)):
    for per, total in ((2, 3), (4, 4), (3, 20)):
        for pad in (False, True):
            for clip in (False, True):
                r.ask("CombinedNonMaxSuppression", [boxes(batch, n, q), rng.random((batch, n, c)).astype(f), i32(per), i32(total), f(.4), f(.2)], pad_per_class=pad, clip_boxes=clip)
b, s = boxes(1, 4, 1), rng.random((1, 4, 2)).astype(f)
b2 = b[..., [2, 3, 0, 1]]
for bb, ss, per, total, iou, score in [(b[0], s, i32(2), i32(2), f(.5), f(0)), (b, s[0], i32(2), i32(2), f(.5), f(0)), (b, s, i32([2]), i32(2), f(.5), f(0)), (b, s, i32(0), i32(2), f(.5), f(0)), (b, s, i32(2), i32(0), f(.5), f(0)), (b, s, i32(2), i32(2), f(1.5), f(0)), (b, s, i32(2), i32(2), f(-1), f(0)), (b, s, i32(-2), i32(2), f(.5), f(0)), (b, s, i32(2), i32(-2), f(.5), f(0)),
                                    (b, s[:, :3], i32(2), i32(2), f(.5), f(0)), (b[..., :3], s, i32(2), i32(2), f(.5), f(0)), (np.repeat(b, 3, 2), s, i32(2), i32(2), f(.5), f(0)), (b, np.repeat(s, 2, 0), i32(2), i32(2), f(.5), f(0)), (b, s, i32(2), i32([2]), f(.5), f(0)), (b, s, i32(2), i32(2), f([.5]), f(0)), (b, s, i32(2), i32(2), f(.5), f([0])), (b2, s, i32(2), i32(2), f(.1), f(-1)), (b, s, i32(2), i32(3), f(.5), f(2)), (b, s, i32(2), i32(3), f(np.nan), f(0)),
                                    (b, s, i32(2), i32(3), f(.5), f(np.nan))]:
    r.ask("CombinedNonMaxSuppression", [bb, ss, per, total, iou, score])

# ExtractGlimpse
for centered in (False, True):
    for normalized in (False, True):
        for size in ([3, 2], [1, 1], [7, 6], [2, 3]):
            for off in ([[0, 0], [.5, -.5]], [[1, 2], [-1.5, 3]], [[.25, 1], [-9, 9]]):
                r.ask("ExtractGlimpse", [image((2, 5, 4, 2), np.float32), i32(size), f32(off)], centered=centered, normalized=normalized, noise="zero", uniform_noise=False)
for im, size, off in [(x[0], i32([2, 2]), f32([[0, 0]])), (x, i32([2]), f32([[0, 0]])), (x, i32([0, 2]), f32([[0, 0]])), (x, i32([2, 2]), f32([[0, 0]] * 2)), (x, i32([2, 2]), f32([[0, 0, 0]])), (x, i32([2, 2]), f32([0, 0])), (x, i32([2, 2]), f32([[np.nan, 0]])), (x, i32([-2, 2]), f32([[0, 0]]))]:
    r.ask("ExtractGlimpse", [im, size, off], noise="zero", uniform_noise=False)
r.ask("ExtractGlimpse", [x, i32([2, 2]), f32([[0, 0]])], noise="zero", uniform_noise=True)
r.ask("ExtractGlimpse", [x, i32([2, 2]), f32([[0, 0]])], noise="x", uniform_noise=False)
r.close()
