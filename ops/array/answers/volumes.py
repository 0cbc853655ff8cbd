"""Writes volumes.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "volumes.jsonl.gz"), isolated=True)
x = np.arange(2 * 3 * 4 * 3 * 2, dtype=np.int32).reshape(2, 3, 4, 3, 2)
for size, step in (((1, 2, 2), (1, 1, 1)), ((2, 3, 1), (2, 1, 3)), ((3, 3, 3), (1, 2, 2)), ((4, 1, 1), (1, 1, 1)), ((0, 1, 1), (1, 1, 1))):
    for padding in ("SAME", "VALID"):
        r.ask("ExtractVolumePatches", [x], ksizes=[1, *size, 1], strides=[1, *step, 1], padding=padding)
r.ask("ExtractVolumePatches", [x[0]], ksizes=[1, 1, 1, 1, 1], strides=[1, 1, 1, 1, 1], padding="SAME")
r.ask("ExtractVolumePatches", [x[:0]], ksizes=[1, 1, 2, 1, 1], strides=[1, 1, 1, 1, 1], padding="SAME")
r.close()
