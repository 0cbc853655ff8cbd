"""Asks TensorFlow what models that Troupe wrote answer, by both of its loaders.

    go test ./model -args -keep DIR
    python savedmodels.py DIR
"""

import json
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf


def load(path):
    """The signatures as functions, by tf.saved_model.load."""
    model = tf.saved_model.load(str(path))

    def ask(key, inputs):
        f = model.signatures[key]
        specs = f.structured_input_signature[1]
        out = f(**{k: tf.constant(inputs[k], specs[k].dtype) for k in specs})
        return {k: v.numpy() for k, v in out.items()}

    return ask


def load_v1(path):
    """The signatures in a session, by the loader of version 1."""
    graph = tf.Graph()
    session = tf.compat.v1.Session(graph=graph)
    with graph.as_default():
        meta = tf.compat.v1.saved_model.load(session, ["serve"], str(path))

    def ask(key, inputs):
        signature = meta.signature_def[key]
        feeds = {
            v.name: np.array(inputs[k], tf.as_dtype(v.dtype).as_numpy_dtype) for k, v in signature.inputs.items()
        }
        return session.run({k: v.name for k, v in signature.outputs.items()}, feeds)

    return ask


def main():
    wrong = 0
    for expected in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        want = json.loads(expected.read_text())
        for loader in load, load_v1:
            ask = loader(expected.with_suffix(""))
            for key, outputs in want["outputs"].items():
                got = ask(key, want["inputs"])
                right = got.keys() == outputs.keys() and all(np.allclose(got[k], outputs[k], 1e-4, 1e-6) for k in outputs)
                print(expected.stem, loader.__name__, key, "right" if right else f"WRONG: {got}, not {outputs}")
                wrong += not right
    sys.exit(wrong > 0)


main()
