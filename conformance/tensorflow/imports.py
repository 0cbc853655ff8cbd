"""Records what TensorFlow answers to imports, as an archive of conformance cases.

    python imports.py OUT.zip [--count 2000] [--seed 1] [--ops OPS.pb] [--every-op] GRAPH.pb...
    python imports.py OUT.zip --chosen
    python imports.py OUT.zip --plain GRAPH.pb...

The first form imports mutations of the graphs, with random options; the second
the imports of importchosen.py; the third the graphs as they are. All go through
TensorFlow's C API. `troupe conformance OUT.zip` compares. It needs the Python
package tensorflow 2.21.
"""
import argparse
import collections
import json
import os
import pickle
import random
import re
import sys
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402
from tensorflow.core.framework import graph_pb2, op_def_pb2  # noqa: E402

import capi  # noqa: E402
import importchosen  # noqa: E402
import importmutations  # noqa: E402

# A Job is an import to be tried; into is the graph it goes into, or None.
Job = collections.namedtuple("Job", "name about graph options into")


def into_graph():
    """The graph that imports go into: importmutations.INTO_NAMES."""
    with tf.Graph().as_default() as g:
        x = tf.compat.v1.placeholder(tf.float32, name="in")
        tf.compat.v1.placeholder(tf.int32, name="ii")
        tf.split(x, 2, name="split")
        tf.negative(x, name="x")
        tf.no_op(name="noop")
        tf.raw_ops.VariableV2(shape=[], dtype=tf.float32, name="v")
        tf.identity(x, name="s/t/u")
        tf.identity(x, name="m/x")
    return g.as_graph_def().SerializeToString()


def gist(message):
    """The part of a message that says what is wrong."""
    message = re.sub(r"^.*_output_shapes attribute \(shape #\d+ error:'(.*?)\.?'$", r"\1", message)
    message = re.sub(r"^Converting GraphDef to Graph has failed with an error: '(.*)' The binary trying.*$", r"\1", message, flags=re.S)
    ends = r"(?<=removed in version \d)\.|(?<=removed in version \d\d)\.|\n|; NodeDef|; Op<| in binary running|\.  Please| supported by TensorFlow| for TensorFlow| for '"
    return re.split(ends, message)[0]


def record(lib, job):
    """What TensorFlow answers: the "import" of a case and its files; None where the answer is no graph."""
    g = capi.Graph(lib)
    case = {"graph": "graph.pb", **{k: v for k, v in job.options.items() if v}}
    files = {"graph.pb": job.graph}
    try:
        if job.into:
            case["into"], files["into.pb"] = "into.pb", job.into
            g.importing(job.into, {})
        try:
            returned = g.importing(job.graph, job.options)
        except capi.Refused as e:
            case["error"] = {"code": e.code, "contains": gist(e.message), "seen": e.message}
            return case, files
        case.update({k: v for k, v in returned.items() if v})
        case["result"], files["result.pb"] = "result.pb", g.graph_def()
        if any(u == "^" or u.startswith(":") for u in case.get("result_unused_input_map", [])):
            return None  # TensorFlow has lost the name
        names = collections.Counter(n.name for n in graph_pb2.GraphDef.FromString(files["result.pb"]).node)
        if names and max(names.values()) > 1:
            return None  # two nodes of one name
        return case, files
    finally:
        g.close()


def chosen(into):
    for name, nodes, options, *changes in importchosen.chosen():
        g = graph_pb2.GraphDef(node=nodes)
        g.versions.producer = 2474
        for change in changes:
            change(g)
        options = dict(options)
        uses = options.pop("into", False)
        yield Job(name, name.replace("_", " "), g.SerializeToString(), options, into if uses else None)


def mutated(seeds, count, into, r):
    """Jobs that import mutations of the seeds, which are pairs of a name and a GraphDef."""
    for i in range(count):
        path, seed = r.choice(seeds)
        g, options, done = graph_pb2.GraphDef.FromString(seed), {}, []
        for _ in range(r.choices([0, 1, 2, 3], [1, 12, 4, 1])[0]):
            f = r.choice(importmutations.MUTATIONS)
            if g.node:
                f(g, r, options)
                done.append(f.__name__)
        uses = "input_map" in options or "control_dependencies" in options or r.random() < .1 or any(
            name in ("uniquify", "collide", "prefix") for name in done)
        about = (", ".join(done) or "as it is") + " of " + path
        yield Job("%05d" % i, about, g.SerializeToString(), options, into if uses else None)


def in_children(work, jobs, batch=200):
    """Yields each job with work(job), done in child processes; one that dies loses one job."""
    i = 0
    while i < len(jobs):
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(r)
            with os.fdopen(w, "wb") as f:
                for job in jobs[i:i + batch]:
                    pickle.dump(work(job), f)
                    f.flush()
            os._exit(0)
        os.close(w)
        with os.fdopen(r, "rb") as f:
            try:
                while True:
                    answer = pickle.load(f)
                    yield jobs[i], answer
                    i += 1
            except EOFError:
                pass
        _, status = os.waitpid(pid, 0)
        if status:
            print("TensorFlow died of", jobs[i].name, jobs[i].about, file=sys.stderr)
            i += 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    p.add_argument("graphs", nargs="*")
    p.add_argument("--chosen", action="store_true")
    p.add_argument("--plain", action="store_true")
    p.add_argument("--count", type=int, default=2000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--ops", help="an OpList of the operations to know; all of TensorFlow's without it")
    p.add_argument("--every-op", action="store_true", help="add a graph for each operation")
    p.add_argument("--only", default="", help="mutations to choose from, separated by commas")
    a = p.parse_intermixed_args()

    lib, into, r = capi.Library(), into_graph(), random.Random(a.seed)
    ops = op_def_pb2.OpList.FromString(open(a.ops, "rb").read() if a.ops else lib.all_ops())
    importmutations.know(ops.op, a.only.split(",") if a.only else [])
    seeds = [(path, open(path, "rb").read()) for path in a.graphs]
    if a.every_op:
        seeds += [(op.name, importmutations.op_graph(op, r).SerializeToString()) for op in ops.op]
    if a.chosen:
        jobs = list(chosen(into))
    elif a.plain:
        jobs = [Job("%05d" % i, path, data, {}, None) for i, (path, data) in enumerate(seeds)]
    else:
        jobs = list(mutated(seeds, a.count, into, r))

    with zipfile.ZipFile(a.out, "w", zipfile.ZIP_DEFLATED) as z:
        def write(name, data):
            z.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)  # the same bytes at any time
        for job, answer in in_children(lambda job: record(lib, job), jobs):
            if answer is None:
                continue
            case, files = answer
            used = sorted({n.op for n in graph_pb2.GraphDef.FromString(job.graph).node})
            write(job.name + "/case.json", json.dumps({
                "about": job.about, "tags": ["import"], "ops": used, "tolerance": {"exact": True},
                "import": case, "steps": []}, indent=1, ensure_ascii=False))
            for file, data in files.items():
                write(job.name + "/" + file, data)


if __name__ == "__main__":
    main()
