"""Writes jpegs.jsonl.gz: JPEG files of many kinds, whole, cut and damaged, and hashes of
what TensorFlow 2.21 decodes them to. Files are Pillow's and TensorFlow's."""
import base64
import gzip
import hashlib
import io
import json
import os
import select

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(int(os.environ.get("SEED", 10)))
pick = lambda *of: of[int(rng.integers(0, len(of)))]


def image(h, w, c):
    y, x = np.mgrid[0:h, 0:w]
    kind = rng.integers(0, 4)
    if kind == 0:
        a = rng.integers(0, 256, (h, w, c))
    elif kind == 1:
        a = np.stack([127 + 120 * np.sin((x * rng.normal() + y * rng.normal()) / 5 + i) for i in range(c)], -1)
    elif kind == 2:
        a = np.stack([(x * rng.integers(0, 9) + y * rng.integers(0, 9)) % 256 + rng.normal(size=(h, w)) * 9 for i in range(c)], -1)
    else:
        a = np.full((h, w, c), rng.integers(0, 256, c)) + rng.integers(0, 2, (h, w, c))
    return np.clip(a, 0, 255).astype(np.uint8)


def encoded(*more):
    h, w = (int(v) for v in rng.integers(1, pick(9, 40, 80), 2))
    kind, quality = pick("RGB", "RGB", "RGB", "L", "CMYK", *more), pick(1, 5, 20, 50, 75, 90, 95, 100)
    if kind == "TensorFlow":
        data = tf.raw_ops.EncodeJpeg(image=image(h, w, 3), quality=quality, progressive=pick(True, False), optimize_size=pick(True, False), chroma_downsampling=pick(True, False)).numpy()
    else:
        pixels = image(h, w, {"RGB": 3, "L": 1, "CMYK": 4}[kind])
        args = dict(quality=quality, progressive=pick(True, False), optimize=pick(True, False))
        if kind == "RGB":
            args["subsampling"] = pick(0, 1, 2)
            if pick(0, 0, 0, 0, 1):
                del args["subsampling"]
                args["keep_rgb"] = True
        if pick(0, 0, 1):
            args["restart_marker_blocks"] = pick(1, 2, 3, 7)
        b = io.BytesIO()
        Image.fromarray(pixels[..., 0] if kind == "L" else pixels, mode=kind).save(b, "JPEG", **args)
        data = b.getvalue()
    head = max(data.find(b"\xff\xc0"), data.find(b"\xff\xc2"))
    if kind in ("RGB", "TensorFlow") and pick(0, 0, 1):  # other samplings than Pillow writes
        d = bytearray(data)
        d[head + 11] = pick(0x12, 0x41, 0x22, 0x21, 0x14, 0x42, 0x11, 0x24)
        data = bytes(d)
    return data, head, h, w, quality


def ask(data, op, window=None, **attrs):
    rec = {"Op": op, "Attrs": attrs}
    if window:
        rec["Window"] = window
    try:
        if op == "DecodeAndCropJpeg":
            got = tf.raw_ops.DecodeAndCropJpeg(contents=data, crop_window=window, **attrs).numpy()
        else:
            got = getattr(tf.raw_ops, op)(contents=data, **attrs).numpy()
        rec["Shape"], rec["Hash"] = list(got.shape), hashlib.sha256(got.tobytes()).hexdigest()[:16]
    except tf.errors.OpError as e:
        rec["Code"] = e.error_code
    return rec


def isolated(data, **attrs):
    """Asks in another process: TensorFlow does not come back from all files."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, json.dumps(ask(data, "DecodeJpeg", **attrs)).encode())
        os._exit(0)
    os.close(write)
    text = os.read(read, 1 << 16) if select.select([read], [], [], 5)[0] else b""
    os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(read)
    return [json.loads(text)] if text else []


def options(partial):
    o = dict(channels=pick(0, 0, 1, 3), ratio=pick(1, 1, 1, 2, 4, 8), fancy_upscaling=pick(True, True, False), dct_method=pick("", "INTEGER_FAST", "INTEGER_ACCURATE"))
    if partial:
        o.update(try_recover_truncated=pick(True, False), acceptable_fraction=pick(1.0, 0.5, 0.1, 0.0))
    return o


with gzip.open(os.path.join(HERE, "jpegs.jsonl.gz") if "OUT" not in os.environ else os.environ["OUT"], "wt") as out:
    n = int(os.environ.get("N", 100))
    while n > 0:
        data, head, h, w, quality = encoded()
        scan = data.rfind(b"\xff\xda") + 14
        if b"\xff\xc2" in data or scan + 2 > len(data):  # sequential ones are cut
            continue
        n -= 1
        cut = data[: int(rng.integers(scan, len(data)))]
        recs = sum((isolated(cut, **options(True)) for _ in range(2)), [])
        out.write(json.dumps({"File": base64.b64encode(cut).decode(), "Asks": recs}) + "\n")
    for _ in range(int(os.environ.get("N", 100))):
        data, head, h, w, quality = encoded("TensorFlow")
        recs = [ask(data, "DecodeJpeg", **o) for o in (options(False) for _ in range(4)) if o["ratio"] != 4 or quality > 1]
        recs.append(ask(data, "DecodeImage", dtype=pick(tf.uint8, tf.float32, tf.uint16).as_datatype_enum))
        y, x = int(rng.integers(0, h)), int(rng.integers(0, w))
        for _ in range(2):
            o = dict(options(False), ratio=1)
            recs.append(ask(data, "DecodeAndCropJpeg", [y, x, int(rng.integers(1, h - y + 1)), int(rng.integers(1, w - x + 1))], **o))
        out.write(json.dumps({"File": base64.b64encode(data).decode(), "Asks": recs}) + "\n")


def bare(data):
    """The file without its tables of codes."""
    at = 0
    while (at := data.find(b"\xff\xc4")) >= 0:
        data = data[:at] + data[at + 2 + int.from_bytes(data[at + 2 : at + 4], "big") :]
    return data


# Narrow parts of images with few samples of color, and files without tables of codes. What
# is random begins anew, and so these lines do not depend on those before.
rng = np.random.default_rng(int(os.environ.get("SEED", 10)) + 1)
with gzip.open(os.path.join(HERE, "jpegs.jsonl.gz") if "OUT" not in os.environ else os.environ["OUT"], "at") as out:
    for i in range(int(os.environ.get("N", 100)) // 5):
        h, w = int(rng.integers(3, 20)), int(rng.integers(18, 60))
        b = io.BytesIO()
        Image.fromarray(image(h, w, 3)).save(b, "JPEG", quality=90, subsampling=1 + i % 2, progressive=i % 4 == 3)
        data, recs = b.getvalue(), []
        for x in range(0, w, 16):
            for width in (1, 2, 3):
                left = x + int(rng.integers(0, 2))
                if left + width <= w:
                    recs.append(ask(data, "DecodeAndCropJpeg", [int(rng.integers(0, 2)), left, 2, width], fancy_upscaling=True))
        out.write(json.dumps({"File": base64.b64encode(data).decode(), "Asks": recs}) + "\n")
    for progressive in (False, True):
        for kind in ("RGB", "L"):
            pixels = image(20, 20, 3)
            b = io.BytesIO()
            Image.fromarray(pixels[..., 0] if kind == "L" else pixels, mode=kind).save(b, "JPEG", progressive=progressive)
            data = bare(b.getvalue())
            out.write(json.dumps({"File": base64.b64encode(data).decode(), "Asks": [ask(data, "DecodeJpeg", channels=3)]}) + "\n")
