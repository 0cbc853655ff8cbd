"""Compares Troupe with TensorFlow on some 240 graphs of one operation each, or a few.

    go build -o /tmp/troupe ./cmd/troupe
    pip install tensorflow-cpu==2.21.0
    python benchmarks/operations.py /tmp/troupe /tmp/operations [NAME...]

It writes the graphs and graphs.json to a folder, runs `troupe bench` and
time_tensorflow.py on them, and prints TensorFlow's time divided by Troupe's, from the
lowest. NAMEs are those of graphs.
"""

import json
import math
import os
import subprocess
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

troupe, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:]
os.makedirs(folder, exist_ok=True)
table = {}
rng = np.random.default_rng(1)
tf1 = tf.compat.v1


def weights(*shape):
    return tf.constant(rng.standard_normal(shape).astype(np.float32) * 0.1)


def case(name, shape, f, dtype="float32", value="ramp"):
    """Adds the graph of f of a placeholder, which is fed a ramp from -0.5 to 0.5."""
    graph = tf.Graph()
    with graph.as_default():
        y = f(tf1.placeholder(dtype, shape, name="x"))
        tf.identity(y[0] if isinstance(y, (tuple, list)) else y, name="y")
    with open(os.path.join(folder, name + ".pb"), "wb") as file:
        file.write(graph.as_graph_def().SerializeToString())
    feed = {"dtype": dtype, "shape": list(shape), "value": value}
    table[name] = {"feeds": {"x:0": feed}, "fetch": "y:0", "nodes": 3, "unit": "run", "work": 1}


case("igamma", (64, 256), lambda x: tf.math.igamma(x * x * 4 + 0.5, x * x * 6 + 0.1))
case("igammac", (64, 256), lambda x: tf.math.igammac(x * x * 4 + 0.5, x * x * 6 + 0.1))
case("lgamma", (64, 1024), lambda x: tf.math.lgamma(x + 1))
case("digamma", (64, 1024), lambda x: tf.math.digamma(x + 1))
case("betainc", (64, 64), lambda x: tf.math.betainc(x * x + 1, x * x + 2, x * x))
case("zeta", (64, 64), lambda x: tf.math.zeta(x * x + 1.5, x * x + 1))
case("erfinv", (64, 1024), lambda x: tf.math.erfinv(x))
case("svd_64", (64, 64), lambda x: tf.linalg.svd(x + weights(64, 64), compute_uv=True)[0])
case("svd_200", (200, 200), lambda x: tf.linalg.svd(x + weights(200, 200), compute_uv=True)[0])
case("svd_values", (128, 32), lambda x: tf.linalg.svd(x + weights(128, 32), compute_uv=False))
case("svd_batch", (64, 8, 8), lambda x: tf.linalg.svd(x + weights(64, 8, 8), compute_uv=True)[0])
case("qr_128", (128, 128), lambda x: tf.linalg.qr(x + weights(128, 128))[0])
case(
    "cholesky_256",
    (256, 256),
    lambda x: tf.linalg.cholesky(
        tf.matmul(x + weights(256, 256), x + weights(256, 256), transpose_b=True) * 0
        + tf.eye(256) * 2
        + tf.matmul(weights(256, 8), weights(256, 8), transpose_b=True)
    ),
)
case("eigh_64", (64, 64), lambda x: tf.linalg.eigh(x + tf.transpose(x))[0])
case("inverse_128", (128, 128), lambda x: tf.linalg.inv(x + tf.eye(128)))
case("solve_128", (128, 128), lambda x: tf.linalg.solve(x + tf.eye(128), x))
case("det_64", (64, 64), lambda x: tf.linalg.det(x + tf.eye(64)))
case("tri_solve", (256, 256), lambda x: tf.linalg.triangular_solve(x + tf.eye(256) * 3, x))
case("quantize", (256, 1024), lambda x: tf.raw_ops.QuantizeV2(input=x, min_range=-1.0, max_range=1.0, T=tf.quint8)[0])
case(
    "quantize_first", (256, 1024), lambda x: tf.raw_ops.QuantizeV2(input=x, min_range=-1.0, max_range=1.0, T=tf.quint8, mode="MIN_FIRST")[0]
)
case("quantize_scaled", (256, 1024), lambda x: tf.raw_ops.QuantizeV2(input=x, min_range=-1.0, max_range=1.0, T=tf.qint8, mode="SCALED")[0])
case("fake_quant", (256, 1024), lambda x: tf.raw_ops.FakeQuantWithMinMaxVars(inputs=x, min=-0.4, max=0.4))
case(
    "dequantize",
    (256, 1024),
    lambda x: tf.raw_ops.Dequantize(
        input=tf.raw_ops.QuantizeV2(input=x, min_range=-1.0, max_range=1.0, T=tf.quint8)[0], min_range=-1.0, max_range=1.0
    ),
)
case("qdq", (256, 1024), lambda x: tf.raw_ops.QuantizeAndDequantizeV2(input=x, input_min=-1.0, input_max=1.0))
case("resize_bilinear_up", (1, 64, 64, 32), lambda x: tf.raw_ops.ResizeBilinear(images=x, size=[128, 128], half_pixel_centers=True))
case("resize_bilinear_3", (1, 224, 224, 3), lambda x: tf.raw_ops.ResizeBilinear(images=x, size=[320, 320]))
case("resize_nearest", (1, 64, 64, 32), lambda x: tf.raw_ops.ResizeNearestNeighbor(images=x, size=[128, 128], half_pixel_centers=True))
case("resize_nearest_3", (1, 224, 224, 3), lambda x: tf.raw_ops.ResizeNearestNeighbor(images=x, size=[320, 320]))
case("resize_bicubic", (1, 128, 128, 3), lambda x: tf.raw_ops.ResizeBicubic(images=x, size=[256, 256], half_pixel_centers=True))
case("resize_area", (1, 256, 256, 3), lambda x: tf.raw_ops.ResizeArea(images=x, size=[128, 128]))
case(
    "crop_resize",
    (1, 128, 128, 16),
    lambda x: tf.raw_ops.CropAndResize(
        image=x, boxes=tf.constant(rng.random((20, 4)).astype(np.float32)), box_ind=np.zeros(20, np.int32), crop_size=[14, 14]
    ),
)
b = rng.random((1917, 2)).astype(np.float32)
boxes = np.concatenate([b, b + 0.05 + 0.1 * rng.random((1917, 2)).astype(np.float32)], 1)
sc = rng.random(1917).astype(np.float32)
case(
    "nms",
    (1917,),
    lambda x: tf.raw_ops.NonMaxSuppressionV3(
        boxes=tf.constant(boxes), scores=x * 0.001 + sc, max_output_size=100, iou_threshold=0.6, score_threshold=0.3
    ),
)
case(
    "nms_5",
    (1917,),
    lambda x: tf.raw_ops.NonMaxSuppressionV5(
        boxes=tf.constant(boxes), scores=x * 0.001 + sc, max_output_size=20, iou_threshold=0.5, score_threshold=0.0, soft_nms_sigma=0.0
    )[0],
)
case(
    "combined_nms",
    (1, 400, 4),
    lambda x: tf.raw_ops.CombinedNonMaxSuppression(
        boxes=tf.expand_dims(tf.constant(boxes[:400][None]), 2) + tf.expand_dims(x * 0.0001, 2),
        scores=tf.constant(rng.random((1, 400, 20)).astype(np.float32)),
        max_output_size_per_class=20,
        max_total_size=50,
        iou_threshold=0.5,
        score_threshold=0.3,
    )[0],
)


def ln(x, w):
    m, v = tf.nn.moments(x, -1, keepdims=True)
    return tf.nn.batch_normalization(x, m, v, weights(w), weights(w), 1e-5)


case("layer_norm_768", (128, 768), lambda x: ln(x, 768))
case("layer_norm_64", (1024, 64), lambda x: ln(x, 64))
case("layer_norm_add", (128, 768), lambda x: ln(x + tf.nn.bias_add(x, weights(768)), 768))
case("rms_norm", (128, 768), lambda x: x * tf.math.rsqrt(tf.reduce_mean(tf.square(x), -1, keepdims=True) + 1e-5) * weights(768))
case(
    "fused_bn_train",
    (8, 28, 28, 64),
    lambda x: tf.raw_ops.FusedBatchNormV3(x=x, scale=weights(64), offset=weights(64), mean=[], variance=[], is_training=True)[0],
)
case(
    "fused_bn",
    (1, 56, 56, 64),
    lambda x: tf.raw_ops.FusedBatchNormV3(
        x=x, scale=weights(64), offset=weights(64), mean=weights(64), variance=tf.abs(weights(64)), is_training=False
    )[0],
)
case("embedding", (128,), lambda x: tf.gather(weights(5000, 512), tf.cast((x + 0.5) * 4000, tf.int32)))
case("embedding_lookup_batch", (16, 64), lambda x: tf.gather(weights(5000, 64), tf.cast((x + 0.5) * 4000, tf.int32)))
case("gather_batch", (32, 64, 64), lambda x: tf.gather(x, tf.constant(rng.integers(0, 64, (32, 16))), batch_dims=1))
case("gather_axis1", (64, 256, 16), lambda x: tf.gather(x, tf.constant(rng.integers(0, 256, 100)), axis=1))
case("gather_nd", (128, 128, 16), lambda x: tf.gather_nd(x, tf.constant(rng.integers(0, 128, (500, 2)))))
case("scatter_nd", (500, 16), lambda x: tf.scatter_nd(tf.constant(rng.integers(0, 1000, (500, 1)).astype(np.int32)), x, [1000, 16]))
case("segment_sum", (1000, 64), lambda x: tf.math.unsorted_segment_sum(x, tf.constant(rng.integers(0, 50, 1000)), 50))
case("one_hot", (4096,), lambda x: tf.one_hot(tf.cast((x + 0.5) * 100, tf.int32), 128))


def conv(name, h, cin, cout, kk, s=1, d=1, pad="SAME", n=1):
    case(name, (n, h, h, cin), lambda x: tf.nn.conv2d(x, weights(kk, kk, cin, cout), s, pad, dilations=d))


conv("conv_first_3x3s2", 224, 3, 32, 3, 2)
conv("conv_first_7x7s2", 224, 3, 64, 7, 2)
conv("conv_patch16", 224, 3, 768, 16, 16, 1, "VALID")
conv("conv_1x1_112x32", 112, 32, 64, 1)
conv("conv_1x1_7x512", 7, 512, 1024, 1)
conv("conv_3x3_14x256", 14, 256, 256, 3)
conv("conv_3x3_7x512", 7, 512, 512, 3)
conv("conv_3x3s2_56x64", 56, 64, 128, 3, 2)
conv("conv_dilated2", 28, 128, 128, 3, 1, 2)
conv("conv_dilated6", 28, 64, 64, 3, 1, 6)
conv("conv_5x5", 28, 32, 64, 5)
conv("conv_few_out", 128, 16, 3, 3)
conv("conv_few_out1", 128, 32, 1, 1)
case("conv_1x7", (1, 17, 17, 128), lambda x: tf.nn.conv2d(x, weights(1, 7, 128, 128), 1, "SAME"))
case("conv_odd", (1, 33, 33, 17), lambda x: tf.nn.conv2d(x, weights(3, 3, 17, 29), 1, "SAME"))
case("conv1d", (1, 1, 512, 64), lambda x: tf.nn.conv2d(x, weights(1, 9, 64, 64), 1, "SAME"))
case("conv1d_wide", (1, 1, 16000, 1), lambda x: tf.nn.conv2d(x, weights(1, 80, 1, 32), [1, 1, 4, 1], "VALID"))
case("conv3d", (1, 16, 28, 28, 16), lambda x: tf.nn.conv3d(x, weights(3, 3, 3, 16, 32), [1] * 5, "SAME"))
case("group_conv", (1, 28, 28, 64), lambda x: tf.nn.conv2d(x, weights(3, 3, 8, 64), 1, "SAME"))
case("conv_T2", (1, 28, 28, 64), lambda x: tf.nn.conv2d_transpose(x, weights(3, 3, 32, 64), [1, 56, 56, 32], 2))
case("conv_T2_4x4", (1, 32, 32, 64), lambda x: tf.nn.conv2d_transpose(x, weights(4, 4, 32, 64), [1, 64, 64, 32], 2))
case("conv_T2_2x2", (1, 64, 64, 32), lambda x: tf.nn.conv2d_transpose(x, weights(2, 2, 16, 32), [1, 128, 128, 16], 2))
for h, c, s, kk, d in [
    (112, 32, 1, 3, 1),
    (112, 64, 2, 3, 1),
    (14, 512, 1, 3, 1),
    (28, 192, 1, 5, 1),
    (28, 128, 1, 3, 2),
    (56, 96, 1, 7, 1),
]:
    case(
        f"depthwise_{h}x{c}_k{kk}s{s}d{d}",
        (1, h, h, c),
        lambda x: tf.nn.depthwise_conv2d(x, weights(kk, kk, c, 1), [1, s, s, 1], "SAME", dilations=[d, d] if d > 1 else None),
    )
case("depthwise_mult2", (1, 56, 56, 32), lambda x: tf.nn.depthwise_conv2d(x, weights(3, 3, 32, 2), [1, 1, 1, 1], "SAME"))
case("max_pool_3s2", (1, 112, 112, 64), lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"))
case("max_pool_5s1", (1, 28, 28, 256), lambda x: tf.nn.max_pool2d(x, 5, 1, "SAME"))
case("avg_pool_3s1", (1, 35, 35, 192), lambda x: tf.nn.avg_pool2d(x, 3, 1, "SAME"))
case("avg_pool_2", (1, 56, 56, 64), lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"))
case("global_mean", (1, 7, 7, 1280), lambda x: tf.reduce_mean(x, [1, 2]))
case("space_to_depth", (1, 112, 112, 16), lambda x: tf.nn.space_to_depth(x, 2))
case("depth_to_space", (1, 56, 56, 64), lambda x: tf.nn.depth_to_space(x, 2))
case("lrn", (1, 56, 56, 64), lambda x: tf.nn.local_response_normalization(x))
case("softmax_1000", (64, 1000), tf.nn.softmax)
case("log_softmax", (64, 1000), tf.nn.log_softmax)
case("softmax_21", (128 * 128, 21), tf.nn.softmax)
case("xent", (64, 1000), lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([64], tf.int32), x))
case("argmax_last", (64, 1000), lambda x: tf.argmax(x, -1))
case("argmax_21", (128 * 128, 21), lambda x: tf.argmax(x, -1))
case("argmax_axis0", (1000, 64), lambda x: tf.argmax(x, 0))
case("top_k_100", (16, 5000), lambda x: tf.math.top_k(x + weights(16, 5000), 100)[0])
case("top_k_5", (16, 1000), lambda x: tf.math.top_k(x + weights(16, 1000), 5)[0])
case("sort", (16, 2000), lambda x: tf.sort(x + weights(16, 2000)))
case("unique", (4096,), lambda x: tf.unique(tf.cast(x * 500, tf.int32))[0])
case("where", (65536,), lambda x: tf.where(x > 0.3))
case("boolean_mask", (4096, 16), lambda x: tf.boolean_mask(x, x[:, 0] > 0))
case("cumsum", (256, 1024), lambda x: tf.cumsum(x, 1))
case("cumsum0", (1024, 256), lambda x: tf.cumsum(x, 0))
case("cumprod", (256, 1024), lambda x: tf.math.cumprod(x, 1))
case("reduce_sum_axis1", (64, 64, 64), lambda x: tf.reduce_sum(x, 1))
case("reduce_max_axis0", (1024, 256), lambda x: tf.reduce_max(x, 0))
case("reduce_mean_12", (8, 56, 56, 64), lambda x: tf.reduce_mean(x, [1, 2]))
case("reduce_prod", (256, 1024), lambda x: tf.reduce_prod(x, 1))
case("reduce_lse", (256, 1000), lambda x: tf.reduce_logsumexp(x, 1))
case("reduce_var", (256, 1000), lambda x: tf.math.reduce_variance(x, 1))
case("reduce_any", (256, 1000), lambda x: tf.reduce_any(x > 0.4, 1))
case("transpose_10", (1024, 1024), lambda x: tf.transpose(x, (1, 0)))
case("transpose_nhwc_nchw", (1, 56, 56, 64), lambda x: tf.transpose(x, (0, 3, 1, 2)))
case("transpose_nchw_nhwc", (1, 64, 56, 56), lambda x: tf.transpose(x, (0, 2, 3, 1)))
case("transpose_0213", (1, 128, 12, 64), lambda x: tf.transpose(x, (0, 2, 1, 3)))
case("reverse", (256, 1024), lambda x: tf.reverse(x, [1]))
case("roll", (256, 1024), lambda x: tf.roll(x, 5, 1))
case("pad_reflect", (1, 128, 128, 32), lambda x: tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT"))
case("strided", (256, 1024), lambda x: x[:, ::2])
case("tile", (128, 64), lambda x: tf.tile(x, [1, 8]))
case("concat_last", (1, 56, 56, 64), lambda x: tf.concat([x, x, x], 3))
case("split_last", (1, 56, 56, 64), lambda x: tf.concat(tf.split(x, 4, 3)[::-1], 3))
case("stack", (64, 1024), lambda x: tf.stack([x, x, x], 1))
case("unstack", (64, 3, 1024), lambda x: tf.add_n(tf.unstack(x, axis=1)))
case("broadcast_mul", (1, 56, 56, 64), lambda x: x * x[:, :1, :1, :])
case("broadcast_outer", (512, 1), lambda x: x * tf.reshape(x, [1, 512]))
case("clip", (256, 1024), lambda x: tf.clip_by_value(x, -0.1, 0.1))
case("pow", (256, 1024), lambda x: tf.pow(x + 1, 2.5))
case("atan2", (256, 1024), lambda x: tf.atan2(x, x + 0.3))
case("sin", (256, 1024), tf.sin)
case("log1p", (256, 1024), tf.math.log1p)
case("floormod", (256, 1024), lambda x: tf.math.floormod(x, 0.3))
case("softplus", (256, 1024), tf.nn.softplus)
case("selu", (256, 1024), tf.nn.selu)
case("elu", (256, 1024), tf.nn.elu)
case("swish", (256, 1024), tf.nn.swish)
case("hswish", (256, 1024), lambda x: x * tf.nn.relu6(x + 3) / 6)
case("mish", (256, 1024), lambda x: x * tf.tanh(tf.nn.softplus(x)))
case("prelu", (1, 56, 56, 64), lambda x: tf.nn.relu(x) - weights(64) * tf.nn.relu(-x))
case("leaky", (256, 1024), tf.nn.leaky_relu)
case("int_div", (256, 1024), lambda x: tf.cast(x * 1000, tf.int32) // 7)
case("cast_u8", (256, 1024), lambda x: tf.cast(x * 100 + 100, tf.uint8))
case("equal", (256, 1024), lambda x: tf.cast(tf.equal(x, 0.0), tf.float32))
case("select", (256, 1024), lambda x: tf.where(x > 0, x, x * 2))
case("fft", (64, 1024), lambda x: tf.abs(tf.signal.rfft(x)))
case("stft", (1, 16000), lambda x: tf.abs(tf.signal.stft(x, 400, 160)))
case("fft2d", (128, 128), lambda x: tf.abs(tf.signal.fft2d(tf.cast(x, tf.complex64))))
case("mel", (98, 257), lambda x: tf.math.log(tf.matmul(x * x, tf.abs(weights(257, 80))) + 1e-6))
case("ifft", (64, 1024), lambda x: tf.signal.irfft(tf.signal.rfft(x)))
case("einsum_attn", (8, 128, 64), lambda x: tf.einsum("bij,bkj->bik", x, x))
case("einsum_heads", (1, 128, 768), lambda x: tf.einsum("abc,cde->abde", x, weights(768, 12, 64)))
case("bmm_small", (512, 8, 8), lambda x: tf.matmul(x, x))
case("matmul_1x768", (1, 768), lambda x: tf.matmul(x, weights(768, 3072)))
case("matmul_128x768", (128, 768), lambda x: tf.matmul(x, weights(768, 3072)))
case("matmul_f64", (256, 256), lambda x: tf.matmul(x, x), "float64")
case(
    "bilinear_warp",
    (1, 64, 64, 16),
    lambda x: tf.raw_ops.ImageProjectiveTransformV2(
        images=x, transforms=[[1.0, 0.1, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0]], output_shape=[64, 64], interpolation="BILINEAR"
    ),
)
case(
    "erosion",
    (1, 64, 64, 8),
    lambda x: tf.raw_ops.Dilation2D(input=x, filter=weights(3, 3, 8), strides=[1] * 4, rates=[1] * 4, padding="SAME"),
)
case("rgb_hsv", (1, 224, 224, 3), lambda x: tf.raw_ops.RGBToHSV(images=x * x))
case("adjust_contrast", (1, 224, 224, 3), lambda x: tf.raw_ops.AdjustContrastv2(images=x, contrast_factor=1.5))
case(
    "patches",
    (1, 64, 64, 16),
    lambda x: tf.raw_ops.ExtractImagePatches(images=x, ksizes=[1, 3, 3, 1], strides=[1] * 4, rates=[1] * 4, padding="SAME"),
)


def grad(name, shape, f):
    def g(x):
        y = f(x)
        return tf1.gradients(tf.reduce_sum(y * y), x)[0]

    case("g_" + name, shape, g)


def wgrad(name, shape, wshape, f):
    def g(x):
        w = weights(*wshape)
        y = f(x, w)
        return tf1.gradients(tf.reduce_sum(y * y), w)[0]

    case("w_" + name, shape, g)


grad("max_pool", (4, 56, 56, 32), lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"))
grad("max_pool3", (4, 56, 56, 32), lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"))
grad("avg_pool", (4, 56, 56, 32), lambda x: tf.nn.avg_pool2d(x, 2, 2, "SAME"))
grad("conv3", (4, 28, 28, 64), lambda x: tf.nn.conv2d(x, weights(3, 3, 64, 64), 1, "SAME"))
wgrad("conv3", (4, 28, 28, 64), (3, 3, 64, 64), lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"))
wgrad("conv7", (4, 112, 112, 3), (7, 7, 3, 32), lambda x, w: tf.nn.conv2d(x, w, 2, "SAME"))
wgrad("conv1", (4, 28, 28, 128), (1, 1, 128, 256), lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"))
grad("conv1s2", (4, 28, 28, 128), lambda x: tf.nn.conv2d(x, weights(1, 1, 128, 256), 2, "SAME"))
grad("depthwise", (4, 56, 56, 64), lambda x: tf.nn.depthwise_conv2d(x, weights(3, 3, 64, 1), [1] * 4, "SAME"))
wgrad("depthwise", (4, 56, 56, 64), (3, 3, 64, 1), lambda x, w: tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME"))
wgrad("depthwise5s2", (4, 56, 56, 64), (5, 5, 64, 1), lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME"))
grad("conv_T", (4, 28, 28, 32), lambda x: tf.nn.conv2d_transpose(x, weights(3, 3, 32, 32), [4, 56, 56, 32], 2))
wgrad("conv_T", (4, 28, 28, 32), (3, 3, 32, 32), lambda x, w: tf.nn.conv2d_transpose(x, w, [4, 56, 56, 32], 2))
grad("conv3d", (2, 8, 16, 16, 16), lambda x: tf.nn.conv3d(x, weights(3, 3, 3, 16, 16), [1] * 5, "SAME"))
wgrad("conv3d", (2, 8, 16, 16, 16), (3, 3, 3, 16, 16), lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME"))
wgrad("conv1d", (8, 1, 128, 64), (1, 5, 64, 64), lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"))
grad(
    "layer_norm",
    (256, 512),
    lambda x: (lambda m, v: tf.nn.batch_normalization(x, m, v, weights(512), weights(512), 1e-5))(*tf.nn.moments(x, -1, keepdims=True)),
)
grad(
    "batch_norm",
    (8, 28, 28, 64),
    lambda x: tf.raw_ops.FusedBatchNormV3(x=x, scale=weights(64), offset=weights(64), mean=[], variance=[], is_training=True)[0],
)
grad("softmax", (256, 1000), tf.nn.softmax)
grad("gelu", (256, 1024), lambda x: tf.nn.gelu(x))
grad("tanh", (256, 1024), tf.tanh)
grad("resize", (2, 32, 32, 32), lambda x: tf.raw_ops.ResizeBilinear(images=x, size=[64, 64], half_pixel_centers=True))
grad("resize_nn", (2, 32, 32, 32), lambda x: tf.raw_ops.ResizeNearestNeighbor(images=x, size=[64, 64], half_pixel_centers=True))
grad("pad", (4, 56, 56, 32), lambda x: tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]))
grad("concat", (4, 56, 56, 32), lambda x: tf.concat([x, x * 2], 3))
grad("reduce_max", (256, 1000), lambda x: tf.reduce_max(x, 1))
grad("cumsum", (256, 1024), lambda x: tf.cumsum(x, 1))
grad("strided", (256, 1024), lambda x: x[:, 1:-1:2])
grad("segment", (1000, 64), lambda x: tf.math.segment_sum(x, tf.constant(np.sort(rng.integers(0, 50, 1000)))))
grad("einsum", (8, 128, 64), lambda x: tf.einsum("bij,bkj->bik", x, x))
grad("matmul", (128, 768), lambda x: tf.matmul(x, weights(768, 768)))
wgrad("matmul", (512, 768), (768, 768), lambda x, w: tf.matmul(x, w))
grad("l2", (256, 1024), tf.nn.l2_loss)
grad("xent", (128, 1000), lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.zeros([128], tf.int32), x))
grad("sigmoid_xent", (256, 1024), lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones_like(x), x))
grad("prelu", (4, 56, 56, 32), lambda x: tf.nn.relu(x) - weights(32) * tf.nn.relu(-x))
grad("lrn", (4, 28, 28, 64), tf.nn.local_response_normalization)
grad("space2depth", (4, 56, 56, 32), lambda x: tf.nn.space_to_depth(x, 2))
grad("fft", (64, 512), lambda x: tf.abs(tf.signal.rfft(x)))
grad("cholesky", (64, 64), lambda x: tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + tf.eye(64) * 5))
grad("qr", (64, 32), lambda x: tf.linalg.qr(x + weights(64, 32))[0])
grad("inv", (64, 64), lambda x: tf.linalg.inv(x + tf.eye(64)))
grad("mirror", (4, 56, 56, 32), lambda x: tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], "REFLECT"))
grad(
    "ctc",
    (50, 16, 40),
    lambda x: tf1.nn.ctc_loss(
        tf.SparseTensor(
            [[b, t] for b in range(16) for t in range(10)], [(b * 7 + t * 3) % 39 for b in range(16) for t in range(10)], [16, 10]
        ),
        x,
        [50] * 16,
    ),
)


# Strings, images, parsing.
def scalar(name, f):
    case(name, (1,), f)


words = [("token%d of the text" % i) for i in range(2000)]
scalar("hash_fast", lambda x: tf.strings.to_hash_bucket_fast(tf.constant(words), 1000) + tf.cast(x[0], tf.int64))
scalar("regex", lambda x: tf.strings.length(tf.strings.regex_replace(tf.constant(words), "[0-9]+", "#")) + tf.cast(x[0], tf.int32))
scalar("to_number", lambda x: tf.strings.to_number(tf.constant([str(i * 1.5) for i in range(2000)])) + x[0])
scalar("as_string", lambda x: tf.strings.length(tf.strings.as_string(tf.range(2000.0) * 1.37 + x[0])))
scalar("lower", lambda x: tf.strings.length(tf.strings.lower(tf.constant(words))) + tf.cast(x[0], tf.int32))
im = (rng.random((256, 256, 3)) * 255).astype(np.uint8)
jp = tf.io.encode_jpeg(im).numpy()
pn = tf.io.encode_png(im).numpy()
scalar("decode_jpeg", lambda x: tf.cast(tf.io.decode_jpeg(tf.constant(jp)), tf.float32) + x[0])
scalar("decode_png", lambda x: tf.cast(tf.io.decode_png(tf.constant(pn)), tf.float32) + x[0])
scalar(
    "encode_jpeg",
    lambda x: tf.cast(tf.strings.length(tf.io.encode_jpeg(tf.cast(tf.constant(im.astype(np.float32)) + x[0], tf.uint8))), tf.float32),
)
ex = [
    tf.train.Example(
        features=tf.train.Features(
            feature={
                "a": tf.train.Feature(float_list=tf.train.FloatList(value=list(range(20)))),
                "b": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
                "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"text"])),
            }
        )
    ).SerializeToString()
    for i in range(256)
]
scalar(
    "parse_example",
    lambda x: tf.io.parse_example(
        tf.constant(ex),
        {"a": tf.io.FixedLenFeature([20], tf.float32), "b": tf.io.FixedLenFeature([], tf.int64), "c": tf.io.FixedLenFeature([], tf.string)},
    )["a"]
    + x[0],
)
scalar("multinomial", lambda x: tf.cast(tf.random.stateless_categorical(weights(64, 100), 16, [1, 2]), tf.float32) + x[0])
scalar("shuffle", lambda x: tf.random.experimental.stateless_shuffle(tf.range(10000), [1, 2]) + tf.cast(x[0], tf.int32))
case("dropout", (256, 1024), lambda x: tf.nn.experimental.stateless_dropout(x, 0.3, [1, 2]))
case(
    "sparse_dense",
    (512, 64),
    lambda x: tf.sparse.sparse_dense_matmul(
        tf.SparseTensor(np.sort(rng.integers(0, 512, (4000, 2)), 0).astype(np.int64), rng.random(4000).astype(np.float32), [512, 512]), x
    ),
)
case("ragged_sum", (5000,), lambda x: tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, [5] * 1000), 1))
case("searchsorted", (4096,), lambda x: tf.searchsorted(tf.constant(np.linspace(-0.5, 0.5, 1000).astype(np.float32)), x))
case("bucketize", (4096,), lambda x: tf.raw_ops.Bucketize(input=x, boundaries=[-0.3, -0.1, 0.0, 0.1, 0.3]))
case("histogram", (65536,), lambda x: tf.histogram_fixed_width(x, [-0.5, 0.5], 100))
case("bincount", (65536,), lambda x: tf.math.bincount(tf.cast((x + 0.5) * 99, tf.int32)))
case("unsorted_max", (4096, 16), lambda x: tf.math.unsorted_segment_max(x, tf.constant(rng.integers(0, 100, 4096)), 100))
case("confusion", (4096,), lambda x: tf.math.confusion_matrix(tf.cast((x + 0.5) * 9, tf.int32), tf.zeros([4096], tf.int32), 10))
case("in_top_k", (256, 1000), lambda x: tf.math.in_top_k(tf.zeros([256], tf.int32), x, 5))
case("nth", (64, 1000), lambda x: tf.raw_ops.NthElement(input=x + weights(64, 1000), n=500))
case("band_part", (16, 128, 128), lambda x: tf.linalg.band_part(x, -1, 0))
case("diag", (1024,), tf.linalg.diag)
case("set_diag", (16, 128, 128), lambda x: tf.linalg.set_diag(x, x[:, 0]))
case("meshgrid", (512,), lambda x: tf.meshgrid(x, x)[0])
case("trace", (16, 128, 128), tf.linalg.trace)
case("f64_exp", (256, 1024), lambda x: tf.exp(x), "float64")
case("f64_add", (256, 1024), lambda x: x + x * 2, "float64")
case("f64_sum", (256, 1024), lambda x: tf.reduce_sum(x, 1), "float64")
case("f64_tanh", (256, 1024), lambda x: tf.tanh(x), "float64")
case("i32_add", (256, 1024), lambda x: tf.cast(x, tf.int32) * 3 + 1, "int32", 1)
case("i64_sum", (256, 1024), lambda x: tf.reduce_sum(x, 1), "int64", 1)
case("i32_max", (256, 1024), lambda x: tf.reduce_max(x, 0), "int32", 1)
case("half_add", (256, 1024), lambda x: tf.cast(tf.cast(x, tf.half) * 2 + 1, tf.float32))
case("bf16_matmul", (256, 256), lambda x: tf.cast(tf.matmul(tf.cast(x, tf.bfloat16), tf.cast(x, tf.bfloat16)), tf.float32))
case("complex_mul", (256, 512), lambda x: tf.abs(tf.complex(x, x) * tf.complex(x, -x)))
case("bitwise", (256, 1024), lambda x: tf.bitwise.bitwise_xor(x, 5), "int32", 1)
case("logical", (256, 1024), lambda x: tf.cast(tf.logical_and(x > 0, x < 0.3), tf.float32))
case("add_n", (256, 1024), lambda x: tf.add_n([x, x * 2, x * 3, x * 4]))
case(
    "lstm_cell",
    (32, 256),
    lambda x: tf.raw_ops.LSTMBlockCell(
        x=x, cs_prev=x, h_prev=x, w=weights(512, 1024), wci=weights(256), wcf=weights(256), wco=weights(256), b=weights(1024)
    )[6],
)
case(
    "gru_cell",
    (32, 256),
    lambda x: tf.raw_ops.GRUBlockCell(x=x, h_prev=x, w_ru=weights(512, 512), w_c=weights(512, 256), b_ru=weights(512), b_c=weights(256))[3],
)
case("ctc_greedy", (50, 16, 40), lambda x: tf.cast(tf.nn.ctc_greedy_decoder(x, [50] * 16)[0][0].values, tf.float32))


def seed(x):
    return tf.cast(tf.stack([x[0] + 1, x[0] + 2]), tf.int32)


scalar("random_normal", lambda x: tf.random.stateless_normal([256, 1024], seed(x)))
scalar("random_uniform", lambda x: tf.random.stateless_uniform([256, 1024], seed(x)))
scalar("truncated", lambda x: tf.random.stateless_truncated_normal([256, 1024], seed(x)))
scalar("random_gamma", lambda x: tf.random.stateless_gamma([64, 256], seed(x), alpha=2.5))
scalar("random_int", lambda x: tf.random.stateless_uniform([256, 1024], seed(x), maxval=100, dtype=tf.int32))
scalar("old_normal", lambda x: tf.raw_ops.RandomStandardNormal(shape=[256, 1024], dtype=tf.float32))
scalar("old_uniform", lambda x: tf.raw_ops.RandomUniform(shape=[256, 1024], dtype=tf.float32))
case("dropout_old", (256, 1024), lambda x: tf1.nn.dropout(x, rate=0.3))
case("l2", (256, 1024), tf.nn.l2_loss)
case("norm", (256, 1024), lambda x: tf.norm(x))
case("global_norm", (256, 1024), lambda x: tf.linalg.global_norm([x, x * 2]))
case("clip_norm", (256, 1024), lambda x: tf.clip_by_norm(x, 1.0))
case("reduce_sum_all", (256, 1024), tf.reduce_sum)
case("reduce_max_all", (256, 1024), tf.reduce_max)
case("mean_sq", (256, 1024), lambda x: tf.reduce_mean(tf.square(x - 1)))

with open(os.path.join(folder, "graphs.json"), "w") as file:
    json.dump(table, file)


def medians(*command):
    """Runs a command that prints a graph's times as JSON a line."""
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = map(json.loads, filter(lambda line: line.startswith("{"), out.splitlines()))
    return {row["graph"]: row["median_ns"] for row in rows}


ours = medians(troupe, "bench", folder, *names, "--format", "json")
theirs = medians(sys.executable, os.path.join(os.path.dirname(__file__), "time_tensorflow.py"), folder, *names)
ratios = sorted((theirs[name] / ours[name], name) for name in ours)
for ratio, name in ratios:
    print(f"{ratio:8.2f}  {name:24} {ours[name] / 1e3:10.1f} µs, TensorFlow {theirs[name] / 1e3:10.1f}")
print(f"{math.exp(sum(math.log(r) for r, _ in ratios) / len(ratios)):8.2f}  in the geometric mean of {len(ratios)}")
