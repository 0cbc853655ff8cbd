# The model of model/testdata/trackable/objects: layers of Keras 3 within a tf.Module, which the
# saver's operations do not restore, two variables of one name, and a table with deleted keys.
import sys
import keras
import numpy as np
import tensorflow as tf


class Model(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = {"first": keras.layers.Dense(2), "other": [keras.layers.Dense(1)]}
        self.shared = self.layers["first"]
        self.a = tf.Variable([1.0, 2.0], name="w")
        self.b = tf.Variable([3.0, 4.0], name="w")
        self.table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -2, -3, initial_num_buckets=4)
        self.table.insert(tf.constant([7, 8, 9], tf.int64), tf.constant([70, 80, 90], tf.int64))
        self.table.erase(tf.constant([8], tf.int64))

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
    def __call__(self, x):
        y = self.layers["other"][0](self.shared(x * self.a + self.b))
        return {"y": y, "found": self.table.lookup(tf.constant([7, 8, 9], tf.int64)), "size": self.table.size()}


tf.random.set_seed(5)
m = Model()
m(tf.zeros([1, 2]))
tf.saved_model.save(m, sys.argv[1], signatures=m.__call__)
x = np.array([[1, 2], [3, 4]], np.float32)
print(tf.saved_model.load(sys.argv[1]).signatures["serving_default"](tf.constant(x)))
