"""Converts graph models of TensorFlow.js to SavedModels.

    pip install tensorflow-cpu==2.21.0
    python benchmarks/real/convert.py models node_modules/*/models/*.json

Each FILE.json becomes the folder models/FILE, and model.json the one named for its package.
Weights may be quantized. Operations that the converter of TensorFlow.js fused are written
as the operations that they were made of, as in the model before that: TensorFlow fuses
them itself, and so does Troupe.
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf
from google.protobuf import json_format
from tensorflow.core.framework import graph_pb2, node_def_pb2
from tensorflow.python.framework import op_def_registry

v1 = tf.compat.v1
v1.logging.set_verbosity(v1.logging.ERROR)


def weights(folder, manifest):
    """The values of all weights: their shards are one sequence of bytes for each group."""
    values = {}
    for group in manifest:
        data = b"".join(open(os.path.join(folder, path), "rb").read() for path in group["paths"])
        at = 0
        for weight in group["weights"]:
            packed = weight.get("quantization", {})
            stored = np.dtype(packed.get("dtype", weight["dtype"]))
            count = int(np.prod(weight["shape"], dtype=np.int64))
            value = np.frombuffer(data, stored, count, at)
            at += count * stored.itemsize
            if "scale" in packed:
                value = value.astype(np.float64) * packed["scale"] + packed["min"]
                if weight["dtype"] == "int32":
                    value = np.round(value)
            values[weight["name"]] = value.astype(weight["dtype"]).reshape(weight["shape"])
        if at != len(data):
            raise ValueError(f"{folder}: {len(data)} bytes of weights, of which {at} are named")
    return values


plain = {"_FusedConv2D": "Conv2D", "FusedDepthwiseConv2dNative": "DepthwiseConv2dNative", "_FusedMatMul": "MatMul"}


def unfused(node):
    """The nodes that a node of TensorFlow.js stands for; the last has its name."""
    made = []

    def make(op, inputs, last=False):
        name = node.name if last else f"{node.name}/{op}_{len(made)}"
        new = node_def_pb2.NodeDef(name=name, op=op, input=inputs)
        new.attr["T"].type = node.attr["T"].type or tf.float32.as_datatype_enum
        made.append(new)
        return name

    def prelu(x, alpha):
        negative = make("Mul", [make("Neg", [alpha]), make("Relu", [make("Neg", [x])])])
        make("AddV2", [make("Relu", [x]), negative], last=True)

    control = [name for name in node.input if name.startswith("^")]
    inputs = [name for name in node.input if not name.startswith("^")]
    if node.op == "Prelu":
        prelu(*inputs)
    elif node.op in plain:
        steps = [step.decode() for step in node.attr["fused_ops"].list.s]
        extra, x = inputs[2:], make(plain[node.op], inputs[:2], last=not steps)
        for key, value in node.attr.items():
            made[0].attr[key].CopyFrom(value)
        for step in steps:
            last = step is steps[-1]
            if step == "BiasAdd":
                x = make(step, [x, extra.pop(0)], last)
            elif step == "Prelu":
                prelu(x, extra.pop(0))
            else:
                x = make(step, [x], last)
                if step == "LeakyRelu":
                    made[-1].attr["alpha"].f = node.attr["leakyrelu_alpha"].f
    else:
        made = [node]
    if made[0] is not node:
        made[0].input.extend(control)
    for new in made:
        known = {attr.name for attr in op_def_registry.get(new.op).attr}
        for key in [key for key in new.attr if key not in known]:
            del new.attr[key]
    return made


def ends_of(model, graph):
    """The inputs and the outputs by name: those of the signature, or what has no input and no use."""
    named = model.get("signature") or model.get("userDefinedMetadata", {}).get("signature") or {}
    operations = graph.get_operations()
    plainly = (
        [tensor for operation in operations if operation.type == "Placeholder" for tensor in operation.outputs],
        [tensor for operation in operations for tensor in operation.outputs if not tensor.consumers()])
    for side, tensors in zip(("inputs", "outputs"), plainly):
        if named.get(side):
            names = {key: end["name"] for key, end in named[side].items()}
            yield {key: graph.get_tensor_by_name(name if ":" in name else name + ":0") for key, name in names.items()}
        else:
            yield {tensor.name: tensor for tensor in tensors}


def convert(file, folder):
    with open(file) as text:
        model = json.load(text)
    values = weights(os.path.dirname(file), model["weightsManifest"])
    written = json_format.ParseDict(model["modelTopology"], graph_pb2.GraphDef(), ignore_unknown_fields=True)
    graph = graph_pb2.GraphDef(versions=written.versions, library=written.library)
    for node in written.node:
        if node.op == "Const":
            value = values[node.name].astype(tf.as_dtype(node.attr["dtype"].type).as_numpy_dtype)
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
        graph.node.extend(unfused(node))
    with tf.Graph().as_default() as loaded, v1.Session() as session:
        tf.import_graph_def(graph, name="")
        info = v1.saved_model.build_tensor_info
        signature = v1.saved_model.build_signature_def(
            *({key: info(tensor) for key, tensor in ends.items()} for ends in ends_of(model, loaded)),
            method_name="tensorflow/serving/predict")
        builder = v1.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()


for file in sys.argv[2:]:
    name = os.path.splitext(os.path.basename(file))[0]
    if name == "model":
        name = os.path.abspath(file).split(os.sep)[-3]
    folder = os.path.join(sys.argv[1], name)
    if os.path.exists(folder):
        continue
    try:
        convert(file, folder)
        print(name)
    except Exception as e:
        print(f"{name}: {e}", file=sys.stderr)
