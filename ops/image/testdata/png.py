"""Writes png.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(9)
r = Recorder(os.path.join(HERE, "png.jsonl.gz"))
for dt in (np.uint8, np.uint16):
    for c in (1, 2, 3, 4):
        image = rng.integers(0, np.iinfo(dt).max, (5, 7, c)).astype(dt)
        with tf.Graph().as_default(), tf.compat.v1.Session() as s:
            file = s.run(tf.raw_ops.EncodePng(image=image))
        for channels in (0, 1, 3, 4):
            for to in (tf.uint8, tf.uint16):
                if (channels == 1 and c > 2) or dt != to.as_numpy_dtype:
                    continue
                r.ask("DecodePng", [np.array(file, object)], channels=channels, dtype=to)
r.ask("DecodePng", [np.array(file[:40], object)])
r.ask("DecodePng", [np.array([file], object)])
r.close()
