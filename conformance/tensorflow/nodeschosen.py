"""Nodes at which an implementation is likely to differ, for nodes.py --chosen.

Each line is an operation, attributes that have no default or not theirs, and
inputs: type, shape and elements, of which one stands for all.
"""

CHOSEN = """
SqrtGrad | {"T": "DT_FLOAT"} | FLOAT 3 0,0,4 | FLOAT 3 0,1,1
RsqrtGrad | {"T": "DT_FLOAT"} | FLOAT 3 inf,inf,4 | FLOAT 3 0,1,1
ReciprocalGrad | {"T": "DT_FLOAT"} | FLOAT 3 inf,inf,4 | FLOAT 3 0,1,1
InvGrad | {"T": "DT_DOUBLE"} | DOUBLE 3 inf,inf,4 | DOUBLE 3 0,1,1
InvGrad | {"T": "DT_FLOAT"} | FLOAT 2,1 1,2 | FLOAT 2 3,4
TanhGrad | {"T": "DT_COMPLEX64"} | COMPLEX64 1 0.5+0.25j | COMPLEX64 1 1
SigmoidGrad | {"T": "DT_COMPLEX64"} | COMPLEX64 1 0.5+0.25j | COMPLEX64 1 1
GatherNd | {"Tparams": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "IGNORE"} | FLOAT 3 1,2,3 | INT32 3,1 0,9,-1
GatherNd | {"Tparams": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "ERROR"} | FLOAT 3 1,2,3 | INT32 3,1 0,9,-1
ScatterNd | {"T": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "IGNORE"} | INT32 3,1 0,9,-1 | FLOAT 3 1,2,3 | INT32 1 3
ScatterNdNonAliasingAdd | {"T": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "IGNORE"} | FLOAT 3 1,2,3 | INT32 3,1 0,9,-1 | FLOAT 3 5,6,7
TensorScatterAdd | {"T": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "IGNORE"} | FLOAT 3 1,2,3 | INT32 3,1 0,9,-1 | FLOAT 3 5,6,7
TensorScatterSub | {"T": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "IGNORE"} | FLOAT 3 1,2,3 | INT32 3,1 0,9,-1 | FLOAT 3 5,6,7
TensorScatterMin | {"T": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "IGNORE"} | FLOAT 3 1,2,3 | INT32 3,1 0,9,-1 | FLOAT 3 -5,6,7
TensorScatterMax | {"T": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "IGNORE"} | FLOAT 3 1,2,3 | INT32 3,1 0,9,-1 | FLOAT 3 5,6,7
TensorScatterUpdate | {"T": "DT_FLOAT", "Tindices": "DT_INT32", "bad_indices_policy": "IGNORE"} | FLOAT 3 1,2,3 | INT32 3,1 0,9,-1 | FLOAT 3 5,6,7
Conv | {"T": "DT_FLOAT", "strides": [1, 1, 1, 1], "padding": "VALID"} | FLOAT 1,2,2,1 1,2,3,4 | FLOAT 1,1,1,1 2
Tanh | {"T": "DT_COMPLEX64"} | COMPLEX64 3 355+1j,-355+1j,20+3j
Tan | {"T": "DT_COMPLEX64"} | COMPLEX64 2 1+400j,1-400j
Exp | {"T": "DT_COMPLEX128"} | COMPLEX128 2 710+0j,-1+2j
Sinh | {"T": "DT_COMPLEX128"} | COMPLEX128 1 710+0j
Acosh | {"T": "DT_COMPLEX64"} | COMPLEX64 2 1e9,1e9+1j
Asinh | {"T": "DT_COMPLEX64"} | COMPLEX64 2 -1e9,1e9j
Asin | {"T": "DT_COMPLEX64"} | COMPLEX64 3 1e8+1j,1e4j,0.5
Atan | {"T": "DT_COMPLEX64"} | COMPLEX64 2 1+1e9j,0.5+2j
Asin | {"T": "DT_DOUBLE"} | DOUBLE 4 0.99999994,-0.99999994,0.75,0.25
Acos | {"T": "DT_DOUBLE"} | DOUBLE 4 0.99999994,-0.99999994,0.75,0.25
ResizeArea | {"T": "DT_FLOAT"} | FLOAT 1,1,1,1 5 | INT32 2 2,3
ApproximateEqual | {"T": "DT_FLOAT", "tolerance": 0.5} | FLOAT 2 1,1 | FLOAT 2 1.5,1.25
ArgMax | {"T": "DT_FLOAT"} | FLOAT 3 nan,1,2 | INT32 - 0
ArgMin | {"T": "DT_FLOAT"} | FLOAT 3 nan,1,2 | INT32 - 0
UnsortedSegmentJoin | {"Tindices": "DT_INT32"} | STRING 3 ,a,b | INT32 3 0,0,0 | INT32 - 1
FakeQuantWithMinMaxArgs | {"min": -1.0, "max": 0.0, "num_bits": 4} | FLOAT 1 -0.5
FakeQuantWithMinMaxVars | {} | FLOAT 1 -3.5 | FLOAT - -1e-30 | FLOAT - -1.5
FakeQuantWithMinMaxVarsGradient | {} | FLOAT 1 -3.5 | FLOAT 1 -1.25 | FLOAT - 0.75 | FLOAT - -2
FakeQuantWithMinMaxArgsGradient | {} | FLOAT 2 inf,1 | FLOAT 2 -10,1
BiasAddGrad | {"T": "DT_HALF"} | HALF 4,1 0.1,0.2,0.3,0.7
QuantizedAdd | {"T1": "DT_QUINT8", "T2": "DT_QUINT8", "Toutput": "DT_QINT32"} | QUINT8 3 0,127,255 | QUINT8 3 1,200,255 | FLOAT - -1 | FLOAT - 1 | FLOAT - -2 | FLOAT - 3
Lgamma | {"T": "DT_FLOAT"} | FLOAT 3 -inf,inf,-1
Igamma | {"T": "DT_DOUBLE"} | DOUBLE 2 2,2 | DOUBLE 2 1e300,1
Ndtri | {"T": "DT_FLOAT"} | FLOAT 4 -1e-30,0,0.5,1
SoftmaxCrossEntropyWithLogits | {"T": "DT_FLOAT"} | FLOAT 1,2 inf,1 | FLOAT 1,2 0.5,0.5
CropAndResize | {"T": "DT_FLOAT"} | FLOAT 1,2,2,1 1,2,3,4 | FLOAT 1,4 nan,0,1,1 | INT32 1 0 | INT32 2 1,1
InplaceSub | {"T": "DT_FLOAT"} | FLOAT 0,2 | INT32 0 | FLOAT 0,2
ClipByValue | {"T": "DT_COMPLEX64"} | COMPLEX64 2 1+5j,-3 | COMPLEX64 - 0 | COMPLEX64 - 2+2j
ClipByValue | {"T": "DT_DOUBLE"} | DOUBLE 3 nan,-5,5 | DOUBLE - nan | DOUBLE - 2
Cast | {"SrcT": "DT_FLOAT", "DstT": "DT_FLOAT8_E4M3FN"} | FLOAT 5 1,0.3,500,nan,-0
Cast | {"SrcT": "DT_FLOAT8_E5M2", "DstT": "DT_FLOAT"} | FLOAT8_E5M2 4 1,0.5,inf,nan
ResourceScatterNdUpdate | {"T": "DT_BOOL", "Tindices": "DT_INT32"} | VARIABLE:BOOL 3 true,false,true | INT32 1,1 1 | BOOL 1 true
VarIsInitializedOp | {} | VARIABLE:FLOAT 0
ReadVariableOp | {"dtype": "DT_FLOAT"} | VARIABLE:FLOAT 0,2
EditDistance | {"T": "DT_STRING"} | INT64 1,2 0,0 | STRING 1 a | INT64 2 1,1 | INT64 1,2 0,0 | STRING 1 b | INT64 2 1,1
EditDistance | {"T": "DT_STRING"} | INT64 1,2 5,0 | STRING 1 a | INT64 2 1,1 | INT64 1,2 0,0 | STRING 1 b | INT64 2 1,1
Sum | {"T": "DT_FLOAT", "Tidx": "DT_INT32"} | FLOAT 2,2 1,2,3,4 | INT32 1,2 0,1
SplitV | {"T": "DT_FLOAT", "Tlen": "DT_INT32", "num_split": 1} | FLOAT 1 2 | INT32 1 1 | INT32 1,1 0
SplitV | {"T": "DT_FLOAT", "Tlen": "DT_INT8", "num_split": 3} | FLOAT 6 1,2,3,4,5,6 | INT8 3 -1,2,3 | INT32 - 0
Split | {"T": "DT_FLOAT", "num_split": 1} | INT32 1 0 | FLOAT 1 2
ExpandDims | {"T": "DT_FLOAT"} | FLOAT 1 2 | INT32 1,1 1
ConcatV2 | {"T": "DT_FLOAT", "N": 2} | FLOAT 1 1 | FLOAT 1 2 | INT32 1 0
ConcatV2 | {"T": "DT_FLOAT", "N": 2} | FLOAT 1 1 | FLOAT 1 2 | INT32 1,1 0
GatherV2 | {"Tparams": "DT_FLOAT", "Tindices": "DT_INT32", "Taxis": "DT_INT32"} | FLOAT 3 1,2,3 | INT32 - 0 | INT32 1 0
OneHot | {"T": "DT_FLOAT"} | INT64 1 1 | INT32 - 3 | FLOAT 1 1 | FLOAT - 0
PadV2 | {"T": "DT_FLOAT"} | FLOAT 1 1 | INT32 1,2 1,1 | FLOAT 1 7
LinSpace | {"T": "DT_FLOAT"} | FLOAT - 2 | FLOAT - 3 | INT32 1 1
MatrixBandPart | {"T": "DT_FLOAT", "Tindex": "DT_INT32"} | FLOAT 1,1 2 | INT32 1 0 | INT32 - 0
MatrixDiagPartV2 | {"T": "DT_FLOAT"} | FLOAT 1,1 2 | INT32 1 0 | FLOAT 1 0
Range | {"Tidx": "DT_INT32"} | INT32 1 0 | INT32 1 2 | INT32 1 1
Range | {"Tidx": "DT_INT32"} | INT32 1,1 0 | INT32 1 2 | INT32 1 1
Fill | {"T": "DT_FLOAT"} | INT32 - 2 | FLOAT 1 1
Fill | {"T": "DT_FLOAT"} | INT32 1 2 | FLOAT 1,1 1
Reshape | {"T": "DT_FLOAT"} | FLOAT 1 1 | INT32 - 1
Cumsum | {"T": "DT_FLOAT"} | FLOAT 1 2 | INT32 1 0
ReverseV2 | {"T": "DT_FLOAT"} | FLOAT - 2 | INT32 1 1
NextAfter | {"T": "DT_FLOAT"} | FLOAT 2 -0,255 | FLOAT 2 0,0
TensorStridedSliceUpdate | {"T": "DT_FLOAT", "Index": "DT_INT32"} | FLOAT 2,2 1,2,3,4 | INT32 2 0,0 | INT32 2 2,2 | INT32 2 1,1 | FLOAT 2 8,9
ResourceStridedSliceAssign | {"T": "DT_FLOAT", "Index": "DT_INT32"} | VARIABLE:FLOAT 2,2 1,2,3,4 | INT32 2 0,0 | INT32 2 2,2 | INT32 2 1,1 | FLOAT 2,1 8,9
RequantizationRange | {"Tinput": "DT_QINT32"} | QINT32 0 | FLOAT 1 2.5 | FLOAT - 3
QuantizeAndDequantizeV2 | {"T": "DT_FLOAT", "range_given": true} | FLOAT 2 1,2 | FLOAT 1 0 | FLOAT - 1
SerializeTensor | {"T": "DT_INT32"} | INT32 - 7
Angle | {"T": "DT_COMPLEX64", "Tout": "DT_DOUBLE"} | COMPLEX64 1 1j
InTopK | {"k": 2147483648} | FLOAT 1,3 1,2,3 | INT32 1 1
Cross | {"T": "DT_FLOAT"} | FLOAT 2 1,2 | FLOAT 2 1,2
StatelessRandomUniform | {"dtype": "DT_FLOAT", "T": "DT_INT32"} | INT32 1 0 | INT64 3 1,2,3
"""


def chosen():
    """Yields operations, attributes and inputs as pairs of a type and what execute.py wants."""
    import json
    for line in CHOSEN.strip().split("\n"):
        op, attrs, *inputs = line.split(" | ")
        listed = []
        for text in inputs:
            dtype, shape, elements = (text.split(" ", 2) + [""])[:3]
            shape = [] if shape == "-" else [int(d) for d in shape.split(",")]
            n = 1
            for d in shape:
                n *= d
            value = elements.split(",") if elements or n == 1 else []
            this = {"shape": shape, "value": value * n if len(value) == 1 else value}
            kind, _, behind = dtype.partition(":")
            if kind == "VARIABLE":
                this["variable"] = "DT_" + behind
            listed.append(("DT_RESOURCE" if behind else "DT_" + dtype, this))
        yield op, json.loads(attrs), listed
