"""Writes kinds.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import gzip
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(14)
r = Recorder(os.path.join(HERE, "kinds.jsonl.gz"), isolated=True)
i32 = lambda x: np.array(x, np.int32)

# Files that files.py made, the first of each kind, small.
kinds = {}
for line in gzip.open(os.path.join(HERE, "files.jsonl.gz"), "rt"):
    rec = json.loads(line)
    text = rec["In"][0]
    if "Out" in rec and text.startswith("string[] ") and rec["Op"] == "DecodeImage":
        b = bytes.fromhex(text[len("string[] "):].strip('"').replace("\\x", ""))
        dims = rec["Out"][0].split()[0]
        kind = b[:2], dims.count(","), dims.endswith(",1]"), b.find(b"\xff\xc2") >= 0
        if kind not in kinds and len(b) < 2000:
            kinds[kind] = b


def encoded(image):
    """A JPEG file of flat blocks, which all decoders see alike; made in a process of its own."""
    read, write = os.pipe()
    if os.fork() == 0:
        with tf.Graph().as_default(), tf.compat.v1.Session() as s, open(write, "wb") as f:
            f.write(s.run(tf.raw_ops.EncodeJpeg(image=image, quality=100, chroma_downsampling=False)))
        os._exit(0)
    os.close(write)
    with open(read, "rb") as f:
        return f.read()


flat = lambda c: np.kron(np.array([[[9], [200]], [[100], [51]]], np.uint8), np.ones((8, 8, c), np.uint8))
jpegs = [encoded(flat(1)), encoded(flat(3))]
files = jpegs + [b for k, b in kinds.items() if k[0] != b"\xff\xd8"]
for b in files:
    for op in ("DecodeBmp", "DecodeJpeg", "DecodePng"):
        for channels in (0, 1, 3, 4):
            r.ask(op, [b], channels=channels)
    r.ask("DecodeGif", [b])
    r.ask("ExtractJpegShape", [b])
    r.ask("DecodeAndCropJpeg", [b, i32([1, 2, 3, 4])])
for b in jpegs[:2]:
    for window in ([0, 0, 1, 1], [0, 0, 16, 16], [3, 1, 5, 9], [0, 0, 17, 1], [-1, 0, 2, 2], [0, 0, 0, 1], [0, 16, 1, 1], [0, 0, 1], [[0, 0, 1, 1]], [2**31 - 1, 0, 1, 1]):
        r.ask("DecodeAndCropJpeg", [b, i32(window)], channels=0)
    r.ask("DecodeAndCropJpeg", [b, i32([3, 1, 5, 9])], channels=1)
    r.ask("ExtractJpegShape", [b], output_type=tf.int64)
    r.ask("ExtractJpegShape", [b[:100]])
for b in (b"", b"nothing", b"\xff\xd8\xff", np.array([jpegs[0]], object)):
    for op in ("DecodeBmp", "DecodeGif", "ExtractJpegShape"):
        r.ask(op, [b])
    r.ask("DecodeAndCropJpeg", [b, i32([1, 2, 3, 4])])

f32 = lambda x: np.array(x, np.float32)
for n in (1, 5, 9):
    o = rng.random((n, n)).astype(np.float32)
    s = rng.random(n).astype(np.float32)
    for most in (0, 1, 3, 20):
        for overlap, score in ((.5, 0), (.1, .3), (.9, -1), (.5, 2)):
            r.ask("NonMaxSuppressionWithOverlaps", [o, s, i32(most), f32(overlap), f32(score)])
for args in ((o[:3], s, i32(1), f32(.5), f32(0)), (o, s[:3], i32(1), f32(.5), f32(0)), (o, s, i32([1]), f32(.5), f32(0)), (o, s, i32(-1), f32(.5), f32(0)), (o, s, i32(1), f32([.5]), f32(0)), (o, s, i32(1), f32(.5), f32([0])), (o[0], s, i32(1), f32(.5), f32(0)), (o, o, i32(1), f32(.5), f32(0)),
             (o[:0, :0], s[:0], i32(1), f32(.5), f32(0)), (o, s, i32(9), f32(np.nan), f32(0)), (o, s, i32(9), f32(-1), f32(-np.inf))):
    r.ask("NonMaxSuppressionWithOverlaps", list(args))
r.close()
