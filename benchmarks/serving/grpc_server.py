"""Serves a SavedModel over gRPC as services in Python do, for comparison: grpcio and
TensorFlow. python grpc_server.py FOLDER PORT answers TensorFlow Serving's Predict."""

import concurrent.futures
import sys

import grpc
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

model = tf.saved_model.load(sys.argv[1])
predict = model.signatures["serving_default"]


class Service(prediction_service_pb2_grpc.PredictionServiceServicer):
    def Predict(self, request, context):
        outputs = predict(**{k: tf.constant(tf.make_ndarray(v)) for k, v in request.inputs.items()})
        reply = predict_pb2.PredictResponse(model_spec=request.model_spec)
        for k, v in outputs.items():
            reply.outputs[k].CopyFrom(tf.make_tensor_proto(v.numpy()))
        return reply


server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=16))
prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(Service(), server)
server.add_insecure_port("127.0.0.1:" + sys.argv[2])
server.start()
server.wait_for_termination()
