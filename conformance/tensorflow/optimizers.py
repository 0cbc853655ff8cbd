"""Records what TensorFlow's optimizers make of a variable in four updates.

    python optimizers.py > ../../train/testdata/optimizers.json
"""

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf

v1, keras = tf.compat.v1.train, tf.keras.optimizers
first = np.array([[0.5, -1.5], [2.0, 0.25], [-0.75, 1.0]], np.float32)
rng = np.random.default_rng(7)
dense = rng.uniform(-2, 2, (4, 3, 2)).round(3).astype(np.float32)
rows = rng.uniform(-2, 2, (4, 3, 2)).round(3).astype(np.float32)
indices = np.array([[0, 2, 0], [2, 1, 1], [0, 0, 0], [1, 2, 0]])

both = {  # dense and sparse
    "sgd": lambda: v1.GradientDescentOptimizer(0.1),
    "momentum": lambda: v1.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: v1.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: v1.AdamOptimizer(0.1, epsilon=1e-7),
    "adagrad": lambda: v1.AdagradOptimizer(0.1),
    "adadelta": lambda: v1.AdadeltaOptimizer(0.5, 0.9, 1e-3),
    "rmsprop": lambda: v1.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-3),
    "ftrl": lambda: v1.FtrlOptimizer(0.1, -0.5, 0.1, 0.02, 0.01, l2_shrinkage_regularization_strength=0.03),
}
only_dense = {
    "rmsprop_centered": lambda: v1.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-3, centered=True),
    "proximal_sgd": lambda: v1.ProximalGradientDescentOptimizer(0.1, 0.3, 0.2),
    "proximal_adagrad": lambda: v1.ProximalAdagradOptimizer(0.1, 0.1, 0.3, 0.2),
    "amsgrad": lambda: keras.Adam(0.1, amsgrad=True),
    "adamw": lambda: keras.AdamW(0.1, weight_decay=0.05),
    "adamax": lambda: keras.Adamax(0.1, beta_1=0.8, beta_2=0.99),
    "adam_by_value": lambda: keras.Adam(0.1, clipvalue=0.5),
    "sgd_by_norm": lambda: keras.SGD(0.1, clipnorm=0.5),
    "sgd_by_global_norm": lambda: keras.SGD(0.1, global_clipnorm=0.5),
    "sgd_accumulated": lambda: keras.SGD(0.1, gradient_accumulation_steps=2),
}


def run(make, sparse):
    optimizer, w = make(), tf.Variable(first)
    steps = []
    for t in range(4):
        g = tf.IndexedSlices(tf.constant(rows[t]), tf.constant(indices[t]), w.shape) if sparse else tf.constant(dense[t])
        optimizer.apply_gradients([(g, w)])
        steps.append([float(f"{x:.8g}") for x in w.numpy().ravel()])
    return steps


print("{")
for name, value in {"first": first, "dense": dense, "rows": rows, "indices": indices}.items():
    print(json.dumps(name) + ": " + json.dumps([float(f"{x:.8g}") for x in value.ravel()]) + ",")
lines = [(name, run(make, False)) for name, make in {**both, **only_dense}.items()]
lines += [(name + "_sparse", run(make, True)) for name, make in both.items()]
print('"updates": {\n' + ",\n".join(json.dumps(n) + ": " + json.dumps(s) for n, s in lines) + "\n}}")
