"""Writes files.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import struct
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(12)
r = Recorder(os.path.join(HERE, "files.jsonl.gz"), isolated=True)


def file(b):
    return np.array(b, object)


def smooth(h, w, c):
    y, x = np.mgrid[0:h, 0:w]
    waves = [127 + 120 * np.sin((x * (k + 1) + y * (2 - k)) / 5 + k) for k in range(c)]
    return np.stack(waves, -1).astype(np.uint8)


def run(op, **kw):
    """TensorFlow encodes, in a process of its own."""
    read, write = os.pipe()
    if os.fork() == 0:
        with tf.Graph().as_default(), tf.compat.v1.Session() as s, open(write, "wb") as f:
            f.write(s.run(getattr(tf.raw_ops, op)(**kw)))
        os._exit(0)
    os.close(write)
    with open(read, "rb") as f:
        return f.read()


# JPEG
for h, w in ((16, 16), (11, 13), (1, 1), (33, 20)):
    for c in (1, 3):
        for down in (True, False):
            for progressive in (False, True):
                b = run("EncodeJpeg", image=smooth(h, w, c), quality=90, chroma_downsampling=down, progressive=progressive)
                for channels in (0, 1, 3):
                    # As floats, which may differ a little.
                    r.ask("DecodeImage", [file(b)], channels=channels, dtype=tf.float32)
b = run("EncodeJpeg", image=smooth(11, 13, 3))
r.ask("DecodeImage", [file(b)], channels=4)
r.ask("DecodeJpeg", [file(b)], channels=4)
r.ask("DecodeJpeg", [file(b)], channels=2)
r.ask("DecodeJpeg", [file(b[:100])])
r.ask("DecodeJpeg", [file(b"")])
r.ask("DecodeJpeg", [file([b])])
r.ask("DecodeImage", [file(b"nothing")])
r.ask("DecodeImage", [file(b"")])
r.ask("DecodeImage", [file([b])])


# GIF
def lzw(indices, bits):
    """Codes that are never compressed: a clear code before the table grows."""
    clear, end, size = 1 << bits, (1 << bits) + 1, bits + 1
    out, acc, n = bytearray(), 0, 0
    codes = []
    for i, x in enumerate(indices):
        if i % ((1 << bits) - 2) == 0:
            codes.append(clear)
        codes.append(x)
    for code in codes + [end]:
        acc |= code << n
        n += size
        while n >= 8:
            out.append(acc & 255)
            acc >>= 8
            n -= 8
    if n:
        out.append(acc & 255)
    blocks = b"".join(bytes([len(out[i:i + 255])]) + bytes(out[i:i + 255]) for i in range(0, len(out), 255))
    return bytes([bits]) + blocks + b"\0"


def gif(w, h, frames, palette=bytes(range(0, 192, 8)) [:24]):
    b = b"GIF89a" + struct.pack("<HHBBB", w, h, 0xf2, 0, 0) + palette
    for (x, y, fw, fh), transparent, disposal, pixels in frames:
        b += b"\x21\xf9\x04" + struct.pack("<BHB", disposal << 2 | (transparent >= 0), 0, max(transparent, 0)) + b"\0"
        b += b"," + struct.pack("<HHHHB", x, y, fw, fh, 0) + lzw(pixels, 3)
    return b + b";"


px = lambda n: [int(i) for i in rng.integers(0, 8, n)]
whole = (0, 0, 5, 4)
for frames in ([(whole, -1, 0, px(20))], [(whole, -1, 0, px(20)), (whole, -1, 0, px(20))], [(whole, -1, 0, px(20)), ((1, 1, 3, 2), -1, 0, px(6))], [(whole, -1, 0, px(20)), (whole, 3, 0, px(20))],
               [(whole, -1, 2, px(20)), ((1, 1, 3, 2), 2, 2, px(6)), ((2, 0, 2, 4), 1, 3, px(8)), (whole, 4, 0, px(20))], [((1, 1, 3, 2), -1, 0, px(6))], [(whole, 3, 0, px(20))]):
    b = gif(5, 4, frames)
    for channels in (0, 3):
        r.ask("DecodeImage", [file(b)], channels=channels)
    r.ask("DecodeImage", [file(b)], expand_animations=False)
    r.ask("DecodeImage", [file(b)], channels=1)
    r.ask("DecodeImage", [file(b)], channels=4)
    r.ask("DecodeImage", [file(b)], dtype=tf.float32)
    r.ask("DecodeImage", [file(b)], dtype=tf.uint16)
r.ask("DecodeImage", [file(b[:40])])
r.ask("DecodePng", [file(b)])
r.ask("DecodeJpeg", [file(b)])


# BMP
def bmp(w, h, bits, top=False, size=None):
    line = (w * bits // 8 + 3) // 4 * 4
    data = bytes(int(i) for i in rng.integers(0, 256, line * h))
    b = b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, w, -h if top else h, 1, bits, 0, len(data), 0, 0, 0, 0)
    return b + data[:size]


for w, h in ((3, 2), (4, 5), (1, 1)):
    for bits in (8, 24, 32):
        for top in (False, True):
            b = bmp(w, h, bits, top)
            for channels in (0, 1, 3, 4):
                r.ask("DecodeImage", [file(b)], channels=channels)
        # For other types TensorFlow ends the process.
for b in (bmp(3, 2, 16), bmp(3, 2, 24, size=10), bmp(3, 2, 24)[:30], bmp(0, 2, 24), bmp(3, 0, 24), b"BM"):
    r.ask("DecodeImage", [file(b)])

# PNG
for c in (1, 2, 3, 4):
    for dt in (np.uint8, np.uint16):
        b = run("EncodePng", image=rng.integers(0, np.iinfo(dt).max, (3, 4, c)).astype(dt))
        for channels in (0, 1, 3, 4):
            for to in (tf.uint8, tf.uint16, tf.float32):
                r.ask("DecodeImage", [file(b)], channels=channels, dtype=to)
        r.ask("DecodePng", [file(b)], channels=1)
        r.ask("DecodePng", [file(b)], channels=1, dtype=tf.uint16)
        r.ask("DecodeJpeg", [file(b)])
        r.ask("DecodeJpeg", [file(b)], channels=1)
r.close()
