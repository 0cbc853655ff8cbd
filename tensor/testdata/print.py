# Records print.json.gz: how NumPy prints arrays.
import gzip
import base64
import json

import ml_dtypes
import numpy as np

rng = np.random.default_rng(2)
nan, inf = np.nan, np.inf
cases = []


def add(value, dtype):
    a = np.asarray(value, dtype=object if dtype == "string" else getattr(ml_dtypes, dtype, None) or dtype)
    if dtype == "string":
        data = [base64.b64encode(s).decode() for s in a.ravel().tolist()]
    elif dtype in ("int4", "uint4", "int2", "uint2"):
        data = base64.b64encode(a.astype(np.int8).tobytes()).decode()
    else:
        data = base64.b64encode(a.tobytes()).decode()
    key = "strings" if dtype == "string" else "bytes"
    cases.append({"dtype": dtype, "shape": list(a.shape), key: data, "text": str(a)})


for dt in ["float16", "float32", "float64"]:
    for v in [0, -0.0, 1, -1, 3.5, 0.1, 1 / 3, 1e-4, 0.00012, 9e-5, 1e-7, 999, 1000, 1234, 65504, 99999, 999999,
              1e6, 1234567, 1e8, 1e15, 1e16, 1.7e17, 1e38, nan, inf, -inf]:
        if dt != "float16" or not abs(v) > 65504 or np.isinf(v):
            add(v, dt)
    for v in [[], [1], [1, 2, 3], [0.5, -1.25, 10], [1 / 3, 2 / 3, -1], [0, 0], [-0.0, 0], [nan], [inf], [-inf],
              [nan, 1], [inf, -inf, nan], [nan, 1.5, -inf], [1e-5, 1], [1e-3, 1, 1000], [1e-3, 1, 1001], [999, 1],
              [1000, 1000], [1234.5, 1000], [0.0001, 0.01], [0.1, 100.1], [1e-4, 1e-4], [123, 0.5, nan, -inf],
              [[1, 2], [3, 4]], [[[1, 2], [3, 4]], [[5, 6], [7, 8.5]]], np.ones((1, 1, 1, 2)), np.zeros((0, 3)),
              np.zeros((2, 0)), np.arange(30) / 7, -np.arange(30) * 1.0, rng.normal(size=(3, 12)),
              rng.normal(size=40) * 10.0 ** rng.integers(-4, 3, 40)]:
        add(v, dt)
for dt in ["float32", "float64"]:
    for v in [[1e6, 1], [999999, 1], [1e8, 1e8], [99999999, 1e5], [1e10, nan], [1e10, -inf, 1], [1e-30, 1e30],
              [1.5e-40, 0], [12345678.9, 1e7], np.arange(1001), np.arange(1001) / 3, np.arange(2000).reshape(20, 100),
              np.arange(3000).reshape(10, 10, 30) / 8, np.arange(1200).reshape(2, 600), np.arange(1000),
              rng.normal(size=(7, 200))]:
        add(v, dt)
add([1e100, 1], "float64")
add([1e-300, 1e300, nan], "float64")
add(1e300, "float64")
add(123456789012345680, "float64")
for dt in ["complex64", "complex128"]:
    for v in [1 + 2j, 2j, -1j, 1, complex(-0.0, 2), complex(1, -0.0), complex(nan, inf), complex(inf, nan), 1e6 + 1j,
              1.5e-7 + 3j, 0, [1 + 2j, -3.25 - 4j], [complex(nan, 1), complex(1, -inf)], [1e10 + 1j, 1], [[1j, 2], [3, 4 - 1j]],
              [1.5 + 1e-5j, 2], [], np.arange(9) * (1 + 0.5j)]:
        add(v, dt)
for dt in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
    info = np.iinfo(dt)
    for v in [0, 7, info.max, info.min, [], [1, 22, 3], [info.min, 0, info.max], [[1, 2], [30, 4]], [[[1]], [[2]]]]:
        add(v, dt)
for v in [-5, [-1, 10, -100], np.arange(100), np.arange(-50, 50), np.arange(5000), np.arange(2048).reshape(2, 4, 256),
          np.arange(1001).reshape(1001, 1), np.arange(64).reshape(2, 2, 2, 2, 2, 2)]:
    add(v, "int32")
for v in [True, False, [], [True, False], [True], [False, False], [[True], [False]], np.arange(50) % 3 == 0]:
    add(v, "bool")
for v in [b"", b"abc", b"it's", b'"', b"'\"", b"a\\b\t\n\r\x00\x7f\xff", "ü".encode()]:
    add(v, "string")
for v in [[b"a", b"bc"], [b""], [[b"x", b"yy"], [b"zzz", b"'"]], [b"word%d" % i for i in range(40)], [b"long" * 30, b"s", b"t"]]:
    add(v, "string")
for dt in ["bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz"]:
    for v in [0, 1, 1.5, -2.75, 3.14159, 0.001, nan, [1, 2, -0.5], [[1, 0.1], [7, 0]], 12.5]:
        add(v, dt)
for v in [1e10, 1e-10, 100000, 1234567, -inf, [1e5, 1e6, 1e-5, 0.0001]]:
    add(v, "bfloat16")
for dt, v in [("int4", [-8, 7, 0]), ("uint4", [15, 0, 1]), ("int2", [-2, 1]), ("uint2", [3, 0]), ("int4", -3), ("uint2", 2)]:
    add(v, dt)
with gzip.open("print.json.gz", "wt") as f:
    json.dump(cases, f, indent=0)
    f.write("\n")
