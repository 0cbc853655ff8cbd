"""Compares networks of Keras in Troupe with TensorFlow: answers and times.

    pip install tensorflow-cpu==2.21.0
    go build -o troupe ./cmd/troupe
    python benchmarks/networks.py ./troupe networks            # all; or followed by names
    python benchmarks/networks.py --train ./troupe networks    # training steps of those of "trained"

Each network is built with random weights, exported as a SavedModel to networks/NAME,
and asked once by both; its largest difference is relative to the largest number of the
answer. Times are of one request, by the function of its signature in TensorFlow (which
rewrites graphs as it does for everybody) and by troupe bench, in turn: the median and the
best of all requests of two rounds of a second each.

A training step is one signature: the network forward and back for a batch, and an update by
Keras's Adam. Its difference is that of the first step's loss.
"""
import json
import os
import statistics
import subprocess
import sys
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf
from keras import layers


def picture(build, size, batch=1):
    model = build(weights=None, input_shape=(size, size, 3), classifier_activation=None)
    return model, np.random.rand(batch, size, size, 3).astype(np.float32) * 255


def words(vocabulary, batch, length):
    return np.random.randint(0, vocabulary, (batch, length)).astype(np.int32)


def transformer(depth, width, heads, length, batch, vocabulary=1000):
    tokens = keras.Input((length,), dtype="int32")
    places = layers.Embedding(length, width)(keras.ops.arange(length))
    x = layers.LayerNormalization()(layers.Embedding(vocabulary, width)(tokens) + places)
    for _ in range(depth):
        x = layers.LayerNormalization()(x + layers.MultiHeadAttention(heads, width // heads)(x, x))
        inner = layers.Dense(width)(layers.Dense(4 * width, activation="gelu")(x))
        x = layers.LayerNormalization()(x + inner)
    answer = layers.Dense(2, activation="softmax")(x[:, 0])
    return keras.Model(tokens, answer), words(vocabulary, batch, length)


def row(*parts):
    return keras.Sequential(parts)


def bilstm():
    model = row(layers.Input((100,), dtype="int32"), layers.Embedding(5000, 64),
                layers.Bidirectional(layers.LSTM(64)), layers.Dense(1, activation="sigmoid"))
    return model, words(5000, 1, 100)


def gru():
    model = row(layers.Input((100, 32)), layers.GRU(64, return_sequences=True), layers.GRU(64))
    return model, np.random.randn(4, 100, 32).astype(np.float32)


def perceptron():
    model = row(layers.Input((64,)), *[layers.Dense(128, activation="silu") for _ in range(4)], layers.Dense(10))
    return model, np.random.randn(32, 64).astype(np.float32)


def vgg():
    blocks = [layer for width in (32, 64, 128) for layer in (
        layers.Conv2D(width, 3, padding="same", activation="relu"),
        layers.Conv2D(width, 3, padding="same", activation="relu"), layers.MaxPool2D())]
    model = row(layers.Input((32, 32, 3)), *blocks, layers.Flatten(), layers.Dropout(0.5),
                layers.Dense(128, activation="relu"), layers.Dense(10))
    return model, np.random.rand(16, 32, 32, 3).astype(np.float32)


def unet():
    image = x = keras.Input((64, 64, 3))
    skips = []
    for width in (16, 32, 64):
        x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        skips.append(x)
        x = layers.MaxPool2D()(x)
    x = layers.Conv2D(128, 3, padding="same", activation="relu")(x)
    for width in (64, 32, 16):
        x = layers.Conv2DTranspose(width, 3, strides=2, padding="same")(x)
        x = layers.Conv2D(width, 3, padding="same", activation="elu")(layers.Concatenate()([x, skips.pop()]))
        x = layers.BatchNormalization()(x)
    answer = layers.Dense(10)(layers.GlobalAveragePooling2D()(x))
    return keras.Model(image, answer), np.random.rand(8, 64, 64, 3).astype(np.float32)


def batch(build, n):
    def many():
        model, x = build()
        return model, np.concatenate([x] * n)
    return many


networks = {
    "perceptron": perceptron,
    "bilstm": bilstm,
    "gru": gru,
    "transformer_2": lambda: transformer(2, 128, 2, 32, 1),
    "transformer_4": lambda: transformer(4, 256, 4, 128, 1),
    "transformer_4_b8": lambda: transformer(4, 256, 4, 128, 8),
    "mobilenet_v2": lambda: picture(keras.applications.MobileNetV2, 96),
    "mobilenet_v3": lambda: picture(keras.applications.MobileNetV3Small, 96),
    "efficientnet_b0": lambda: picture(keras.applications.EfficientNetB0, 96),
    "nasnet": lambda: picture(keras.applications.NASNetMobile, 96),
    "densenet_121": lambda: picture(keras.applications.DenseNet121, 64),
    "inception_v3": lambda: picture(keras.applications.InceptionV3, 96),
    "xception": lambda: picture(keras.applications.Xception, 96),
    "resnet_50": lambda: picture(keras.applications.ResNet50, 64),
    "convnext": lambda: picture(keras.applications.ConvNeXtTiny, 64),
}


trained = {
    "perceptron": perceptron,
    "bilstm": batch(bilstm, 16),
    "gru": batch(gru, 4),
    "transformer_2": batch(networks["transformer_2"], 8),
    "vgg": vgg,
    "unet": unet,
    "mobilenet_v2": batch(lambda: picture(keras.applications.MobileNetV2, 64), 8),
    "efficientnet_b0": batch(lambda: picture(keras.applications.EfficientNetB0, 64), 8),
    "resnet_50": batch(lambda: picture(keras.applications.ResNet50, 64), 4),
    "densenet_121": batch(lambda: picture(keras.applications.DenseNet121, 64), 4),
    "convnext": batch(lambda: picture(keras.applications.ConvNeXtTiny, 64), 2),
}


def export(folder, build):
    model, x = build()
    model.export(folder, verbose=False)
    np.save(os.path.join(folder, "x.npy"), x)


def export_step(folder, build):
    model, x = build()
    if model.output_shape[-1] < 2:
        model = row(layers.Input(x.shape[1:], dtype=x.dtype), model, layers.Dense(10))
    optimizer = keras.optimizers.Adam(1e-3)
    optimizer.build(model.trainable_variables)
    shape = model.output_shape[1:]
    y = np.random.randint(0, shape[-1], (x.shape[0],) + shape[:-1]).astype(np.int32)

    @tf.function(input_signature=[tf.TensorSpec(x.shape, x.dtype), tf.TensorSpec(y.shape, y.dtype)])
    def step(x, y):
        with tf.GradientTape() as tape:
            answer = tf.convert_to_tensor(model(x, training=True))
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, answer))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return {"loss": loss}

    module = tf.Module()
    module.model, module.step = model, step
    module.values = [v.value for v in model.variables + optimizer.variables]
    tf.saved_model.save(module, folder, signatures={"step": step})
    np.save(os.path.join(folder, "x.npy"), x)
    np.save(os.path.join(folder, "y.npy"), y)


def times_of_tensorflow(ask):
    times, end = [], time.perf_counter() + 1
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        ask()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def compare(troupe, folder, name):
    signature = tf.saved_model.load(folder).signatures[name]
    feeds, given = [], {}
    files = ("x.npy", "y.npy")
    for key, file in zip(sorted(signature.structured_input_signature[1]), files):
        feeds += ["--feed", f"{key}=@{os.path.join(folder, file)}"]
        given[key] = tf.constant(np.load(os.path.join(folder, file)))
    feeds += ["--signature", name]
    ask = lambda: signature(**given)
    (key, want), = ask().items()
    answer = os.path.join(folder, "answer.npz")
    subprocess.run([troupe, "run", folder, *feeds, "--output", answer], check=True)
    want, got = want.numpy().astype(np.float64), np.load(answer)[key]
    difference = np.abs(got - want).max() / np.abs(want).max()
    theirs, ours = [], []
    for _ in range(3):
        ask()
    for _ in range(2):
        theirs += times_of_tensorflow(ask)
        told = subprocess.run([troupe, "bench", folder, *feeds, "--format", "json"], check=True, capture_output=True, text=True)
        told = json.loads(told.stdout)
        ours.append([told["median_ns"] / 1e6, told["best_ns"] / 1e6])
    return (statistics.median(theirs), min(theirs), statistics.mean(o[0] for o in ours), min(o[1] for o in ours), difference)


arguments, train = sys.argv[1:], "--train" in sys.argv
if train:
    arguments.remove("--train")
builds, save, signature = (trained, export_step, "step") if train else (networks, export, "serving_default")
troupe, folder, names = arguments[0], arguments[1], arguments[2:] or list(builds)
print("| network | TensorFlow, ms (best) | Troupe, ms (best) | ratio | difference |\n|---|---|---|---|---|")
for name in names:
    place = os.path.join(folder, "training" if train else "", name)
    if not os.path.exists(os.path.join(place, "x.npy")):
        keras.utils.set_random_seed(1)
        save(place, builds[name])
    theirs, their_best, ours, our_best, difference = compare(troupe, place, signature)
    print(f"| {name} | {theirs:.2f} ({their_best:.2f}) | {ours:.2f} ({our_best:.2f}) | {theirs / ours:.1f} | {difference:.0e} |", flush=True)
