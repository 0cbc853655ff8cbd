"""Writes wav.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np

r = Recorder(os.path.join(HERE, "wav.jsonl.gz"), isolated=True)
f32 = lambda x: np.array(x, np.float32)
i32 = lambda x: np.array(x, np.int32)
sound = f32([[0, .5], [-1, 1], [.99997, -2], [3e-5, -4.6e-5], [1.5e-5, -1.5e-5]])


def file(channels=2, rate=8000, samples=(0, 1, -2, 32767, -32768, 5), size=16, form=1, bits=16, per=None, second=None, before=b"", after=b"", claimed=None):
    per = channels * bits // 8 if per is None else per
    b = b"RIFF" + struct.pack("<I", 99) + b"WAVEfmt " + struct.pack("<IHHIIHH", size, form, channels, rate, per * rate if second is None else second, per, bits) + b"\0" * (size - 16)
    data = struct.pack(f"<{len(samples)}h", *samples)
    return b + before + b"data" + struct.pack("<I", len(data) if claimed is None else claimed) + data + after


for s, rate in ((sound, 16000), (sound[:, :1], 44100), (sound[:0], 1), (sound[:, :0], 1), (sound[0], 1), (sound, 0), (sound, -1), (sound, [8000])):
    r.ask("EncodeWav", [s, i32(rate)])
for channels, samples in ((-1, -1), (1, -1), (3, 2), (2, 5), (0, -1), (2, 0), (-2, 1)):
    r.ask("DecodeWav", [file()], desired_channels=channels, desired_samples=samples)
list_ = b"LIST" + struct.pack("<I", 3) + b"abc"
for f in (file(size=18), file(size=17), file(size=40), file(form=3), file(channels=0), file(bits=8), file(per=3), file(second=1), file(before=list_), file(after=list_), file(after=b"x"), file(claimed=14), file(claimed=7), file(claimed=1), file(claimed=0),
          file(claimed=2**32 - 1), file() + b"data\0\0\0\0", file()[:36], file()[:20], file()[:40], b"", b"RIFX" + file()[4:], file(channels=1), file(rate=2**31, second=1), file(channels=1, rate=2**30), file(channels=3, samples=(1, 2, 3, 4)), file(samples=())):
    r.ask("DecodeWav", [f])
r.close()
