# Records npy.json.gz: files that NumPy writes.
import gzip
import base64
import io
import json

import numpy as np
from numpy.lib import format

b64 = lambda b: base64.b64encode(b).decode()
cases = []


def add(a, version=None):
    f = io.BytesIO()
    format.write_array(f, a, version=version)
    c = {"file": b64(f.getvalue()), "shape": list(a.shape)}
    if a.dtype.kind in "SU":
        c["strings"] = [b64(s if isinstance(s, bytes) else s.encode()) for s in a.ravel().tolist()]
        c["dtype"] = "string"
    else:
        c["bytes"] = b64(np.ascontiguousarray(a.astype(a.dtype.newbyteorder("<"))).tobytes())
        c["dtype"] = a.dtype.name
    cases.append(c)


for dt in ["?", "i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "u1", "<u2", ">u2", "<u4", ">u4", "<u8", ">u8",
           "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<c8", ">c8", "<c16", ">c16"]:
    for a in [np.array(1), np.arange(3), np.arange(6).reshape(2, 3), np.zeros((0, 2))]:
        add(a.astype(dt))
    add(np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype(dt)))
add(np.array([b"abc", b"", b"de\x00f"]))
add(np.array(b"scalar"))
add(np.array([["ü", "日本"], ["", "x"]]))
add(np.array([["ü", "日本"], ["", "x"]]).astype(">U2"))
add(np.asfortranarray(np.array([[b"a", b"b", b"c"], [b"d", b"e", b"f"]])))
add(np.arange(4.0), version=(2, 0))
add(np.arange(4.0), version=(3, 0))
with gzip.open("npy.json.gz", "wt") as f:
    json.dump(cases, f, indent=0)
    f.write("\n")
