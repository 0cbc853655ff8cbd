"""Records what Keras's layers, losses, metrics and models compute.

    python record.py                  writes layers.zip next to this file
    python record.py --verify DIR     compares Keras with weights that Go saved:
                                     go test ./layers -run TestModels -saved DIR

Needs TensorFlow 2.21 with Keras 3.15.
"""
import io
import os
import sys
import tempfile
import zipfile
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf
from keras import layers as L

HERE = os.path.dirname(os.path.abspath(__file__))


def floats(rng, *shape):
    return rng.normal(size=shape).astype(np.float32)


# A layer, and the shapes of its inputs with the batch; ("int", n, shape) are numbers below n,
# and ("mask", shape) is a series with a mask.
LAYERS = {
    "dense": (lambda: L.Dense(3, activation="relu"), [(4, 5)]),
    "dense_3d": (lambda: L.Dense(3, use_bias=False, activation="gelu"), [(2, 4, 5)]),
    "conv1d": (lambda: L.Conv1D(3, 3, strides=2, padding="same"), [(2, 7, 4)]),
    "conv1d_causal": (lambda: L.Conv1D(3, 3, padding="causal", dilation_rate=2), [(2, 7, 4)]),
    "conv2d": (lambda: L.Conv2D(4, (3, 2), activation="tanh"), [(2, 6, 5, 3)]),
    "conv2d_same": (lambda: L.Conv2D(4, 3, strides=2, padding="same"), [(2, 6, 5, 3)]),
    "conv2d_dilated": (lambda: L.Conv2D(4, 3, dilation_rate=2, use_bias=False), [(2, 7, 6, 3)]),
    "conv2d_groups": (lambda: L.Conv2D(4, 3, groups=2), [(2, 5, 5, 4)]),
    "depthwise": (lambda: L.DepthwiseConv2D(3, depth_multiplier=2, padding="same"), [(2, 5, 6, 3)]),
    "depthwise_strided": (lambda: L.DepthwiseConv2D(3, strides=2), [(2, 7, 6, 3)]),
    "separable": (lambda: L.SeparableConv2D(5, 3, strides=2, padding="same", depth_multiplier=2), [(2, 7, 6, 3)]),
    "transposed": (lambda: L.Conv2DTranspose(4, 3, strides=2), [(2, 4, 3, 3)]),
    "transposed_same": (lambda: L.Conv2DTranspose(4, 3, strides=2, padding="same", activation="elu"), [(2, 4, 3, 3)]),
    "transposed_wide": (lambda: L.Conv2DTranspose(2, 2, strides=3), [(2, 3, 3, 3)]),
    "max_pool2d": (lambda: L.MaxPooling2D(), [(2, 5, 6, 3)]),
    "max_pool2d_same": (lambda: L.MaxPooling2D(3, strides=2, padding="same"), [(2, 5, 6, 3)]),
    "average_pool2d": (lambda: L.AveragePooling2D((3, 2), strides=1, padding="same"), [(2, 5, 6, 3)]),
    "max_pool1d": (lambda: L.MaxPooling1D(3, padding="same"), [(2, 7, 3)]),
    "average_pool1d": (lambda: L.AveragePooling1D(2), [(2, 7, 3)]),
    "global_average2d": (lambda: L.GlobalAveragePooling2D(), [(2, 4, 3, 5)]),
    "global_max2d": (lambda: L.GlobalMaxPooling2D(keepdims=True), [(2, 4, 3, 5)]),
    "global_average1d": (lambda: L.GlobalAveragePooling1D(), [(2, 4, 5)]),
    "global_max1d": (lambda: L.GlobalMaxPooling1D(), [(2, 4, 5)]),
    "zero_padding": (lambda: L.ZeroPadding2D(((1, 2), (3, 0))), [(2, 3, 2, 2)]),
    "up_sampling": (lambda: L.UpSampling2D((2, 3)), [(2, 3, 2, 2)]),
    "batch_norm2": (lambda: L.BatchNormalization(), [(4, 5)]),
    "batch_norm4": (lambda: L.BatchNormalization(scale=False, epsilon=0.01), [(2, 3, 4, 5)]),
    "layer_norm": (lambda: L.LayerNormalization(), [(2, 3, 5)]),
    "layer_norm_eps": (lambda: L.LayerNormalization(epsilon=1e-6, center=False), [(3, 6)]),
    "embedding": (lambda: L.Embedding(7, 3), [("int", 7, (2, 4))]),
    "flatten": (lambda: L.Flatten(), [(2, 3, 2, 2)]),
    "reshape": (lambda: L.Reshape((2, -1)), [(2, 3, 4)]),
    "permute": (lambda: L.Permute((2, 1)), [(2, 3, 4)]),
    "dropout": (lambda: L.Dropout(0.5), [(2, 3)]),
    "rescaling": (lambda: L.Rescaling(0.5, offset=-1), [(2, 3)]),
    "add": (lambda: L.Add(), [(2, 3), (2, 3), (2, 3)]),
    "subtract": (lambda: L.Subtract(), [(2, 3), (2, 3)]),
    "multiply": (lambda: L.Multiply(), [(2, 3), (2, 3)]),
    "maximum": (lambda: L.Maximum(), [(2, 3), (2, 3)]),
    "average": (lambda: L.Average(), [(2, 3), (2, 3), (2, 3)]),
    "concatenate": (lambda: L.Concatenate(), [(2, 3), (2, 4)]),
    "concatenate_axis": (lambda: L.Concatenate(axis=1), [(2, 3, 2), (2, 4, 2)]),
    "lstm": (lambda: L.LSTM(3), [(2, 4, 5)]),
    "lstm_sequences": (lambda: L.LSTM(3, return_sequences=True, go_backwards=True), [(2, 4, 5)]),
    "lstm_activation": (lambda: L.LSTM(3, activation="relu", recurrent_activation="hard_sigmoid", use_bias=False), [(2, 4, 5)]),
    "gru": (lambda: L.GRU(3, return_sequences=True), [(2, 4, 5)]),
    "gru_last": (lambda: L.GRU(3, go_backwards=True), [(2, 4, 5)]),
    "simple_rnn": (lambda: L.SimpleRNN(3, return_sequences=True), [(2, 4, 5)]),
    "bidirectional": (lambda: L.Bidirectional(L.LSTM(3, return_sequences=True)), [(2, 4, 5)]),
    "bidirectional_last": (lambda: L.Bidirectional(L.GRU(3), merge_mode="sum"), [(2, 4, 5)]),
    "attention": (lambda: L.MultiHeadAttention(2, 3), [(2, 4, 5), (2, 3, 6)]),
    "attention_key": (lambda: L.MultiHeadAttention(2, 3, value_dim=4, use_bias=False), [(2, 4, 5), (2, 3, 6), (2, 3, 7)]),
    "dot_attention": (lambda: L.Attention(), [(2, 4, 5), (2, 3, 5)]),
    "dot_attention_key": (lambda: L.Attention(), [(2, 4, 5), (2, 3, 6), (2, 3, 5)]),
    "additive_attention": (lambda: L.AdditiveAttention(), [(2, 4, 5), (2, 3, 5)]),
    "additive_attention_key": (lambda: L.AdditiveAttention(use_scale=False), [(2, 4, 5), (2, 3, 6), (2, 3, 5)]),
    "depthwise1d": (lambda: L.DepthwiseConv1D(3, strides=2, padding="same", depth_multiplier=2), [(2, 7, 3)]),
    "depthwise1d_dilated": (lambda: L.DepthwiseConv1D(2, dilation_rate=3, activation="relu"), [(2, 7, 3)]),
    "separable1d": (lambda: L.SeparableConv1D(4, 3, strides=2, depth_multiplier=2), [(2, 8, 3)]),
    "separable1d_same": (lambda: L.SeparableConv1D(4, 3, padding="same", dilation_rate=2, use_bias=False), [(2, 7, 3)]),
    "transposed1d": (lambda: L.Conv1DTranspose(4, 3, strides=2), [(2, 4, 3)]),
    "transposed1d_same": (lambda: L.Conv1DTranspose(4, 4, strides=3, padding="same"), [(2, 4, 3)]),
    "conv3d": (lambda: L.Conv3D(3, (2, 3, 1), activation="relu"), [(2, 4, 5, 3, 2)]),
    "conv3d_same": (lambda: L.Conv3D(3, 3, strides=(1, 2, 2), padding="same", use_bias=False), [(2, 4, 5, 3, 2)]),
    "max_pool3d": (lambda: L.MaxPooling3D(), [(2, 4, 5, 2, 3)]),
    "average_pool3d": (lambda: L.AveragePooling3D((2, 3, 1), strides=(1, 2, 1), padding="same"), [(2, 4, 5, 2, 3)]),
    "global_average3d": (lambda: L.GlobalAveragePooling3D(), [(2, 4, 3, 2, 5)]),
    "global_max3d": (lambda: L.GlobalMaxPooling3D(keepdims=True), [(2, 4, 3, 2, 5)]),
    "zero_padding1d": (lambda: L.ZeroPadding1D((1, 2)), [(2, 3, 2)]),
    "cropping1d": (lambda: L.Cropping1D((1, 2)), [(2, 6, 2)]),
    "cropping2d": (lambda: L.Cropping2D(((1, 0), (0, 2))), [(2, 4, 5, 2)]),
    "up_sampling1d": (lambda: L.UpSampling1D(3), [(2, 4, 2)]),
    "up_sampling_bilinear": (lambda: L.UpSampling2D((2, 3), interpolation="bilinear"), [(2, 3, 4, 2)]),
    "resizing": (lambda: L.Resizing(5, 3), [(2, 4, 6, 2)]),
    "resizing_nearest": (lambda: L.Resizing(7, 3, interpolation="nearest"), [(2, 4, 6, 2)]),
    "resizing_bicubic": (lambda: L.Resizing(7, 9, interpolation="bicubic"), [(2, 4, 6, 2)]),
    "center_crop": (lambda: L.CenterCrop(2, 3), [(2, 5, 6, 2)]),
    "repeat_vector": (lambda: L.RepeatVector(3), [(2, 4)]),
    "group_norm": (lambda: L.GroupNormalization(3), [(2, 3, 4, 6)]),
    "group_norm_instance": (lambda: L.GroupNormalization(-1, epsilon=0.01, scale=False), [(2, 5, 4)]),
    "group_norm_one": (lambda: L.GroupNormalization(1, center=False), [(3, 6)]),
    "rms_norm": (lambda: L.RMSNormalization(), [(2, 3, 5)]),
    "unit_norm": (lambda: L.UnitNormalization(), [(2, 3, 5)]),
    "normalization": (lambda: L.Normalization(mean=[1, 2, 3], variance=[4, 0.25, 0]), [(2, 2, 3)]),
    "prelu": (lambda: L.PReLU(), [(2, 3, 4)]),
    "prelu_shared": (lambda: L.PReLU(shared_axes=[1, 2]), [(2, 3, 2, 4)]),
    "leaky": (lambda: L.LeakyReLU(), [(3, 5)]),
    "elu": (lambda: L.ELU(0.5), [(3, 5)]),
    "softmax_axis": (lambda: L.Softmax(axis=1), [(2, 3, 5)]),
    "activation_gelu_tanh": (lambda: L.Activation(lambda x: keras.activations.gelu(x, approximate=True)), [(3, 5)]),
    "activation_celu": (lambda: L.Activation(lambda x: keras.activations.celu(x, alpha=0.5)), [(3, 5)]),
    "minimum": (lambda: L.Minimum(), [(2, 3), (2, 3)]),
    "dot": (lambda: L.Dot(axes=1), [(3, 4), (3, 4)]),
    "dot_matrices": (lambda: L.Dot(axes=(2, 1)), [(2, 3, 4), (2, 4, 5)]),
    "dot_cosine": (lambda: L.Dot(axes=(1, -1), normalize=True), [(2, 4, 3), (2, 5, 4)]),
    "time_distributed": (lambda: L.TimeDistributed(L.Conv2D(3, 2)), [(2, 3, 4, 5, 2)]),
    "time_distributed_dense": (lambda: L.TimeDistributed(L.Dense(3)), [(2, 4, 5)]),
    "random_rotation": (lambda: L.RandomRotation((0.1, 0.1)), [(2, 5, 6, 2)]),
    "random_rotation_wrap": (lambda: L.RandomRotation((-0.2, -0.2), fill_mode="wrap", interpolation="nearest"), [(2, 5, 6, 2)]),
    "random_zoom": (lambda: L.RandomZoom((0.3, 0.3), fill_mode="constant"), [(2, 5, 6, 2)]),
    "random_zoom_both": (lambda: L.RandomZoom((-0.3, -0.3), (0.4, 0.4), fill_mode="nearest"), [(2, 5, 6, 2)]),
    "random_translation": (lambda: L.RandomTranslation((0.3, 0.3), (-0.2, -0.2)), [(2, 5, 6, 2)]),
    "random_brightness": (lambda: L.RandomBrightness((0.1, 0.1), value_range=(0, 1)), [(2, 3, 3, 2)]),
}
MASKED = {
    "lstm": (lambda: L.LSTM(3), [("mask", (3, 5, 4))]),
    "lstm_sequences": (lambda: L.LSTM(3, return_sequences=True, go_backwards=True), [("mask", (3, 5, 4))]),
    "gru": (lambda: L.GRU(3, return_sequences=True), [("mask", (3, 5, 4))]),
    "gru_unrolled": (lambda: L.GRU(3, unroll=True), [("mask", (3, 5, 4))]),
    "simple_rnn": (lambda: L.SimpleRNN(3, go_backwards=True), [("mask", (3, 5, 4))]),
    "bidirectional": (lambda: L.Bidirectional(L.LSTM(3, return_sequences=True)), [("mask", (3, 5, 4))]),
    "bidirectional_last": (lambda: L.Bidirectional(L.GRU(3), merge_mode="mul"), [("mask", (3, 5, 4))]),
    "time_distributed": (lambda: L.TimeDistributed(L.Dense(3)), [("mask", (3, 5, 4))]),
    "global_average": (lambda: L.GlobalAveragePooling1D(), [("mask", (3, 5, 4))]),
    "global_average_dims": (lambda: L.GlobalAveragePooling1D(keepdims=True), [("mask", (3, 5, 4))]),
    "global_max": (lambda: L.GlobalMaxPooling1D(), [("mask", (3, 5, 4))]),
    "dense": (lambda: L.Dense(2), [("mask", (3, 5, 4))]),
    "dropout": (lambda: L.Dropout(0.5), [("mask", (3, 5, 4))]),
    "activation": (lambda: L.Activation("relu"), [("mask", (3, 5, 4))]),
    "prelu": (lambda: L.PReLU(), [("mask", (3, 5, 4))]),
    "rescaling": (lambda: L.Rescaling(2, offset=1), [("mask", (3, 5, 4))]),
    "conv1d": (lambda: L.Conv1D(3, 2), [("mask", (3, 5, 4))]),
    "reshape": (lambda: L.Reshape((4, 5)), [("mask", (3, 5, 4))]),
    "batch_norm": (lambda: L.BatchNormalization(), [("mask", (3, 5, 4))]),
    "layer_norm": (lambda: L.LayerNormalization(), [("mask", (3, 5, 4))]),
    "group_norm": (lambda: L.GroupNormalization(2), [("mask", (3, 5, 4))]),
    "rms_norm": (lambda: L.RMSNormalization(), [("mask", (3, 5, 4))]),
    "add": (lambda: L.Add(), [("mask", (3, 5, 4)), ("mask", (3, 5, 4))]),
    "add_one": (lambda: L.Add(), [("mask", (3, 5, 4)), (3, 5, 4)]),
    "concatenate": (lambda: L.Concatenate(), [("mask", (3, 5, 4)), ("mask", (3, 5, 2))]),
    "concatenate_one": (lambda: L.Concatenate(), [("mask", (3, 5, 4)), (3, 5, 2)]),
    "concatenate_time": (lambda: L.Concatenate(axis=1), [("mask", (3, 5, 4)), (3, 2, 4), ("mask", (3, 3, 4))]),
    "dot": (lambda: L.Dot(axes=2), [("mask", (3, 5, 4)), ("mask", (3, 3, 4))]),
    "multi_head": (lambda: L.MultiHeadAttention(2, 3), [("mask", (3, 5, 4)), ("mask", (3, 4, 4))]),
    "multi_head_value": (lambda: L.MultiHeadAttention(2, 3), [(3, 5, 4), ("mask", (3, 4, 4))]),
    "multi_head_query": (lambda: L.MultiHeadAttention(2, 3), [("mask", (3, 5, 4)), (3, 4, 4)]),
    "attention": (lambda: L.Attention(), [("mask", (3, 5, 4)), ("mask", (3, 4, 4))]),
    "attention_value": (lambda: L.AdditiveAttention(), [(3, 5, 4), ("mask", (3, 4, 4))]),
    "attention_query": (lambda: L.AdditiveAttention(), [("mask", (3, 5, 4)), (3, 4, 4)]),
}
for name, case in MASKED.items():
    LAYERS["masked_" + name] = case
for name in ["relu", "relu6", "leaky_relu", "elu", "selu", "softplus", "softsign", "tanh", "sigmoid", "hard_sigmoid",
             "softmax", "log_softmax", "exponential", "silu", "mish", "gelu", "hard_silu", "hard_tanh", "log_sigmoid", "tanh_shrink",
             "squareplus", "glu"]:
    LAYERS["activation_" + name] = (lambda name=name: L.Activation(name), [(3, 6)])


def classes(rng, n, *shape):
    return rng.integers(0, n, shape).astype(np.int64)


def series_of(rng, examples, time, channels):
    """Series of which some steps are 0, the last ones and others, but not all."""
    x = floats(rng, examples, time, channels)
    for i in range(examples):
        x[i, rng.integers(2, time + 1):] = 0
        x[i, rng.integers(1, time)] = 0
    return x


def one_hot(rng, n, *shape):
    return np.eye(n, dtype=np.float32)[classes(rng, n, *shape)]


def probabilities(rng, *shape):
    e = np.exp(2 * floats(rng, *shape))
    return (e / e.sum(-1, keepdims=True)).astype(np.float32)


# Labels, output, and what is computed of them.
LOSSES = {
    "sparse_logits": (lambda r: (classes(r, 4, 5), floats(r, 5, 4)), keras.losses.SparseCategoricalCrossentropy(from_logits=True)),
    "sparse_sequence": (lambda r: (classes(r, 4, 5, 3), floats(r, 5, 3, 4)), keras.losses.SparseCategoricalCrossentropy(from_logits=True)),
    "sparse": (lambda r: (classes(r, 4, 5), probabilities(r, 5, 4)), keras.losses.SparseCategoricalCrossentropy()),
    "categorical_logits": (lambda r: (one_hot(r, 4, 5), floats(r, 5, 4)), keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)),
    "categorical": (lambda r: (one_hot(r, 4, 5), probabilities(r, 5, 4)), keras.losses.CategoricalCrossentropy()),
    "binary_logits": (lambda r: (one_hot(r, 2, 5), 5 * floats(r, 5, 2)), keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.2)),
    "binary": (lambda r: (one_hot(r, 2, 5), np.float32([[0, 1], [1, 0], [0.5, 0.2], [0.1, 0.9], [1e-9, 1]])), keras.losses.BinaryCrossentropy()),
    "mse": (lambda r: (floats(r, 5, 3), floats(r, 5, 3)), keras.losses.MeanSquaredError()),
    "mae": (lambda r: (floats(r, 5, 3), floats(r, 5, 3)), keras.losses.MeanAbsoluteError()),
    "huber": (lambda r: (floats(r, 5, 3), 3 * floats(r, 5, 3)), keras.losses.Huber()),
    "huber_delta": (lambda r: (floats(r, 5, 3), 3 * floats(r, 5, 3)), keras.losses.Huber(delta=0.5)),
    "binary_focal": (lambda r: (one_hot(r, 2, 5), probabilities(r, 5, 2)), keras.losses.BinaryFocalCrossentropy()),
    "binary_focal_balanced": (lambda r: (one_hot(r, 2, 5), floats(r, 5, 2)),
                              keras.losses.BinaryFocalCrossentropy(apply_class_balancing=True, gamma=1.5, from_logits=True, label_smoothing=0.1)),
    "categorical_focal": (lambda r: (one_hot(r, 4, 5), probabilities(r, 5, 4)), keras.losses.CategoricalFocalCrossentropy()),
    "categorical_focal_logits": (lambda r: (one_hot(r, 4, 5), floats(r, 5, 4)), keras.losses.CategoricalFocalCrossentropy(alpha=0.5, gamma=3, from_logits=True)),
    "kl": (lambda r: (probabilities(r, 5, 4), probabilities(r, 5, 4)), keras.losses.KLDivergence()),
    "log_cosh": (lambda r: (floats(r, 5, 3), 3 * floats(r, 5, 3)), keras.losses.LogCosh()),
    "percentage": (lambda r: (floats(r, 5, 3), floats(r, 5, 3)), keras.losses.MeanAbsolutePercentageError()),
    "logarithmic": (lambda r: (floats(r, 5, 3), floats(r, 5, 3)), keras.losses.MeanSquaredLogarithmicError()),
    "poisson": (lambda r: (np.float32(classes(r, 6, 5, 3)), np.exp(floats(r, 5, 3))), keras.losses.Poisson()),
    "cosine": (lambda r: (floats(r, 5, 3), floats(r, 5, 3)), keras.losses.CosineSimilarity()),
    "hinge": (lambda r: (one_hot(r, 3, 5), floats(r, 5, 3)), keras.losses.Hinge()),
    "hinge_signs": (lambda r: (2 * one_hot(r, 3, 5) - 1, floats(r, 5, 3)), keras.losses.Hinge()),
    "squared_hinge": (lambda r: (one_hot(r, 3, 5), floats(r, 5, 3)), keras.losses.SquaredHinge()),
    "categorical_hinge": (lambda r: (one_hot(r, 4, 5), floats(r, 5, 4)), keras.losses.CategoricalHinge()),
}
METRICS = {
    "sparse_accuracy": (lambda r: (classes(r, 3, 40), floats(r, 40, 3)), keras.metrics.SparseCategoricalAccuracy()),
    "accuracy": (lambda r: (one_hot(r, 3, 40), floats(r, 40, 3)), keras.metrics.CategoricalAccuracy()),
    "binary_accuracy": (lambda r: (np.float32(classes(r, 2, 40, 1)), r.random((40, 1), np.float32)), keras.metrics.BinaryAccuracy()),
    "top_2": (lambda r: (classes(r, 6, 40), floats(r, 40, 6)), keras.metrics.SparseTopKCategoricalAccuracy(k=2)),
    "top_3_one_hot": (lambda r: (one_hot(r, 6, 40), floats(r, 40, 6)), keras.metrics.TopKCategoricalAccuracy(k=3)),
    "auc": (lambda r: (np.float32(classes(r, 2, 40, 1)), r.random((40, 1), np.float32)), keras.metrics.AUC()),
    "auc_50": (lambda r: (np.float32(classes(r, 2, 40, 1)), np.round(r.random((40, 1), np.float32), 1)), keras.metrics.AUC(num_thresholds=50)),
    "auc_logits": (lambda r: (np.float32(classes(r, 2, 40, 1)), floats(r, 40, 1)), keras.metrics.AUC(from_logits=True)),
    "precision": (lambda r: (np.float32(classes(r, 2, 40, 2)), r.random((40, 2), np.float32)), keras.metrics.Precision()),
    "recall": (lambda r: (np.float32(classes(r, 2, 40, 2)), r.random((40, 2), np.float32)), keras.metrics.Recall(thresholds=0.7)),
    "f1": (lambda r: (one_hot(r, 4, 40), probabilities(r, 40, 4)), keras.metrics.F1Score(average="macro")),
    "f1_micro": (lambda r: (one_hot(r, 4, 40), probabilities(r, 40, 4)), keras.metrics.F1Score(average="micro", threshold=0.3)),
    "mean_iou": (lambda r: (classes(r, 3, 5, 4, 4), floats(r, 5, 4, 4, 5)), keras.metrics.MeanIoU(5, sparse_y_pred=False)),
    "root": (lambda r: (floats(r, 40, 3), floats(r, 40, 3)), keras.metrics.RootMeanSquaredError()),
}


def mlp():
    m = keras.Sequential([L.Input((6,)), L.Dense(8, activation="relu"), L.Dense(3)])
    return m, "sparse_logits", keras.optimizers.SGD(0.1), lambda r: ([floats(r, 8, 6)], classes(r, 3, 8))


def cnn():
    m = keras.Sequential([L.Input((8, 8, 2)), L.Conv2D(4, 3, activation="relu"), L.MaxPooling2D(), L.Conv2D(5, 3, strides=2, padding="same"),
                          L.Flatten(), L.Dense(3, activation="softmax")])
    return m, "sparse", keras.optimizers.Adam(0.01), lambda r: ([floats(r, 8, 8, 8, 2)], classes(r, 3, 8))


def norm():
    x = L.Input((6, 6, 2))
    y = L.ReLU()(L.BatchNormalization()(L.Conv2D(4, 3, use_bias=False)(x)))
    y = L.Dense(3)(L.GlobalAveragePooling2D()(y))
    return keras.Model(x, y), "sparse_logits", keras.optimizers.SGD(0.05, momentum=0.9), lambda r: ([floats(r, 8, 6, 6, 2)], classes(r, 3, 8))


def separable():
    m = keras.Sequential([L.Input((8, 8, 2)), L.SeparableConv2D(4, 3, activation="relu"), L.DepthwiseConv2D(3, depth_multiplier=2), L.AveragePooling2D(2),
                          L.Flatten(), L.Dense(2, activation="softmax")])
    return m, "categorical", keras.optimizers.RMSprop(0.005), lambda r: ([floats(r, 6, 8, 8, 2)], one_hot(r, 2, 6))


def autoencoder():
    m = keras.Sequential([L.Input((6, 6, 2)), L.Conv2D(4, 3, strides=2, padding="same", activation="elu"), L.UpSampling2D(), L.Conv2D(3, 3, strides=2, padding="same"),
                          L.Conv2DTranspose(2, 3, strides=2, padding="same")])
    return m, "mse", keras.optimizers.Adam(0.01), lambda r: (lambda x: ([x], x))(floats(r, 6, 6, 6, 2))


def conv1d():
    m = keras.Sequential([L.Input((9, 3)), L.Conv1D(4, 3, padding="causal", activation="relu"), L.MaxPooling1D(), L.Conv1D(4, 2), L.GlobalMaxPooling1D(), L.Dense(1)])
    return m, "huber", keras.optimizers.SGD(0.05, momentum=0.9, nesterov=True), lambda r: ([floats(r, 8, 9, 3)], floats(r, 8, 1))


def lstm():
    m = keras.Sequential([L.Input((6,), dtype="int64"), L.Embedding(10, 4), L.LSTM(5), L.Dense(1, activation="sigmoid")])
    return m, "binary", keras.optimizers.Adam(0.01), lambda r: ([classes(r, 10, 8, 6)], np.float32(classes(r, 2, 8, 1)))


def gru():
    m = keras.Sequential([L.Input((5, 3)), L.GRU(4, return_sequences=True), L.GRU(3), L.Dense(2)])
    return m, "mae", keras.optimizers.Adam(0.01), lambda r: ([floats(r, 6, 5, 3)], floats(r, 6, 2))


def bidirectional():
    m = keras.Sequential([L.Input((5, 3)), L.Bidirectional(L.LSTM(3, return_sequences=True)), L.Bidirectional(L.GRU(2)), L.Dense(4)])
    return m, "categorical_logits", keras.optimizers.Adam(0.01), lambda r: ([floats(r, 6, 5, 3)], one_hot(r, 4, 6))


def transformer():
    x = L.Input((6,), dtype="int64")
    at = L.Input((6,), dtype="int64")
    h = L.Add()([L.Embedding(9, 8)(x), L.Embedding(6, 8)(at)])
    a = L.LayerNormalization(epsilon=1e-5)(h)
    h = L.Add()([h, L.MultiHeadAttention(2, 4)(a, a, use_causal_mask=True)])
    a = L.LayerNormalization(epsilon=1e-5)(h)
    a = L.Dense(16, activation="gelu")(a)
    h = L.Add()([h, L.Dense(8)(a)])
    m = keras.Model([x, at], L.Dense(9)(h))
    return m, "sparse_logits", keras.optimizers.Adam(0.01), lambda r: ([classes(r, 9, 4, 6), np.tile(np.arange(6), (4, 1))], classes(r, 9, 4, 6))


def residual():
    x = L.Input((6, 6, 4))
    h = x
    for _ in range(2):
        y = L.Activation("relu")(L.BatchNormalization()(L.Conv2D(4, 3, padding="same")(h)))
        y = L.BatchNormalization()(L.Conv2D(4, 3, padding="same")(y))
        h = L.Activation("relu")(L.Add()([h, y]))
    m = keras.Model(x, L.Dense(3)(L.GlobalAveragePooling2D()(h)))
    return m, "sparse_logits", keras.optimizers.SGD(0.05), lambda r: ([floats(r, 6, 6, 6, 4)], classes(r, 3, 6))


def two_inputs():
    a, b = L.Input((3,)), L.Input((4,))
    y = L.Concatenate()([L.Dense(4, activation="tanh")(a), L.Dense(4, activation="tanh")(b)])
    y = L.Dense(2)(L.BatchNormalization(momentum=0.9)(y))
    optimizer = keras.optimizers.AdamW(0.01)
    optimizer.exclude_from_weight_decay(var_names=["bias", "beta", "gamma"])
    return keras.Model([a, b], y), "binary_logits", optimizer, lambda r: ([floats(r, 8, 3), floats(r, 8, 4)], one_hot(r, 2, 8))


def volume():
    m = keras.Sequential([L.Input((5, 6, 4, 2)), L.Conv3D(4, 3, padding="same"), L.PReLU(shared_axes=[1, 2, 3]), L.MaxPooling3D(), L.Conv3D(3, 2, strides=(1, 2, 1)),
                          L.GlobalAveragePooling3D(), L.Dense(3)])
    return m, "sparse_logits", keras.optimizers.Adam(0.01), lambda r: ([floats(r, 6, 5, 6, 4, 2)], classes(r, 3, 6))


def segmentation():
    m = keras.Sequential([L.Input((8, 8, 2)), L.Conv2D(6, 3, padding="same"), L.GroupNormalization(3), L.PReLU(shared_axes=[1, 2]), L.AveragePooling2D(2),
                          L.ZeroPadding2D(1), L.Conv2D(4, 3, activation="hard_silu"), L.UpSampling2D(interpolation="bilinear"), L.Cropping2D(1), L.Resizing(8, 8),
                          L.Conv2D(3, 1, activation="softmax")])
    return m, "categorical_focal", keras.optimizers.Adam(0.01), lambda r: ([floats(r, 4, 8, 8, 2)], one_hot(r, 3, 4, 8, 8))


def series():
    m = keras.Sequential([L.Input((12, 3)), L.SeparableConv1D(6, 3, padding="same", activation="relu"), L.RMSNormalization(), L.AveragePooling1D(2),
                          L.DepthwiseConv1D(3, padding="same", depth_multiplier=2), L.Conv1DTranspose(4, 4, strides=2, padding="same", activation="squareplus"), L.Cropping1D(2),
                          L.TimeDistributed(L.Dense(3, activation="log_sigmoid")), L.UpSampling1D(), L.ZeroPadding1D(1), L.LayerNormalization(), L.GRU(4), L.Dense(2)])
    return m, "log_cosh", keras.optimizers.Adam(0.01), lambda r: ([floats(r, 6, 12, 3)], floats(r, 6, 2))


def matching():
    a, b = L.Input((5, 4)), L.Input((3, 4))
    q, k = L.Dense(6)(a), L.TimeDistributed(L.Dense(6))(b)
    h = L.AdditiveAttention()([q, k])
    h = L.Minimum()([h, L.Activation("hard_tanh")(q)])
    x, y = L.GlobalAveragePooling1D()(h), L.GlobalMaxPooling1D()(k)
    cosine = L.Dot(axes=1, normalize=True)([x, y])
    table = L.Flatten()(L.Dot(axes=(2, 2))([h, k]))
    y = L.Dense(1)(L.Concatenate()([cosine, L.UnitNormalization()(table)]))
    return keras.Model([a, b], y), "hinge_signs", keras.optimizers.SGD(0.05), lambda r: ([floats(r, 6, 5, 4), floats(r, 6, 3, 4)], 2 * np.float32(classes(r, 2, 6, 1)) - 1)


def masked():
    x = L.Input((7,), dtype="int64")
    h = L.Embedding(10, 6, mask_zero=True)(x)
    h = L.Bidirectional(L.LSTM(4, return_sequences=True))(h)
    h = L.LayerNormalization()(L.MultiHeadAttention(2, 3)(h, h))
    h = L.GlobalAveragePooling1D()(h)
    return keras.Model(x, L.Dense(3)(h)), "sparse_logits", keras.optimizers.Adam(0.01), lambda r: ([padded(r, 10, 6, 7)], classes(r, 3, 6))


def tagger():
    m = keras.Sequential([L.Input((6,), dtype="int64"), L.Embedding(9, 5, mask_zero=True), L.GRU(5, return_sequences=True), L.BatchNormalization(), L.Dense(4)])
    return m, "sparse_sequence", keras.optimizers.Adam(0.01), lambda r: ([padded(r, 9, 5, 6)], classes(r, 4, 5, 6))


def padded(rng, n, examples, time):
    x = rng.integers(1, n, (examples, time)).astype(np.int64)
    for i in range(examples):
        x[i, rng.integers(2, time + 1):] = 0
    return x


def two_outputs():
    x = L.Input((5, 4))
    h = L.LSTM(6, return_sequences=True)(x)
    tags = L.Dense(3)(h)
    size = L.Dense(2)(L.GlobalAveragePooling1D()(h))
    return keras.Model(x, [tags, size]), {"sparse_sequence": 1, "huber": 0.5}, keras.optimizers.Adam(0.01), lambda r: ([floats(r, 6, 5, 4)], [classes(r, 3, 6, 5), floats(r, 6, 2)])


MODELS = [mlp, cnn, norm, separable, autoencoder, conv1d, lstm, gru, bidirectional, transformer, residual, two_inputs, volume, segmentation, series, matching, masked, tagger, two_outputs]


def built(make):
    keras.utils.clear_session()
    keras.utils.set_random_seed(1)
    m, loss, optimizer, draw = make()
    if isinstance(loss, dict):  # of several outputs, with weights
        return m, lambda y, p: sum(weight * LOSSES[name][1](*of) for (name, weight), *of in zip(loss.items(), y, p)), optimizer, draw
    return m, LOSSES[loss][1], optimizer, draw


def first(y):
    return y[0] if isinstance(y, list) else y


def drawing(name):
    """Numbers of its own for each case, so that others keep theirs when one is added."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def record():
    out = zipfile.ZipFile(os.path.join(HERE, "layers.zip"), "w", zipfile.ZIP_DEFLATED, compresslevel=9)

    def put(name, array):
        b = io.BytesIO()
        np.save(b, np.asarray(array))
        info = zipfile.ZipInfo(name + ".npy", (2026, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        out.writestr(info, b.getvalue())

    for name, (make, shapes) in LAYERS.items():
        keras.utils.clear_session()
        rng = drawing(name)
        layer = make()
        xs = [classes(rng, s[1], *s[2]) if s[0] == "int" else series_of(rng, *s[1]) if s[0] == "mask" else floats(rng, *s) for s in shapes]

        def call(**k):
            # A MultiHeadAttention takes the masks of its inputs away.
            tensors = [L.Masking()(tf.constant(x)) if s[0] == "mask" else tf.constant(x) for x, s in zip(xs, shapes)]
            if isinstance(layer, L.MultiHeadAttention):
                return layer(*tensors, **k)
            return layer(tensors if len(xs) > 1 else tensors[0], **k)

        call()
        for v in layer.weights:
            w = floats(rng, *v.shape) * 0.5
            if "variance" in v.path:
                w = np.abs(w) + 0.5
            v.assign(w)
            put(f"layers/{name}/w/{v.path}", w)
        for i, x in enumerate(xs):
            put(f"layers/{name}/x{i}", x)
        mask = keras.src.backend.get_keras_mask(call())
        if mask is not None:
            put(f"layers/{name}/mask", mask)
        put(f"layers/{name}/y", call(training=False) if "random" in name else call())
        if "norm" in name or "random" in name:
            put(f"layers/{name}/trained", call(training=True))
    for kind, cases in ("losses", LOSSES), ("metrics", METRICS):
        for name, (draw, f) in cases.items():
            rng = drawing(name)
            y, p = draw(rng)
            put(f"{kind}/{name}/y", y)
            put(f"{kind}/{name}/p", p)
            put(f"{kind}/{name}/value", np.float64(f(y, p)))
            if kind == "losses":
                w = rng.random(len(y)).astype(np.float32)
                put(f"{kind}/{name}/w", w)
                put(f"{kind}/{name}/weighted", np.float64(f(y, p, sample_weight=w[:, None] if y.ndim == 2 and y.dtype == np.int64 else w)))
    for make in MODELS:
        m, loss, optimizer, draw = built(make)
        name = make.__name__
        rng = drawing(name)
        for v in m.weights:
            if v.ndim == 1 and "variance" not in v.path and "gamma" not in v.path:
                v.assign(0.1 * floats(rng, *v.shape))
        with tempfile.TemporaryDirectory() as d:
            tf.train.Checkpoint(model=m).write(os.path.join(d, "c"))
            for part in "index", "data-00000-of-00001":
                info = zipfile.ZipInfo(f"models/{name}/c.{part}", (2026, 1, 1, 0, 0, 0))
                info.compress_type = zipfile.ZIP_DEFLATED
                out.writestr(info, open(os.path.join(d, "c." + part), "rb").read())
        batches = [draw(rng) for _ in range(2)]
        for i, (xs, y) in enumerate(batches):
            for j, x in enumerate(xs):
                put(f"models/{name}/{i}/x{j}", x)
            for j, y in enumerate(y if isinstance(y, list) else [y]):
                put(f"models/{name}/{i}/y{j}", y)
        inputs = lambda xs: xs if len(xs) > 1 else xs[0]
        put(f"models/{name}/before", first(m(inputs(batches[0][0]), training=False)))
        losses = []
        for step in range(20):
            xs, y = batches[step % 2]
            with tf.GradientTape() as tape:
                value = loss(y, m(inputs(xs), training=True))
            # Keras's Adam would square the gradients of an embedding's row one by one if
            # its number occurs several times in a batch; as tensors they are added first.
            gradients = [tf.convert_to_tensor(g) for g in tape.gradient(value, m.trainable_variables)]
            optimizer.apply(gradients, m.trainable_variables)
            losses.append(float(value))
        put(f"models/{name}/losses", np.float64(losses))
        put(f"models/{name}/after", first(m(inputs(batches[0][0]), training=False)))
    out.close()
    print(os.path.getsize(os.path.join(HERE, "layers.zip")), "bytes")


def verify(dir):
    archive = zipfile.ZipFile(os.path.join(HERE, "layers.zip"))
    get = lambda name: np.load(io.BytesIO(archive.read(name + ".npy")))
    for make in MODELS:
        m, _, _, _ = built(make)
        name = make.__name__
        checkpoint = tf.train.load_checkpoint(os.path.join(dir, name))
        for v in m.weights:
            v.assign(checkpoint.get_tensor(v.path))
        xs = []
        while f"models/{name}/0/x{len(xs)}.npy" in archive.namelist():
            xs.append(get(f"models/{name}/0/x{len(xs)}"))
        y = first(m(xs if len(xs) > 1 else xs[0], training=False)).numpy()
        want = np.load(os.path.join(dir, name + ".npy"))
        print(f"{name}: greatest difference {np.abs(y - want).max():.2g}")
        assert np.abs(y - want).max() < 1e-5, name


if len(sys.argv) == 3 and sys.argv[1] == "--verify":
    verify(sys.argv[2])
else:
    record()
