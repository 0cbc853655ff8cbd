# Records graph.pbtxt and graph.pb: one graph as TensorFlow writes it, in both
# forms, with a function, debug information, full types and shapes in part
# known.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import full_type_pb2, graph_pb2

@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
def double(x):
    return tf.add(x, x, name="sum")

g = tf.Graph()
with g.as_default():
    x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
    v = tf.compat.v1.get_variable("v", [2], use_resource=False)
    s = tf.constant([b"a\x00\xff", b"b"], name="s")
    y = double(x)
    with g.control_dependencies([v.op]):
        tf.identity(y, name="y")
    h = tf.raw_ops.TensorListReserve(element_shape=-1, num_elements=3, element_dtype=tf.half)
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], name="loop")

d = g.as_graph_def(add_shapes=True)
d.node[0].experimental_debug_info.original_node_names.append("x")
d.node[0].experimental_type.CopyFrom(full_type_pb2.FullTypeDef(
    type_id=full_type_pb2.TFT_PRODUCT,
    args=[full_type_pb2.FullTypeDef(type_id=full_type_pb2.TFT_TENSOR, args=[full_type_pb2.FullTypeDef(type_id=full_type_pb2.TFT_FLOAT)])]))
d.debug_info.files.append("graph.py")
d.debug_info.traces["x"].file_line_cols.add(line=3)
with open("graph.pbtxt", "w") as f:
    f.write(text_format.MessageToString(d))
with open("graph.pb", "wb") as f:
    f.write(d.SerializeToString(deterministic=True))
