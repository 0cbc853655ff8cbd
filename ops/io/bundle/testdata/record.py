# Records the checkpoints of this folder with TensorFlow 2.21.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

save = tf.raw_ops.SaveV2
plain = [tf.float32, tf.float64, tf.int32, tf.uint8, tf.int16, tf.int8, tf.complex64, tf.int64, tf.bfloat16, tf.uint16,
         tf.complex128, tf.half, tf.uint32, tf.uint64, tf.dtypes.experimental.int4, tf.dtypes.experimental.uint4]
quantized = {tf.qint8: tf.int8, tf.quint8: tf.uint8, tf.qint32: tf.int32, tf.qint16: tf.int16, tf.quint16: tf.uint16}

# One tensor of each type, 0 to 5, and what is out of the ordinary.
six = tf.reshape(tf.range(6), [2, 3])
saved = {"type/" + t.name: tf.cast(six, t) for t in plain}
saved |= {"type/" + q.name: tf.bitcast(tf.cast(six, t), q) for q, t in quantized.items()}
saved["type/bool"] = tf.constant([[True, False, True], [True, True, False]])
saved["scalar"] = tf.constant(2.5)
saved["empty"] = tf.zeros([0, 3])
saved["strings"] = tf.constant([["a", "", "bcd"], [b"\xff\x00", b"e" * 200, "f"]])
saved["longstring"] = tf.constant("x" * 300)
saved["emptystrings"] = tf.zeros([0], tf.string)
save(prefix="types", tensor_names=list(saved), shape_and_slices=[""] * len(saved), tensors=list(saved.values()))

# Tensors in parts, in two data files.
w = tf.reshape(tf.range(20, dtype=tf.float32), [4, 5])
save(prefix="parts-0", tensor_names=["w", "whole"], shape_and_slices=["4 5 0,3:0,2", ""],
     tensors=[w[:3, :2], tf.constant([1, 2, 3])])
save(prefix="parts-1", tensor_names=["w", "w", "u"], shape_and_slices=["4 5 0,3:2,3", "4 5 3,1:-", "6 0,2"],
     tensors=[w[:3, 2:], w[3:], tf.constant([1, 2], tf.int64)])
tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=["parts-0", "parts-1"], destination_prefix="parts")

# More keys than an interval of restarts.
n = 100
save(prefix="many", tensor_names=[f"layer/{i}/kernel" for i in range(n)], shape_and_slices=[""] * n,
     tensors=[tf.constant(i) for i in range(n)])

# The first format: one tensor of each type that it takes, and slices in two files.
plain = [tf.float32, tf.float64, tf.int32, tf.uint8, tf.int16, tf.int8, tf.complex64, tf.int64, tf.uint16, tf.half]
first = {t.name: tf.cast(six, t) - (tf.cast(3, t) if t in (tf.int8, tf.int16, tf.int32, tf.int64) else tf.cast(0, t)) for t in plain}
first |= {"bool": tf.constant([True, False, True]), "strings": tf.constant([b"a", b"", b"\xff\x00bc"]), "scalar": tf.constant(2.5), "empty": tf.zeros([0, 3])}
tf.raw_ops.Save(filename="first", tensor_names=list(first), data=list(first.values()))
tf.raw_ops.SaveSlices(filename="slices-0", tensor_names=["w", "w"], shapes_and_slices=["4 5 0,3:0,2", "4 5 0,3:2,3"], data=[w[:3, :2], w[:3, 2:]])
tf.raw_ops.SaveSlices(filename="slices-1", tensor_names=["w", "u"], shapes_and_slices=["4 5 3,1:-", "6 0,2"], data=[w[3:], tf.constant([1, 2], tf.int64)])
