"""Exports the networks of the batching figures: python networks.py FOLDER"""

import os
import sys

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


def save(name, model):
    model.export(os.path.join(sys.argv[1], name), verbose=False)


def block(x, filters, stride):
    y = layers.Conv2D(filters, 3, stride, "same", use_bias=False)(x)
    y = layers.ReLU()(layers.BatchNormalization()(y))
    y = layers.BatchNormalization()(layers.Conv2D(filters, 3, 1, "same", use_bias=False)(y))
    if stride > 1:
        x = layers.Conv2D(filters, 1, stride, "same", use_bias=False)(x)
    return layers.ReLU()(x + y)


i = keras.Input((784,))
save("perceptron", keras.Model(i, layers.Dense(10, "softmax")(layers.Dense(256, "relu")(layers.Dense(512, "relu")(i)))))

i = keras.Input((32, 32, 3))
x = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(16, 3, 1, "same", use_bias=False)(i)))
for filters, stride in ((16, 1), (16, 1), (16, 1), (32, 2), (32, 1), (32, 1), (64, 2), (64, 1), (64, 1)):
    x = block(x, filters, stride)
save("resnet20", keras.Model(i, layers.Dense(10, "softmax")(layers.GlobalAveragePooling2D()(x))))

i = keras.Input((32,), dtype="int32")
x = layers.Embedding(1000, 128)(i)
for _ in range(2):
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 64)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(128)(layers.Dense(512, "gelu")(x)))
save("transformer", keras.Model(i, layers.Dense(1000)(x[:, -1])))


class Decoder(tf.Module):
    """Greedy decoding of 16 words by an LSTM, in a while loop."""

    def __init__(self):
        self.embed = tf.Variable(tf.random.normal([1000, 64]))
        self.w = tf.Variable(tf.random.normal([128, 256], stddev=0.1))
        self.out = tf.Variable(tf.random.normal([64, 1000]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32, "word")])
    def __call__(self, word):
        rows = tf.shape(word)[0]
        zeros = tf.zeros([rows, 64])

        def step(t, word, h, c, all):
            i, f, o, g = tf.split(tf.concat([tf.gather(self.embed, word), h], 1) @ self.w, 4, 1)
            c = tf.sigmoid(f + 1) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
            word = tf.argmax(h @ self.out, 1, tf.int32)
            return t + 1, word, h, c, all.write(t, word)

        all = tf.TensorArray(tf.int32, 16, element_shape=[None])
        r = tf.while_loop(lambda t, *_: t < 16, step, (0, word, zeros, zeros, all))
        return {"words": tf.transpose(r[4].stack())}


d = Decoder()
tf.saved_model.save(d, os.path.join(sys.argv[1], "decoder"), d.__call__)
