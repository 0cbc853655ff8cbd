"""Compares networks of Keras in Troupe with TensorFlow: answers and times.

    pip install tensorflow-cpu==2.21.0
    go build -o troupe ./cmd/troupe
    python benchmarks/networks.py ./troupe networks            # all; or followed by names

Each network is built with random weights, exported as a SavedModel to networks/NAME,
and asked once by both; its largest difference is relative to the largest number of the
answer. Times are of one request, by the function of its signature in TensorFlow (which
rewrites graphs as it does for everybody) and by troupe bench, in turn: the median and the
best of all requests of two rounds of a second each.
"""
import os
import re
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


def export(folder, build):
    model, x = build()
    model.export(folder, verbose=False)
    np.save(os.path.join(folder, "x.npy"), x)


def times_of_tensorflow(ask):
    times, end = [], time.perf_counter() + 1
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        ask()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def compare(troupe, folder):
    signature = tf.saved_model.load(folder).signatures["serving_default"]
    name = next(iter(signature.structured_input_signature[1]))
    feed = f"{name}=@{os.path.join(folder, 'x.npy')}"
    x = tf.constant(np.load(os.path.join(folder, "x.npy")))
    ask = lambda: signature(**{name: x})
    (key, want), = ask().items()
    answer = os.path.join(folder, "answer.npz")
    subprocess.run([troupe, "run", folder, "--feed", feed, "--output", answer], check=True)
    want, got = want.numpy().astype(np.float64), np.load(answer)[key]
    difference = np.abs(got - want).max() / np.abs(want).max()
    theirs, ours = [], []
    for _ in range(3):
        ask()
    for _ in range(2):
        theirs += times_of_tensorflow(ask)
        told = subprocess.run([troupe, "bench", folder, "--feed", feed], check=True, capture_output=True, text=True)
        ours.append([float(n) / 1e6 for n in re.search(r"(\S+) ns per run \(best (\S+)\)", told.stdout).groups()])
    return (statistics.median(theirs), min(theirs), statistics.mean(o[0] for o in ours), min(o[1] for o in ours), difference)


troupe, folder, names = sys.argv[1], sys.argv[2], sys.argv[3:] or list(networks)
print("| network | TensorFlow, ms (best) | Troupe, ms (best) | ratio | difference |\n|---|---|---|---|---|")
for name in names:
    place = os.path.join(folder, name)
    if not os.path.exists(os.path.join(place, "x.npy")):
        keras.utils.set_random_seed(1)
        export(place, networks[name])
    theirs, their_best, ours, our_best, difference = compare(troupe, place)
    print(f"| {name} | {theirs:.2f} ({their_best:.2f}) | {ours:.2f} ({our_best:.2f}) | {theirs / ours:.1f} | {difference:.0e} |", flush=True)
