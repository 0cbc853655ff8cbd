"""Writes image.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

rng = np.random.default_rng(5)
F = np.float32


def x(*shape, dt=F):
    if np.dtype(dt).kind in "iu":
        return rng.integers(0, 120, shape).astype(dt)
    return rng.random(shape).astype(dt)


def i32(*v):
    return np.array(v, np.int32)


r = Recorder(os.path.join(HERE, "image.jsonl.gz"))
MODES = [dict(), dict(align_corners=True), dict(half_pixel_centers=True)]
for size in [(3, 8), (7, 2), (1, 1), (5, 6), (11, 13)]:
    for kw in MODES:
        for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic"):
            r.ask(op, [x(2, 5, 6, 2), i32(*size)], **kw)
            g = {"ResizeBilinear": "ResizeBilinearGrad", "ResizeNearestNeighbor": "ResizeNearestNeighborGrad"}.get(op)
            if g:
                r.ask(g, [x(2, *size, 2), x(2, 5, 6, 2) if op == "ResizeBilinear" else i32(5, 6)], **kw)
    for kw in MODES[:2]:
        r.ask("ResizeArea", [x(2, 5, 6, 2), i32(*size)], **kw)
for dt in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, np.float16, np.float64):
    for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"):
        r.ask(op, [x(1, 4, 3, 2, dt=dt), i32(3, 5)])
for dt in (np.float16, np.float64):
    r.ask("ResizeBilinearGrad", [x(1, 3, 5, 2), x(1, 4, 3, 2, dt=dt)])
for dt in (np.uint8, np.int8, np.int32, np.float16, np.float64):
    r.ask("ResizeNearestNeighborGrad", [np.minimum(x(1, 3, 5, 2, dt=dt), 9), i32(4, 3)])
r.ask("ResizeBilinear", [x(4, 3, 2), i32(3, 5)])
r.ask("ResizeBilinear", [x(1, 4, 3, 2), i32(3, 5, 1)])
r.ask("ResizeBilinear", [x(1, 4, 3, 2), i32(0, 5)])
r.ask("ResizeBicubic", [x(1, 4, 3, 2), i32(2, -5)])
r.ask("ResizeArea", [x(1, 0, 3, 2), i32(2, 5)])
r.ask("ResizeBilinear", [x(0, 4, 3, 2), i32(2, 5)])
for dt in (F, np.float64, np.float16):
    a = np.concatenate([x(3, 4, 3, dt=dt), np.ones((1, 4, 3), dt), np.zeros((1, 4, 3), dt)])
    r.ask("RGBToHSV", [a])
    r.ask("HSVToRGB", [a])
r.ask("RGBToHSV", [x(3, 4)])
a = x(2, 3, 4, 3)
for v in (0.0, 0.3, -0.6, 1.7):
    r.ask("AdjustHue", [a, F(v)])
    r.ask("AdjustSaturation", [a, F(v)])
    r.ask("AdjustContrastv2", [a, F(v)])
r.ask("AdjustContrastv2", [x(2, 3), F(1)])
r.ask("AdjustHue", [x(2, 3, 4), F(1)])
b = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], [-0.3, 0.5, 1.2, 0.8], [0.9, 0.9, 0.1, 0.1], [0.5, 0.5, 0.5, 0.5]], F)
at = i32(0, 1, 0, 1, 0)
for crop in [(3, 4), (1, 1), (2, 1)]:
    for method in ("bilinear", "nearest"):
        r.ask("CropAndResize", [x(2, 5, 6, 2), b, at, i32(*crop)], method=method, extrapolation_value=7.0)
        for dt in (F, np.float64, np.float16):
            import tensorflow as tf
            r.ask("CropAndResizeGradImage", [x(5, *crop, 2), b, at, i32(2, 5, 6, 2)], method=method, T=tf.as_dtype(dt))
    r.ask("CropAndResizeGradBoxes", [x(5, *crop, 2), x(2, 5, 6, 2), b, at])
r.ask("CropAndResize", [x(2, 5, 6, 2, dt=np.uint8), b, at, i32(2, 2)])
r.ask("CropAndResize", [x(2, 5, 6, 2), b, i32(0, 1, 0, 2, 0), i32(2, 2)])
r.ask("CropAndResize", [x(2, 5, 6, 2), b, i32(0, 1), i32(2, 2)])
r.ask("CropAndResize", [x(2, 5, 6, 2), b[:, :3], at, i32(2, 2)])
r.ask("CropAndResize", [x(2, 5, 6, 2), b, at, i32(2, 0)])
boxes = np.array([[[0.1, 0.1, 0.6, 0.7], [-0.5, 0.3, 0.4, 1.8], [0.5, 0.2, 0.4, 0.9]], [[0, 0, 1, 1], [2, 2, 3, 3], [0.3, 0.3, 0.3, 0.3]]], F)
for depth in (1, 3, 4):
    r.ask("DrawBoundingBoxes", [x(2, 9, 8, depth), boxes])
    r.ask("DrawBoundingBoxesV2", [x(2, 9, 8, depth), boxes, x(2, 4)])
r.ask("DrawBoundingBoxes", [x(2, 9, 8, 3, dt=np.float16), boxes])
r.ask("DrawBoundingBoxes", [x(2, 9, 8, 2), boxes])
r.ask("DrawBoundingBoxes", [x(1, 9, 8, 3), boxes])
p = x(30, 4)
s = x(30)
s[5] = s[9] = s[20]
for most in (0, 3, 10, 40):
    for iou in (0.0, 0.2, 0.5, 1.0):
        r.ask("NonMaxSuppression", [p, s, np.int32(most)], iou_threshold=iou)
        r.ask("NonMaxSuppressionV2", [p, s, np.int32(most), F(iou)])
        r.ask("NonMaxSuppressionV3", [p, s, np.int32(most), F(iou), F(0.3)])
        r.ask("NonMaxSuppressionV4", [p, s, np.int32(most), F(iou), F(0.3)], pad_to_max_output_size=most < 20)
        r.ask("NonMaxSuppressionV5", [p, s, np.int32(most), F(iou), F(0.3), F(0)])
        r.ask("NonMaxSuppressionV5", [p, s, np.int32(most), F(iou), F(0.1), F(0.4)], pad_to_max_output_size=True)
r.ask("NonMaxSuppressionV3", [p, s, np.int32(-1), F(0.5), F(0)])
r.ask("NonMaxSuppressionV3", [p, s, np.int32(1), F(1.5), F(0)])
r.ask("NonMaxSuppressionV3", [p, s[:5], np.int32(1), F(0.5), F(0)])
r.ask("NonMaxSuppressionV3", [p[:, :3], s, np.int32(1), F(0.5), F(0)])
h = np.float16
r.ask("NonMaxSuppressionV3", [p.astype(h), s.astype(h), np.int32(5), h(0.5), h(0.25)])
r.close()
