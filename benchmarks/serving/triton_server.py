"""Serves a SavedModel by Triton with its Python backend, for comparison: PyTriton, which brings
Triton's server in a package (nvidia-pytriton), and TensorFlow. python triton_server.py FOLDER
PORT answers POST /v2/models/m/infer; PORT+1 is gRPC's, PORT+2 that of metrics."""

import sys

import numpy as np
import tensorflow as tf
from pytriton.decorators import batch
from pytriton.model_config import DynamicBatcher, ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig

model = tf.saved_model.load(sys.argv[1])
predict = model.signatures["serving_default"]


@batch
def infer(**inputs):
    return {k: v.numpy() for k, v in predict(**{k: tf.constant(v) for k, v in inputs.items()}).items()}


def tensors(specs):
    return [Tensor(name=k, dtype=np.dtype(s.dtype.as_numpy_dtype), shape=[-1 if d is None else d for d in s.shape.as_list()[1:]]) for k, s in specs.items()]


port = int(sys.argv[2])
with Triton(config=TritonConfig(http_address="127.0.0.1", http_port=port, grpc_address="127.0.0.1", grpc_port=port + 1, metrics_port=port + 2)) as server:
    server.bind(model_name="m", infer_func=infer, inputs=tensors(predict.structured_input_signature[1]), outputs=tensors(predict.structured_outputs), config=ModelConfig(max_batch_size=64, batcher=DynamicBatcher(max_queue_delay_microseconds=100)))
    server.serve()
