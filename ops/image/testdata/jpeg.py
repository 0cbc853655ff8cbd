"""Writes jpeg.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(13)
r = Recorder(os.path.join(HERE, "jpeg.jsonl.gz"), isolated=True)


def smooth(h, w, c):
    y, x = np.mgrid[0:h, 0:w]
    waves = [127 + 120 * np.sin((x * (k + 1) + y * (2 - k)) / 5 + k) for k in range(c)]
    return np.stack(waves, -1).astype(np.uint8)


noise = lambda *dims: rng.integers(0, 256, dims, dtype=np.uint8)
for image in (smooth(16, 16, 3), smooth(11, 13, 3), smooth(10, 25, 3), smooth(26, 9, 1), noise(17, 18, 3), noise(1, 1, 3), noise(7, 3, 1), 255 * (noise(9, 33, 3) & 1)):
    for down in (True, False):
        for quality in (95, 40):
            r.ask("EncodeJpeg", [image], quality=quality, chroma_downsampling=down)
    r.ask("EncodeJpegVariableQuality", [image, np.int32(3)])
x = noise(5, 4, 3)
for quality in (0, 1, 50, 100):
    r.ask("EncodeJpeg", [x], quality=quality)
for quality in (0, 100, 101, -1, [3]):
    r.ask("EncodeJpegVariableQuality", [x, np.array(quality, np.int32)])
r.ask("EncodeJpeg", [x], density_unit="cm", x_density=12, y_density=70000, xmp_metadata="<x/>")
for bad in (x[0], x[:, :, :2], x[:0], x[:, :0], x[..., :0]):
    r.ask("EncodeJpeg", [bad])
for kind in ("grayscale", "rgb"):
    r.ask("EncodeJpeg", [x], format=kind)
    r.ask("EncodeJpeg", [x[..., :1]], format=kind)
r.ask("EncodeJpeg", [x], quality=-1)
r.close()
