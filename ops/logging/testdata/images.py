"""Writes images.json: the pixels of summaries that TensorFlow makes of images."""
import io
import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

nan, inf = float("nan"), float("inf")
rows = []
for dtype, depth, values in (
    ("uint8", 1, [0, 7, 200, 255]),
    ("float", 1, [0, 0.5, 1.25, 2]),
    ("float", 1, [-1, 0.5, 1.25, 2]),
    ("float", 3, [0, 0.5, 1.25, 2, 1e-8, 3, nan, 1, 1, 5, -0.0, 0.1]),
    ("float", 4, [-3, 0.5, 1.25, 2, 1e-8, 3, 9, 1, 1, inf, 0, 0.1, 0.2, 0.3, 0.4, 0.5]),
    ("float", 1, [1e-8, 0, 0, 1e-7]),
    ("float", 1, [nan, nan, inf, -inf]),
    ("half", 1, [0, 0.1, 0.7, 0.9]),
    ("half", 1, [-5, 0.1, 0.7, 0.9]),
    ("double", 1, [0, 0.1, 0.7, 0.9]),
):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        t = tf.constant(values, {"float": tf.float32, "double": tf.float64, "half": tf.float16}.get(dtype) or tf.uint8, [1, 2, 2, depth])
        s = tf.compat.v1.Summary.FromString(session.run(tf.raw_ops.ImageSummary(tag="t", tensor=t, max_images=1, bad_color=tf.make_tensor_proto([9, 8, 7, 6], tf.uint8))))
    v = s.value[0]
    assert v.tag == "t/image" and (v.image.height, v.image.width, v.image.colorspace) == (2, 2, depth)
    pixels = tf.io.decode_png(v.image.encoded_image_string, channels=depth)
    rows.append({"dtype": dtype, "depth": depth, "values": [str(x) for x in values], "pixels": pixels.numpy().reshape(-1).tolist()})
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "images.json"), "w") as f:
    f.write("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
