"""Writes edges.jsonl; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "edges.jsonl"))
x = np.arange(12, dtype=np.float32).reshape(4, 3)
for policy in ("", "DEFAULT", "ERROR", "IGNORE", "SKIP"):
    for index in ([[1], [4], [-1], [3]], [[0], [1], [2], [3]]):
        i = np.array(index, np.int32)
        u = 10 + np.arange(12, dtype=np.float32).reshape(4, 3)
        r.ask("GatherNd", [x, i], bad_indices_policy=policy)
        r.ask("ScatterNd", [i, u, np.array([4, 3], np.int32)], bad_indices_policy=policy)
        for op in ("ScatterNdNonAliasingAdd", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMin", "TensorScatterMax", "TensorScatterUpdate"):
            r.ask(op, [x, i, u], bad_indices_policy=policy)
    i = np.array([[1, 2], [1, 3], [-1, 0], [4, 0], [0, 1]], np.int64)
    u = np.arange(5, dtype=np.int32) + 1
    r.ask("GatherNd", [x, i], bad_indices_policy=policy)
    r.ask("GatherNd", [np.array([["a", "b", "c"], ["d", "e", "f"]], object), i], bad_indices_policy=policy)
    r.ask("ScatterNd", [i, u, np.array([4, 3], np.int64)], bad_indices_policy=policy)
    r.ask("TensorScatterAdd", [x.astype(np.int32), i, u], bad_indices_policy=policy)
for op in ("InplaceSub", "InplaceAdd", "InplaceUpdate"):
    r.ask(op, [np.zeros((0, 2), np.float32), np.zeros(0, np.int32), np.zeros((0, 2), np.float32)])
    r.ask(op, [np.zeros((2, 0), np.float32), np.array([1], np.int32), np.zeros((1, 0), np.float32)])
r.close()
