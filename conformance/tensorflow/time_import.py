"""Times TensorFlow's import of a GraphDef through its C API, shapes inferred.

    python conformance/tensorflow/time_import.py layers/layers_100007.pb

`troupe bench` prints Troupe's import_ms for the same file.
"""
import os
import statistics
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import capi

lib = capi.Library()
graph_def = open(sys.argv[1], "rb").read()
samples = []
for _ in range(5):
    graph = capi.Graph(lib)
    begin = time.perf_counter()
    graph.importing(graph_def, {})
    samples.append((time.perf_counter() - begin) * 1e3)
    graph.close()
print("import_ms: median %.0f, best %.0f" % (statistics.median(samples), min(samples)))
