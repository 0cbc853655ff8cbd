"""Writes windows.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "windows.jsonl.gz"), isolated=True)
f32 = lambda x: np.array(x, np.float32)

boxes = f32([[[0.1, 0.2, 0.6, 0.7], [0.5, 0.5, 0.9, 1.0]]])
none = np.zeros((1, 0, 4), np.float32)
for size, dtype in (([60, 90, 3], np.int32), ([100, 40, 1], np.uint8), ([7, 5, 3], np.int64), ([300, 1000, 3], np.int16), ([1, 1, 3], np.int8)):
    size = np.array(size, dtype)
    for seed in ((1, 2), (5, 0), (77, 1 << 33)):
        r.ask("SampleDistortedBoundingBox", [size, boxes], seed=seed[0], seed2=seed[1], min_object_covered=0.3)
        r.ask("SampleDistortedBoundingBoxV2", [size, boxes, f32(0.9)], seed=seed[0], seed2=seed[1], area_range=[0.3, 0.9])
        r.ask("StatelessSampleDistortedBoundingBox", [size, boxes, f32(0.1), np.array(seed)], aspect_ratio_range=[0.5, 2.0])
    r.ask("StatelessSampleDistortedBoundingBox", [size, none, f32(0.1), np.array([3, 4], np.int32)], use_image_if_no_bounding_boxes=True, area_range=[1.0, 1.0])
    r.ask("StatelessSampleDistortedBoundingBox", [size, boxes, f32(1.0), np.array([3, 4], np.int32)], area_range=[0.01, 0.02], max_attempts=5)
size, seed = np.array([60, 90, 3], np.int32), np.array([3, 4], np.int32)
stateless = lambda *x, **kw: r.ask("StatelessSampleDistortedBoundingBox", list(x), **kw)
stateless(size, none, f32(0.1), seed)
stateless(size, boxes, f32(1.5), seed)
stateless(size, boxes, f32(-0.5), seed)
stateless(size, boxes + 1, f32(0.5), seed)
stateless(size, boxes[0], f32(0.5), seed)
stateless(size, boxes[:, :, :3], f32(0.5), seed)
stateless(size[:2], boxes, f32(0.5), seed)
stateless(size, boxes, f32([0.5]), seed)
stateless(size, boxes, f32(0.5), seed[:1])
for bad in (dict(area_range=[0.0, 1.0]), dict(area_range=[0.5, 1.5]), dict(area_range=[0.5]), dict(aspect_ratio_range=[-1.0, 1.0]), dict(max_attempts=0), dict(area_range=[0.9, 0.5])):
    stateless(size, boxes, f32(0.5), seed, **bad)
r.ask("SampleDistortedBoundingBox", [size, boxes], seed=1, min_object_covered=-0.5)

image = np.arange(50, dtype=np.float32).reshape(1, 5, 5, 2)
for op in ("ExtractGlimpse", "ExtractGlimpseV2"):
    for centered in (False, True):
        for normalized in (False, True):
            for window in ([3, 3], [2, 4]):
                for offset in ([0.0, 0.5], [-0.5, 0.3], [1.0, -1.0], [2.0, 3.4]):
                    r.ask(op, [image, np.array(window, np.int32), f32([offset])], centered=centered, normalized=normalized, uniform_noise=False, noise="zero")
r.close()
