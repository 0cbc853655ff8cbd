"""Reads the checkpoints of a folder with TensorFlow and tells what is in the last.

    go -C examples run ./digits -checkpoints DIR
    python checkpoints.py DIR
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

state = tf.train.get_checkpoint_state(sys.argv[1])
for path in state.all_model_checkpoint_paths:
    reader = tf.train.load_checkpoint(path)
    count = sum(reader.get_tensor(name).size for name in reader.get_variable_to_shape_map())
    print(f"{os.path.basename(path)}: {count} numbers, global_step {reader.get_tensor('global_step')}")
print("last:", os.path.basename(tf.train.latest_checkpoint(sys.argv[1])))
best = os.path.join(sys.argv[1], "best")
if os.path.isdir(best):
    print("best:", float(tf.train.load_checkpoint(tf.train.latest_checkpoint(best)).get_tensor("score")))
