# Records float8.json.gz: what ml_dtypes makes of 8-bit floats.
import gzip
import json

import ml_dtypes
import numpy as np

rng = np.random.default_rng(1)
out = {}
for name in ["float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz"]:
    dt = getattr(ml_dtypes, name)
    values = np.arange(256, dtype=np.uint8).view(dt).astype(np.float32)
    finite = np.sort(values[np.isfinite(values)])
    mids = (finite[1:].astype(np.float64) + finite[:-1]) / 2
    inputs = np.concatenate([
        mids, np.nextafter(mids.astype(np.float32), np.float32(np.inf)),
        np.nextafter(mids.astype(np.float32), np.float32(-np.inf)),
        finite, [np.inf, -np.inf, 0, -0.0, 1e-30, -1e-30, 1e-45, 3e38, -3e38],
        finite.max() * np.array([1.01, 1.05, 1.0625, 1.07, 1.125, 1.2, 1.5, 2]),
        rng.normal(size=100) * 10.0 ** rng.integers(-8, 8, 100),
    ]).astype(np.float32)
    out[name] = {
        "values": [repr(float(v)) for v in values],
        "inputs": [int(b) for b in inputs.view(np.uint32)],
        "rounds": [int(b) for b in inputs.astype(dt).view(np.uint8)],
    }
with gzip.open("float8.json.gz", "wt") as f:
    json.dump(out, f, separators=(",", ":"))
    f.write("\n")
