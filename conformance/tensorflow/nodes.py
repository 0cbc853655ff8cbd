"""Asks TensorFlow for the answers to random nodes, as rows of nodes.json.

For every operation of a list, the script draws nodes with random types,
attributes, shapes and values, executes each (execute.py), and writes down what
TensorFlow puts out, or the code of its error. `troupe conformance` on the
folder that nodes.json is in compares; grouped.py sorts what differs.

Nodes are found by mutation, as in shapes.py: that script's search gives nodes
that the shape function accepts, and every node that is executed may be the
ancestor of others, of which an attribute, a shape or some values differ. Nodes
in recorded cases (--seeds) are ancestors too.

A node that makes TensorFlow end its process, or wait forever, is reported on
standard error and left out, as is one whose answer is not the same twice. The
same seed gives the same rows.

    troupe ops | awk '/^k/ {print $2}' > ops.txt
    python nodes.py --opdefs ../../registry/testdata/ops.pb --ops ops.txt --trials 130 nodes.json
"""

import argparse
import copy
import json
import math
import random
import re
import sys
import zipfile
import zlib

import numpy as np

import execute
import nodeschosen
import shapes
from tensorflow.core.framework import graph_pb2, op_def_pb2, tensor_pb2
from tensorflow.python.framework import tensor_util

# Operations that are left out, by the beginnings of their names, and why.
LEFT_OUT = {
    "have no kernel of their own, or call functions; programs and functional cases have them":
        "Case If While StatelessCase StatelessIf StatelessWhile PartitionedCall StatefulPartitionedCall Enter Exit LoopCond Merge$ NextIteration "
        "Switch RefEnter RefExit RefMerge RefNextIteration RefSwitch MapDefun For$ RemoteCall SymbolicGradient",
    "draw numbers that depend on what was drawn before":
        "RandomGamma RandomPoisson RandomShuffle RandomStandardNormal RandomUniform TruncatedNormal Multinomial ParameterizedTruncatedNormal "
        "StatefulRandomBinomial StatefulStandardNormal StatefulTruncatedNormal StatefulUniform RngReadAndSkip RngSkip LogUniformCandidateSampler "
        "ThreadUnsafeUnigramCandidateSampler UniformCandidateSampler LearnedUnigramCandidateSampler FixedUnigramCandidateSampler AllCandidateSampler "
        "ExtractGlimpse FractionalAvgPool$ FractionalMaxPool$",
    "work on what other operations keep in the session; groups state and training have them":
        "Queue FIFOQueue FakeQueue PaddingFIFOQueue PriorityQueue RandomShuffleQueue Stack$ StackV2 StackClose StackPop StackPush Stage Unstage Map "
        "OrderedMap Accumulator ConditionalAccumulator ResourceAccumulator ResourceConditionalAccumulator SparseAccumulator SparseConditional Lookup "
        "HashTable MutableHashTable MutableDenseHashTable AnonymousHashTable AnonymousMutable InitializeTable TensorArray Mutex ConsumeMutexLock "
        "GetSession DeleteSessionTensor Barrier AddManySparse AddSparse TakeManySparse DestroyResourceOp DestroyTemporaryVariable TemporaryVariable "
        "VarHandleOp Variable$ VariableV2 Optional DisableCopyOnRead Iterator OneShot MakeIterator Anonymous DeepCopy",
    "read or write files": "ReadFile WriteFile MatchingFiles SaveV2 Save$ SaveSlices RestoreV2 Restore MergeV2Checkpoints ImmutableConst Reader WholeFile TextLine TFRecord "
        "FixedLength IdentityReader LMDB WriteScalarSummary CreateSummary CloseSummary FlushSummary ImportEvent SummaryWriter Write",
    "end the process, print, tell the time or the device, or compute nothing":
        "Abort Print$ PrintV2 Timestamp DeviceIndex Const$ Placeholder FakeParam NoOp ControlTrigger StatelessRandomGetAlg Empty$ ParallelConcat _",
    "make datasets": ".*Dataset",
}


def left_out(name):
    return any(re.match(w if w.endswith("$") or w.startswith(".") else re.escape(w), name) for words in LEFT_OUT.values() for w in words.split())


# Elements of a type: those that keep an operation in its ordinary range, and those at the edges.
PLAIN_FLOATS = ["0", "1", "-1", "2", "0.5", "-0.5", "1.5", "0.25", "3", "-2", "0.1", "0.9", "-1.25", "4", "2.5", "0.75", "-3.5", "7"]
EDGE_FLOATS = ["0", "-0", "nan", "inf", "-inf", "1", "-1", "0.5", "-0.5", "1.5", "2.5", "-2.5", "-1.5", "1e-30", "-1e-30", "1e30", "-1e30", "80", "-80", "100", "400", "-1000", "710",
               "127.5", "128", "255", "256", "1e4", "-1e4", "1e-4", "-1e-4", "65504", "2147483648", "-2147483648", "9.2233720e18", "3.4028235e38", "-3.4028235e38", "1.1754944e-38",
               "3.1415927", "0.99999994", "1.0000001", "16777216", "1e9", "1e-9", "1e300", "0.33333334"]
PLAIN_INTS = ["0", "0", "1", "1", "2", "2", "3", "4", "5", "-1", "-2", "-3", "7", "8"]
EDGE_INTS = [0, 1, -1, 2, -2, 7, 8, 9, 15, 16, 31, 32, 33, 63, 64, 100, -100, 127, 128, 255, 256, 1000, 32767, 65535, 2**31 - 1, -2**31, 2**31, 2**32, 2**63 - 1, -2**63, 2**64 - 1]
STRINGS = ["", "", "a", "b", "ab", "abc", "a", "b", "Hello World", "1", "-2.5", "3", "1e3", " 7 ", "nan", "inf", "-inf", "0x10", "9223372036854775808", "1,2", "1,2,3", "a,b,c", "\"a\",1",
           "x y  z", " pad ", "%d", "a.*", "(b)", "[", "\\1", "true", "aGVsbG8", "YWJj", "YQ==", "_-_-", "\xc3\xa9", "\xe6\x97\xa5\xe6\x9c\xac", "\xff\xfe", "\xf0\x9f\x98\x80", "\0", "UTF-8",
           "\0\0\x80?", "12345678", "\x08\x01\x12\x04\x12\x02\x08\x01\x22\x04\0\0\x80?", "{}", "\xc3", "A,B", "one two", "\n"]
ELEMENTS = 600  # of an input, at most

EXACT = re.compile(
    r"(Abs|Add|AddV2|Sub|Mul|Neg|Sign|Square|Maximum|Minimum|Identity|IdentityN|Snapshot|Reshape|Transpose|ConjugateTranspose|Slice|StridedSlice|StridedSliceGrad|Split|SplitV|Concat|ConcatV2|Pack|Unpack"
    r"|Pad|PadV2|MirrorPad|Tile|Gather|GatherV2|GatherNd|ScatterUpdate|ScatterNdUpdate|TensorScatterUpdate|Reverse|ReverseV2|ReverseSequence|Roll|Select|SelectV2|Where|Squeeze|ExpandDims|Fill|OneHot|ZerosLike"
    r"|OnesLike|BroadcastTo|MatrixDiag.*|MatrixSetDiag.*|MatrixBandPart|Diag|DiagPart|Ceil|Floor|Rint|Round|Relu|Relu6|ReluGrad|Relu6Grad|Cast|Bitcast|Real|Imag|Conj|Complex|Max|Min|TopK|TopKV2|Unique.*|ListDiff"
    r"|SpaceTo.*|DepthToSpace|BatchToSpace.*|ResizeNearestNeighbor|MaxPool|MaxPoolV2|MaxPool3D|SegmentMax|SegmentMin|UnsortedSegmentM.*|Dynamic.*|ParallelDynamicStitch|InplaceUpdate|DeepCopy|StopGradient|PreventGradient"
    r"|CheckNumerics.*|ClipByValue|NextAfter|InvertPermutation|EnsureShape|Assign.*|TensorList.*|ResourceGather.*|ReadVariableOp|DecodeRaw|TensorScatterM.*|Copy.*|Sort.*|NthElement|DataFormat.*|ExtractImagePatches)$")
SUMS = re.compile(
    r"(MatMul|.*MatMul.*|Einsum|.*Conv.*|.*Pool.*|Sum|Mean|Prod|Cum.*|EuclideanNorm|L2Loss|.*Segment.*|.*Norm.*|.*LSTM.*|GRU.*|.*FFT.*|Cholesky.*|Matrix.*|LogMatrixDeterminant|Lu|Qr|Svd|SelfAdjointEigV2|Eig|Tridiag.*"
    r"|Banded.*|.*Softmax.*|CTC.*|Resize.*|CropAndResize.*|ScaleAndTranslate|LRN.*|BiasAddGrad|AddN|AccumulateNV2|Accumulate.*|.*Grad|Sparse.*|Mfcc|AudioSpectrogram|Adjust.*|HSVToRGB|RGBToHSV|Image.*|.*Apply.*|Cross|.*Quant.*"
    r"|.*Scatter.*|Dilation.*|Bincount|DenseBincount|Ragged.*|.*InTopK.*|Draw.*|LinSpace|Range|Betainc|Igamma.*|Zeta|Polygamma|Stateless.*|.*Accumulate.*|BatchNorm.*|FakeQuant.*|Requant.*|Dequantize|.*Backprop.*|TridiagonalSolve|HistogramFixedWidth)$")
EPSILON = {"DT_FLOAT": 2.0**-23, "DT_COMPLEX64": 2.0**-23, "DT_DOUBLE": 2.0**-52, "DT_COMPLEX128": 2.0**-52, "DT_HALF": 2.0**-10, "DT_BFLOAT16": 2.0**-7}
SMALLEST = {"DT_FLOAT": 1.18e-38, "DT_COMPLEX64": 1.18e-38, "DT_BFLOAT16": 1.18e-38, "DT_DOUBLE": 2.3e-308, "DT_COMPLEX128": 2.3e-308, "DT_HALF": 1e-7}


def tolerance(row):
    """What the row's floats may differ by: eight units in the last place, or of the largest number where an operation adds up."""
    outputs = [o for o in row["outputs"] + row.get("after", []) if o]
    types = [o["dtype"] for o in outputs if o["dtype"] in EPSILON]
    if not types:
        return {}
    if EXACT.match(row["op"]):
        return {"exact": True}
    eps = max(EPSILON[t] for t in types)
    atol = max(SMALLEST[t] for t in types)
    if SUMS.match(row["op"]):
        largest = 0.0
        for v in outputs + row["inputs"]:
            v = v.get("variable") or v.get("list") or v
            if v["dtype"].removesuffix("_REF") in EPSILON and v["value"] is not None:
                for x in re.findall(r"\d[\d.e+-]*", v["value"]):
                    x = float(re.match(r"\d[\d.]*(e[+-]?\d+)?", x)[0])
                    largest = max(largest, x if math.isfinite(x) and x < 1e100 else 0)
        atol = max(atol, 64 * eps * largest)
    return {"rtol": 8 * eps, "atol": atol}


class Drawer(shapes.Maker):
    """Draws nodes of one operation with values. An input is {"shape", "value"}, the value a list of texts."""

    def __init__(self, op, rng):
        super().__init__(op, rng)
        self.ancestors = []  # that were not executed yet
        self.unknown_types = set()  # for which there is no kernel

    def shape(self):
        rng = self.rng
        while True:
            shape = [rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8]) for _ in range(rng.choice([0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5]))]
            if math.prod(shape) <= ELEMENTS:
                return shape

    def element(self, dtype, edge):
        rng = self.rng
        if dtype == "DT_STRING":
            return rng.choice(STRINGS)
        if dtype == "DT_BOOL":
            return rng.choice(["true", "false"])
        if dtype in ("DT_COMPLEX64", "DT_COMPLEX128"):
            if edge and rng.random() < 0.3:
                return rng.choice(["355+1j", "710", "1+400j", "1e9", "-1e9", "1e8+1j", "1e4j", "1+1e9j", "0j", "-0j", "inf", "nan", "1e-30+1e-30j"])
            parts = [self.element("DT_DOUBLE", edge) for _ in range(2)]
            return parts[0] + (parts[1] if parts[1][0] == "-" else "+" + parts[1]) + "j"
        for _ in range(1000):
            x = rng.choice(PLAIN_INTS)
            if dtype in ("DT_HALF", "DT_BFLOAT16", "DT_FLOAT", "DT_DOUBLE") or "FLOAT8" in dtype:
                x = rng.choice(EDGE_FLOATS if edge else PLAIN_FLOATS)
            elif edge:
                x = str(rng.choice(EDGE_INTS))
            if execute.fits(x, dtype):
                return x
        raise ValueError(f"no elements of {dtype}")

    def values(self, dtype, n, others=()):
        """n elements, drawn in one of several ways."""
        rng = self.rng
        what = rng.random()
        if dtype in ("DT_INT32", "DT_INT64"):
            if what < 0.15:
                values = [str(i) for i in range(n)]
                if rng.random() < 0.6:
                    rng.shuffle(values)
                return values
            if what < 0.3:
                return sorted([str(rng.randrange(max(n, 1))) for _ in range(n)], key=int)
            if what < 0.4 and others:
                of = rng.choice(others)
                if len(of) == n:
                    return [str(d) for d in of]
        if what < 0.5:
            return [self.element(dtype, False) for _ in range(n)]
        edge = rng.choice([0.1, 0.5, 1.0]) if what < 0.8 else 0
        return [self.element(dtype, rng.random() < edge) for _ in range(n)]

    def type_attr(self, node):
        """The type of what is behind handles."""
        return next((t for name in ("dtype", "T", "element_dtype", "tensor_type") for t in [node["attrs"].get(name)] if isinstance(t, str)), None)

    def new_input(self, node, dtype):
        this = {"shape": self.shape(), "value": []}
        if dtype in ("DT_RESOURCE", "DT_VARIANT"):
            known = self.type_attr(node) if self.rng.random() < 0.97 else None
            this["variable" if dtype == "DT_RESOURCE" else "list"] = known or self.rng.choice(["DT_FLOAT", "DT_INT32"])
            if dtype == "DT_VARIANT" and not this["shape"]:
                this["shape"] = [2]
        this["value"] = self.values(element_type(this, dtype), math.prod(this["shape"]))
        return this

    def fit(self, node):
        """Gives the node as many inputs as its attributes ask for, of their types."""
        for arg in self.op.input_arg:
            have = node["inputs"].setdefault(arg.name, [])
            types = self.types_of(arg, node["attrs"])
            del have[len(types):]
            for i, dtype in enumerate(types):
                if i == len(have):
                    have.append(copy.deepcopy(have[-1]) if have and self.rng.random() < 0.8 else self.new_input(node, dtype))
                this = have[i]
                kind = {"DT_RESOURCE": "variable", "DT_VARIANT": "list"}.get(dtype)
                if kind is None:
                    this.pop("variable", None), this.pop("list", None)
                elif kind not in this:
                    have[i] = this = self.new_input(node, dtype)
                elif self.rng.random() < 0.97:
                    this[kind] = self.type_attr(node) or this[kind]
                element = element_type(this, dtype)
                if this["value"] is not None and (len(this["value"]) != math.prod(this["shape"]) or not all(execute.fits(x, element) for x in this["value"])):
                    this["value"] = self.values(element, math.prod(this["shape"]))

    def first(self):
        """A node whose inputs have shapes that have to do with each other."""
        node = super().first()
        common = self.shape() or [2]
        palette = [common, [], common[-1:], common[:1]]
        for arg, i, dtype in self.flat(node):
            this = node["inputs"][arg.name][i]
            likely = dtype.endswith("_REF") or dtype == "DT_RESOURCE" or arg.name in ("grad", "delta", "input", "x", "y", "value", "gradients", "backprops")
            this["shape"] = list((common if likely else []) if self.rng.random() < 0.7 else self.rng.choice(palette))
            if dtype == "DT_VARIANT" and not this["shape"]:
                this["shape"] = common
            this["value"] = self.values(element_type(this, dtype), math.prod(this["shape"]))
        return node

    def random_scalar(self, a, kind, wrong):
        if kind == "type":
            for _ in range(20):
                t = super().random_scalar(a, kind, wrong)
                if t not in ("DT_VARIANT", "DT_RESOURCE") and not t.endswith("_REF"):
                    return t
            return "DT_FLOAT"
        if kind == "float":
            return self.rng.choice([0.0, 0.5, 1.0, 2.0, -1.0, 0.1, 1e-3, 3.0, 1e30, -0.25])
        return super().random_scalar(a, kind, wrong)

    def mutate_input(self, node, this, dtype):
        rng = self.rng
        element = element_type(this, dtype)
        others = [v for vs in node["inputs"].values() for v in vs]
        shape, what = list(this["shape"]), rng.random()
        values = this["value"] or []
        if "variable" in this and rng.random() < 0.04:
            this["value"] = None
            return
        if what < 0.35 and values and len(values) == math.prod(shape):
            how = rng.random()
            if how < 0.45:
                this["value"] = self.values(element, len(values), [o["shape"] for o in others])
            else:
                values[rng.randrange(len(values))] = self.element(element, rng.random() < 0.6)
            return
        if what < 0.45:
            shape = self.shape()
        elif what < 0.6 and shape:
            shape[rng.randrange(len(shape))] = rng.choice([0, 1, 1, 2, 3, 4, 5, 6, 8])
        elif what < 0.66 and shape:
            del shape[rng.randrange(len(shape))]
        elif what < 0.72 and len(shape) < 7:
            shape.insert(rng.randrange(len(shape) + 1), rng.choice([0, 1, 1, 1, 2, 3]))
        elif what < 0.78:
            shape = rng.choice([[], [1], [1, 1], [0], [2]])
        elif what < 0.84:  # all inputs of this shape change alike
            new = list(shape)
            if new and rng.random() < 0.7:
                new[rng.randrange(len(new))] = rng.choice([0, 1, 2, 3, 4, 5])
            else:
                new.insert(rng.randrange(len(new) + 1), rng.choice([1, 2, 3]))
            for o in others:
                if o is not this and o["shape"] == this["shape"] and math.prod(new) <= ELEMENTS:
                    o["shape"] = list(new)
            shape = new
        else:
            shape = list(rng.choice(others)["shape"])
            if rng.random() < 0.3 and shape:
                shape = shape[:rng.randrange(len(shape) + 1)] if rng.random() < 0.5 else shape[rng.randrange(len(shape)):]
        if math.prod(shape) <= ELEMENTS:
            this["shape"] = shape
            if len(values) != math.prod(shape):
                this["value"] = self.values(element, math.prod(shape), [o["shape"] for o in others])

    def types(self, node):
        return json.dumps([[v["variable"] if "variable" in v else t for arg in self.op.input_arg for t, v in zip(self.types_of(arg, node["attrs"]), node["inputs"][arg.name])],
                           {a.name: node["attrs"][a.name] for a in self.op.attr if "type" in a.type}])

    def next(self):
        rng = self.rng
        for _ in range(40):
            if self.accepted and (not self.ancestors or rng.random() < 0.9):
                parents = rng.choices(self.accepted, k=2)
                node = max(parents, key=lambda a: a[1])[0]
            elif self.ancestors and rng.random() < 0.7:
                node = rng.choice(self.ancestors if rng.random() < 0.5 else self.ancestors[-8:])
            else:
                node = self.first()
            if rng.random() < (0.9 if self.accepted else 0.4):
                node = self.mutate(node)
            else:
                node = copy.deepcopy(node)
            self.fit(node)
            node["known"] = rng.random() < 0.25
            key = json.dumps(node, sort_keys=True)
            if "Infinity" in key or "NaN" in key:  # an attribute that JSON cannot tell
                continue
            if key not in self.seen and self.types(node) not in self.unknown_types:
                self.seen.add(key)
                return node
        return None

    def row(self, node):
        listed = [(dtype, node["inputs"][arg.name][i]) for arg, i, dtype in self.flat(node)]
        return row_of(self.op, node["attrs"], listed, node["known"]), listed


def element_type(this, dtype):
    return this.get("variable") or this.get("list") or dtype.removesuffix("_REF")


def row_of(op, attrs, listed, known):
    """The row of a node, as yet without an answer."""
    inputs = []
    for dtype, this in listed:
        value = {"shape": this["shape"], "value": None if this["value"] is None else execute.from_text(this["value"], element_type(this, dtype))}
        for kind in ("variable", "list"):
            if kind in this:
                value = {kind: {"dtype": this[kind], **value}}
        inputs.append({"dtype": dtype, **value})
    row = {"op": op.name, "attrs": {name: v for name, v in attrs.items() if v is not None}, "inputs": inputs}
    if known:
        row["known"] = True
    return row


def answer(op_text, row, listed):
    op = op_def_pb2.OpDef.FromString(op_text)
    if listed is None:
        shapes.ask(op, row)
    else:
        execute.execute(op, row, listed)
    return row


def shaped_ancestors(op, rng, child, text, drawer, trials=80):
    """Nodes that the shape function accepts, with values drawn where it knows none."""
    maker = shapes.Maker(op, rng)
    for _ in range(trials):
        node = maker.next()
        if node is None:
            break
        try:
            row = child.ask(text, maker.row(node), None)
        except execute.Died:
            continue
        if "outputs" in row:
            maker.accepted.append(node)
    for node in sorted(maker.accepted, key=shapes.known)[-16:]:
        node = copy.deepcopy(node)
        if re.search("DT_(VARIANT|RESOURCE)|_REF", json.dumps(node["attrs"])) or not complete(node, maker, drawer, rng, lambda row: child.ask(text, row, None)):
            continue
        for v in [v for vs in node["inputs"].values() for v in vs]:
            v.update(v.pop("handle", {}))
            v.pop("dtype", None)
            if math.prod(v["shape"]) > ELEMENTS:
                v["shape"] = [min(d, 3) for d in v["shape"]][:4]
            flat = flatten(v["value"]) if "value" in v else []
            v["value"] = [{True: "true", False: "false"}[x] if isinstance(x, bool) else str(x) for x in flat]
        for a in op.attr:
            usual = "DT_FLOAT" if node["attrs"][a.name] not in ("DT_INT32", "DT_INT64") else node["attrs"][a.name]
            if a.type == "type" and rng.random() < 0.6 and shapes.type_number(usual) in (a.allowed_values.list.type or [shapes.type_number(usual)]):
                node["attrs"][a.name] = usual
        drawer.fit(node)
        drawer.ancestors.append(node)


def complete(node, maker, drawer, rng, ask):
    """Gives the inputs of a node whole shapes, of the likely ones those that the shape function accepts."""
    common = drawer.shape()
    for arg, i, dtype in maker.flat(node):
        if dtype in ("DT_RESOURCE", "DT_VARIANT"):
            node["inputs"][arg.name][i] = {"shape": [], "handle": {"dtype": drawer.type_attr(node) or "DT_FLOAT", "shape": None}}
    unknown = [v.get("handle", v) for vs in node["inputs"].values() for v in vs]
    for v in sorted(unknown, key=lambda v: v["shape"] is None):
        partial = v["shape"]
        if partial is not None and -1 not in partial:
            continue
        others = [o["shape"] for os in node["inputs"].values() for o in os if o["shape"] and -1 not in o["shape"]]
        likely = [common, [], *others[-3:], common[:1], drawer.shape(), drawer.shape()]
        if partial is not None:
            likely = [[rng.choice([1, 2, 3]) if d < 0 else d for d in partial] for _ in range(3)]
        for v["shape"] in likely:
            try:
                if "outputs" in ask(maker.row(node)):
                    break
            except execute.Died:
                return False
    return True


def flatten(value):
    return [x for v in value for x in flatten(v)] if isinstance(value, list) else [value]


def seeds_of(paths, defs):
    """Nodes of recorded cases whose inputs are constants or fed, by operation."""
    found = {}
    for path in paths:
        with zipfile.ZipFile(path) as z:
            names = set(z.namelist())
            for script in sorted(n for n in names if n.endswith("/case.json")):
                folder, case = script[:-len("case.json")], json.loads(z.read(script))
                if folder + "graph.pb" not in names:
                    continue
                try:
                    graph = graph_pb2.GraphDef.FromString(z.read(folder + "graph.pb"))
                except Exception:
                    continue
                values = {n.name: n.attr["value"].tensor for n in graph.node if n.op == "Const"}
                for step in case["steps"]:
                    for name, file in step.get("feeds", {}).items():
                        values[name.split(":")[0]] = tensor_pb2.TensorProto.FromString(z.read(folder + file))
                for n in graph.node:
                    op = defs.get(n.op)
                    if op is None:
                        continue
                    try:
                        node = seed(op, n, values)
                    except (KeyError, ValueError, TypeError, AttributeError):
                        continue
                    if node and len(found.setdefault(n.op, [])) < 60:
                        found[n.op].append(node)
    return found


def seed(op, n, values):
    """A node of a recorded graph as a Drawer has it; None if its inputs are not known."""
    attrs = {a.name: shapes.attr_to_json(a.type, n.attr[a.name]) if a.name in n.attr else shapes.attr_to_json(a.type, a.default_value) for a in op.attr}
    ins = []
    for i in n.input:
        t = values.get(i.removesuffix(":0"))
        if t is None or t.dtype in (20, 21):
            return None
        array = tensor_util.MakeNdarray(t)
        if array.size > ELEMENTS:
            return None
        name = shapes.type_name(t.dtype)
        if name in execute.QUANTIZED:
            array = array.view(execute.QUANTIZED[name])
        texts = [x.decode("latin-1") if isinstance(x, bytes) else execute.element_text(x) for x in array.reshape(-1)]
        ins.append({"shape": list(array.shape), "value": texts})
    if "DT_INVALID" in json.dumps(attrs):
        return None
    node = {"attrs": attrs, "inputs": {}}
    for arg in op.input_arg:
        count = attrs[arg.number_attr] if arg.number_attr else len(attrs[arg.type_list_attr]) if arg.type_list_attr else 1
        node["inputs"][arg.name], ins = ins[:count], ins[count:]
    return None if ins else node


def rows_of(op, args, child, seeds):
    """The rows of an operation."""
    rng = random.Random(args.seed * 1000003 + zlib.crc32(op.name.encode()))
    drawer, text = Drawer(op, rng), op.SerializeToString()
    for node in seeds:
        drawer.fit(node)
        drawer.ancestors.append(node)
    shaped_ancestors(op, rng, child, text, drawer)
    rows, alike, died = [], {}, 0
    for _ in range(args.trials):
        node = drawer.next()
        if node is None or died >= 15:
            break
        row, listed = drawer.row(node)
        asked = json.dumps(row)
        try:
            row = child.ask(text, row, listed)
        except execute.Died as e:
            died += 1
            if died <= 3:
                print(f"{op.name}: {e}: {asked}", file=sys.stderr, flush=True)
            continue
        if "nonsense" in row:
            if row["nonsense"] != "large":
                print(f"{op.name}: {row['nonsense']}: {asked}", file=sys.stderr, flush=True)
            continue
        if "error" in row:
            if row["error"].startswith("No OpKernel was registered"):
                drawer.unknown_types.add(drawer.types(node))
            if row["code"] == "RESOURCE_EXHAUSTED":
                continue
            kind = row["code"] + re.sub(r"-?\d+", "0", row["error"])[:60]
            alike[kind] = alike.get(kind, 0) + 1
            if alike[kind] == 1 and not drawer.accepted:
                drawer.ancestors.append(node)  # one step further, perhaps
            if alike[kind] > args.alike:
                continue
        else:
            drawer.accepted.append((node, any(o and 0 not in o["shape"] for o in row["outputs"])))
            row.update(tolerance(row))
        rows.append(row)
    return rows


def chosen_rows(defs, child):
    """The rows of nodeschosen.py."""
    for name, attrs, listed in nodeschosen.chosen():
        op = defs[name]
        defaults = {a.name: shapes.attr_to_json(a.type, a.default_value) for a in op.attr if a.HasField("default_value")}
        row = child.ask(op.SerializeToString(), row_of(op, {**defaults, **attrs}, listed, False), listed)
        if "outputs" in row:
            row.update(tolerance(row))
        yield row


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("output", help="where the rows go")
    p.add_argument("--opdefs", required=True, help="a serialized OpList")
    p.add_argument("--chosen", action="store_true", help="only the nodes of nodeschosen.py")
    p.add_argument("--ops", default="", help="a file of names of operations, or names separated by commas")
    p.add_argument("--seeds", nargs="*", default=[], help="archives of cases")
    p.add_argument("--trials", type=int, default=130, help="nodes tried of each operation")
    p.add_argument("--alike", type=int, default=5, help="rows kept of errors of an operation that are alike")
    p.add_argument("--from", dest="first", default="", help="the first operation, in the order of names")
    p.add_argument("--seed", type=int, default=1)
    args = p.parse_args()

    if args.chosen:
        with open(args.opdefs, "rb") as f:
            defs = {op.name: op for op in op_def_pb2.OpList.FromString(f.read()).op}
        rows = list(chosen_rows(defs, execute.Child(answer)))
        with open(args.output, "w") as out:
            out.write("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")
        return

    wanted = set(open(args.ops).read().split()) if args.ops.endswith(".txt") else set(args.ops.split(","))
    with open(args.opdefs, "rb") as f:
        defs = {op.name: op for op in op_def_pb2.OpList.FromString(f.read()).op}
    seeds = seeds_of(args.seeds, {name: op for name, op in defs.items() if name in wanted})
    child = execute.Child(answer)
    total = covered = 0
    with open(args.output, "w") as out:
        out.write("[\n")
        for name in sorted(wanted & defs.keys()):
            if name < args.first or left_out(name) or any(a.type in ("func", "list(func)") for a in defs[name].attr):
                continue
            rows = rows_of(defs[name], args, child, seeds.get(name, []))
            covered += bool(rows)
            if not any("outputs" in r for r in rows):
                print(f"{name}: no node was executed", file=sys.stderr, flush=True)
            for r in rows:
                out.write((",\n" if total else "") + json.dumps(r))
                total += 1
            out.flush()
        out.write("\n]\n")
    child.stop()
    print(f"{total} rows of {covered} operations", file=sys.stderr)


if __name__ == "__main__":
    main()
