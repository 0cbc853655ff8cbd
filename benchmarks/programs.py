"""Makes benchmark graphs of programs that were recorded from TensorFlow.

    pip install tensorflow-cpu==2.21.0
    python benchmarks/programs.py programs conformance/testdata/control.zip
    go run ./cmd/troupe bench programs
    python benchmarks/time_tensorflow.py programs

Every case program_NAME of the archive becomes programs/NAME.pb, with what it was
fed as constants, and a row of programs/graphs.json.
"""
import json
import os
import sys
import zipfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
from tensorflow.core.framework import graph_pb2, node_def_pb2, tensor_pb2

folder, archive = sys.argv[1], zipfile.ZipFile(sys.argv[2])
os.makedirs(folder, exist_ok=True)
table = {}
for case in sorted({name.split("/")[0] for name in archive.namelist()}):
    if not case.startswith("program_"):
        continue
    script = json.loads(archive.read(f"{case}/case.json"))
    graph = graph_pb2.GraphDef.FromString(archive.read(f"{case}/graph.pb"))
    step = [s for s in script["steps"] if "expect" in s][-1]
    for feed, file in step["feeds"].items():
        name = feed.partition(":")[0]
        value = tensor_pb2.TensorProto.FromString(archive.read(f"{case}/{file}"))
        constant = node_def_pb2.NodeDef(name=name, op="Const")
        constant.attr["dtype"].type = value.dtype
        constant.attr["value"].tensor.CopyFrom(value)
        next(n for n in graph.node if n.name == name).CopyFrom(constant)
    name = case.removeprefix("program_")
    with open(os.path.join(folder, name + ".pb"), "wb") as file:
        file.write(graph.SerializeToString())
    table[name] = {"feeds": {}, "fetch": step["fetches"][0], "nodes": len(graph.node), "unit": "run", "work": 1}
with open(os.path.join(folder, "graphs.json"), "w") as file:
    json.dump(table, file, indent=1)
