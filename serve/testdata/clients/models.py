"""Exports SavedModels for clients.py: python models.py FOLDER writes FOLDER/many, which has a
hundred signatures, and FOLDER/examples, whose signatures classify and regress."""

import os
import sys

import tensorflow as tf

F = tf.TensorSpec([None, 4], tf.float32)
unary = [
    tf.abs, tf.math.acos, tf.math.asin, tf.math.atan, tf.math.ceil, tf.cos, tf.math.cosh, tf.math.erf, tf.exp, tf.math.expm1,
    tf.floor, tf.math.lgamma, tf.math.log1p, tf.math.sigmoid, tf.negative, tf.math.rint, tf.round, tf.math.rsqrt, tf.sign,
    tf.sin, tf.math.sinh, tf.math.softplus, tf.sqrt, tf.square, tf.tan, tf.tanh, tf.nn.elu, tf.nn.gelu, tf.nn.leaky_relu, tf.nn.relu,
    tf.nn.relu6, tf.nn.selu, tf.nn.silu, tf.nn.softmax, tf.nn.log_softmax, tf.identity, tf.zeros_like, tf.ones_like, tf.math.l2_normalize,
    tf.cumsum, lambda x: tf.reverse(x, [1]), lambda x: tf.tile(x, [1, 2]), lambda x: tf.reduce_sum(x, 1), lambda x: tf.reduce_max(x, 1),
    lambda x: tf.argmax(x, 1), lambda x: tf.math.top_k(x, 2)[0], lambda x: tf.sort(x), lambda x: tf.expand_dims(x, 1),
    lambda x: tf.pad(x, [[0, 0], [1, 1]]), lambda x: x[:, ::2], lambda x: tf.reshape(x, [-1, 2, 2]), lambda x: tf.reduce_mean(x),
    lambda x: tf.one_hot(tf.argmax(x, 1), 4), lambda x: tf.cast(x, tf.float64), lambda x: tf.cast(x, tf.int32), lambda x: tf.as_string(tf.cast(x, tf.int32)),
    lambda x: tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * 1.5), [0, x])[1],
    lambda x: tf.cond(tf.reduce_sum(x) > 3, lambda: x + 1, lambda: x - 1), lambda x: tf.linalg.matmul(x, x, transpose_b=True),
    lambda x: tf.map_fn(lambda r: tf.reduce_prod(r), x), lambda x: x > 0.5, lambda x: tf.cast(x, tf.half), lambda x: tf.cast(x, tf.uint8),
]
binary = [
    tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.minimum, tf.pow, tf.math.atan2, tf.math.floordiv, tf.math.floormod,
    tf.math.squared_difference, tf.math.xlogy, tf.equal, tf.less, tf.greater_equal, lambda x, y: tf.concat([x, y], 1), lambda x, y: tf.stack([x, y], 1),
    lambda x, y: tf.where(x > y, x, y), lambda x, y: tf.einsum("bi,bi->b", x, y), lambda x, y: tf.clip_by_value(x, y, y + 1),
]
typed = {
    "int32": tf.int32, "int64": tf.int64, "int8": tf.int8, "int16": tf.int16, "uint8": tf.uint8, "uint16": tf.uint16,
    "uint32": tf.uint32, "uint64": tf.uint64, "double": tf.float64, "half": tf.half, "bool": tf.bool,
}


class Many(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.reshape(tf.range(12.0), [4, 3]))


m = Many()
sigs = {}
for i, f in enumerate(unary):
    sigs["unary_%02d" % i] = tf.function(lambda x, f=f: {"y": f(x)}).get_concrete_function(tf.TensorSpec([None, 4], tf.float32, "x"))
for i, f in enumerate(binary):
    sigs["binary_%02d" % i] = tf.function(lambda x, z, f=f: {"y": f(x, z), "both": x + z}).get_concrete_function(
        tf.TensorSpec([None, 4], tf.float32, "x"), tf.TensorSpec([None, 4], tf.float32, "z"))
for name, dt in typed.items():
    sigs["type_" + name] = tf.function(lambda x: {"y": tf.identity(x)}).get_concrete_function(tf.TensorSpec([None], dt, "x"))
sigs["upper"] = tf.function(lambda x: {"y": tf.strings.upper(x)}).get_concrete_function(tf.TensorSpec([None], tf.string, "x"))
sigs["length"] = tf.function(lambda x: {"y": tf.strings.length(x)}).get_concrete_function(tf.TensorSpec([None], tf.string, "x"))
sigs["dense"] = tf.function(lambda x: {"y": tf.nn.relu(x @ m.w)}).get_concrete_function(tf.TensorSpec([None, 4], tf.float32, "x"))
sigs["scalar"] = tf.function(lambda x: {"y": x * 2.0}).get_concrete_function(tf.TensorSpec([], tf.float32, "x"))
sigs["fixed"] = tf.function(lambda x: {"y": x * 2.0}).get_concrete_function(tf.TensorSpec([2, 3], tf.float32, "x"))
tf.saved_model.save(m, os.path.join(sys.argv[1], "many"), sigs)

v1 = tf.compat.v1
with tf.Graph().as_default(), v1.Session() as session:
    texts = v1.placeholder(tf.string, [None], "examples")
    x = tf.io.parse_example(texts, {"x": tf.io.FixedLenFeature([2], tf.float32), "n": tf.io.FixedLenFeature([1], tf.int64, 3)})
    sums = tf.reduce_sum(x["x"], 1) + tf.cast(x["n"][:, 0], tf.float32)
    scores = tf.nn.softmax(tf.stack([sums, -sums, sums * 0.5], 1))
    names = tf.tile(tf.constant([["up", "down", "half"]]), [tf.shape(scores)[0], 1])
    of = v1.saved_model.signature_def_utils
    builder = v1.saved_model.Builder(os.path.join(sys.argv[1], "examples"))
    builder.add_meta_graph_and_variables(session, ["serve"], {
        "serving_default": of.predict_signature_def({"inputs": texts}, {"sums": sums}),
        "classify": of.classification_signature_def(texts, names, scores),
        "scores": of.build_signature_def({"inputs": v1.saved_model.build_tensor_info(texts)}, {"scores": v1.saved_model.build_tensor_info(scores)}, "tensorflow/serving/classify"),
        "regress": of.regression_signature_def(texts, sums),
    })
    builder.save()
