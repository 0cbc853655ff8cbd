"""Trains a small convolutional network of Keras on the handwritten digits of
examples/handwritten/testdata, and exports it as the SavedModel examples/serve/digits.

    pip install tensorflow-cpu==2.21.0
    python examples/serve/digits.py
"""
import pathlib

import keras
import numpy as np
import tensorflow as tf

here = pathlib.Path(__file__).parent
rows = np.loadtxt(here.parent / "handwritten/testdata/digits.csv.gz", delimiter=",", dtype=np.float32)
images, labels = np.round(rows[:, :64].reshape(-1, 8, 8, 1) * (255 / 16)), rows[:, 64].astype(np.int32)
seen = 1437

keras.utils.set_random_seed(1)
model = keras.Sequential([
    keras.Input((8, 8, 1), name="image"),
    keras.layers.Rescaling(1 / 255),
    keras.layers.Conv2D(8, 3, padding="same", activation="relu"),
    keras.layers.Conv2D(16, 3, padding="same", activation="relu"),
    keras.layers.MaxPooling2D(),
    keras.layers.Flatten(),
    keras.layers.Dense(10, activation="softmax"),
])
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(images[:seen], labels[:seen], batch_size=32, epochs=30, verbose=0)
print("accuracy on %d images held out: %.3f" % (len(images) - seen, model.evaluate(images[seen:], labels[seen:], verbose=0)[1]))

model.export(here / "digits", verbose=False)
image = images[seen]
tf.io.write_file(str(here / "two.png"), tf.io.encode_png(image.astype(np.uint8)))
np.save(here / "two.npy", image[None])
print("TensorFlow's answer for two.png:", np.round(model.predict(image[None], verbose=0)[0], 4))
