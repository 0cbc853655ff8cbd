"""Writes normalization.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

rng = np.random.default_rng(3)


def x(*shape, dt=np.float32):
    return rng.standard_normal(shape).astype(dt)


r = Recorder(os.path.join(HERE, "normalization.jsonl.gz"))
F = np.float32
no = np.zeros(0, F)
for fmt, shape in [("NHWC", (2, 3, 4, 3)), ("NCHW", (2, 3, 4, 3)), ("NHWC", (1, 1, 1, 3)), ("NDHWC", (2, 2, 2, 2, 3)), ("NCDHW", (2, 3, 2, 2, 2)), ("NHWC", (0, 3, 4, 3))]:
    s, o, m, v = x(3), x(3), x(3), np.abs(x(3)) + 1
    for op in ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"]:
        if len(shape) == 5 and op != "FusedBatchNormV3":
            continue
        for dt in [F] if op == "FusedBatchNorm" else [F, np.float16]:
            a = x(*shape, dt=dt)
            r.ask(op, [a, s, o, no, no], data_format=fmt, only=5 if shape[0] else 3)
            r.ask(op, [a, s, o, m, v], data_format=fmt, exponential_avg_factor=0.25, only=5 if shape[0] else 3)
            r.ask(op, [a, s, o, m, v], data_format=fmt, is_training=False, epsilon=0.5, only=3)
            if shape[0] == 0 or dt == np.float16:
                continue
            g = op.replace("Norm", "NormGrad")
            extra = [no] if op.endswith("V3") else []
            for training in (True, False) if fmt != "NCDHW" else (True,):
                r.ask(g, [x(*shape, dt=dt), a, s, m, v] + extra, data_format=fmt, is_training=training, epsilon=0.1, only=3)
d = x(2, 2, 3, 3)
r.ask("FusedBatchNormV3", [d, x(2), x(3), x(3), x(3)], is_training=False)
r.ask("FusedBatchNormV3", [d, x(3), x(3), x(2), x(3)], is_training=False)
r.ask("FusedBatchNormGradV3", [x(2, 2, 3, 2), d, x(3), x(3), x(3), no])
for dt in (F, np.float16):
    for kw in (dict(), dict(depth_radius=1, bias=2.0, alpha=0.5, beta=0.75)):
        a = x(1, 2, 2, 7, dt=dt)
        r.ask("LRN", [a], **kw)
        r.ask("LRNGrad", [x(1, 2, 2, 7, dt=dt), a, x(1, 2, 2, 7, dt=dt)], **kw)
r.ask("LRN", [x(2, 2, 7)])
r.close()

r = Recorder(os.path.join(HERE, "top.jsonl.gz"))
for dt in (F, np.float64, np.float16, np.int32, np.int64, np.uint8, np.int8, np.int16, np.uint16, np.uint32, np.uint64):
    a = np.abs(np.round(x(3, 20) * 3)).astype(dt)
    for k in (0, 1, 3, 4, 5, 12, 20):
        r.ask("TopKV2", [a, np.int32(k)])
r.ask("TopKV2", [x(2, 2, 5), np.int64(2)], index_type=tf.int64)
r.ask("TopKV2", [x(2, 2, 5), np.int16(2)], index_type=tf.int16)
r.ask("TopKV2", [x(2, 2, 5), np.int32(6)])
r.ask("TopKV2", [x(2, 2, 5), np.int32(-1)])
r.ask("TopKV2", [x(), np.int32(1)])
r.ask("TopKV2", [x(3), np.array([1], np.int32)])
r.ask("TopKV2", [x(0, 3), np.int32(2)])
p = np.array([[1, 2, 2, 3], [1, np.inf, 2, 0], [np.nan, 1, 2, 3], [4, 4, 4, 4], [1, 2, 3, 4]], F)
for k in (0, 1, 2, 5):
    for t in ([1, 2, 3, 0, 0], [3, 1, 0, 9, -1]):
        r.ask("InTopK", [p, np.array(t, np.int32)], k=k)
        r.ask("InTopKV2", [p, np.array(t, np.int64), np.int64(k)])
r.ask("InTopK", [p, np.array([1, 2], np.int32)], k=1)
r.ask("InTopK", [p[0], np.array([1, 2], np.int32)], k=1)
i32 = lambda *v: np.array(v, np.int32)
for s, d in [("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NHWC", "HWNC"), ("NDHWC", "NCDHW")]:
    r.ask("DataFormatDimMap", [np.arange(-len(s), len(s)).astype(np.int32)], src_format=s, dst_format=d)
    r.ask("DataFormatVecPermute", [np.arange(len(s)).astype(np.int32)], src_format=s, dst_format=d)
    r.ask("DataFormatVecPermute", [np.arange(2 * len(s)).reshape(-1, 2).astype(np.int64)], src_format=s, dst_format=d)
r.ask("DataFormatVecPermute", [i32(7, 8)], src_format="NHWC", dst_format="NCWH")
r.ask("DataFormatVecPermute", [i32(7, 8)], src_format="NHWC", dst_format="NCHW")
r.ask("DataFormatVecPermute", [i32(7, 8, 9)], src_format="NHWC", dst_format="NCHW")
r.ask("DataFormatVecPermute", [i32(7, 8, 9)], src_format="NDHWC", dst_format="NCDHW")
r.ask("DataFormatVecPermute", [np.int32(7)], src_format="NHWC", dst_format="NCHW")
r.ask("DataFormatVecPermute", [np.zeros((4, 3), np.int32)], src_format="NHWC", dst_format="NCHW")
r.ask("DataFormatDimMap", [i32(1)], src_format="NHWC", dst_format="NCHX")
r.ask("DataFormatDimMap", [i32(1)], src_format="NHW", dst_format="NCH")
r.close()
