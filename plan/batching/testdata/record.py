# Writes tensorflow1.pb, a decoder as TensorFlow 1 writes it, with TensorFlow 2.21: python record.py
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_control_flow_v2()
tf1.disable_v2_behavior()
rng = np.random.RandomState(0)


def weights(rows, columns, name):
    return tf.constant(rng.randn(rows, columns).astype(np.float32) / 4, name=name)


graph = tf.Graph()
with graph.as_default():
    word = tf1.placeholder(tf.int32, [1], "word")
    n = tf1.placeholder(tf.int32, [], "n")
    h = tf1.placeholder(tf.float32, [1, 4], "h")
    size = tf1.placeholder(tf.int32, [], "size")
    table, w, out = weights(6, 4, "emb"), weights(8, 4, "w"), weights(4, 6, "out")
    words = tf.TensorArray(tf.int32, size=size, name="words")

    def cond(i, x, state, words):
        return tf.logical_and(i < n, tf.reduce_all(tf.not_equal(x, 5)))

    def body(i, x, state, words):
        next = tf.tanh(tf.matmul(tf.concat([tf.gather(table, x), state], 1), w))
        next = tf.cond(tf.equal(i % 2, 0), lambda: next * 0.5, lambda: next + 1.0)
        y = tf1.argmax(tf.matmul(next, out), 1, output_type=tf.int32)
        return i + 1, y, next, words.write(i, y)

    result = tf1.while_loop(cond, body, [0, word, h, words], parallel_iterations=1)
    tf.identity(result[3].stack(), name="words_out")
    tf.identity(result[2], name="state")
open("tensorflow1.pb", "wb").write(graph.as_graph_def().SerializeToString())
