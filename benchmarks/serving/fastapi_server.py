"""Serves a SavedModel as services in Python often do, for comparison: FastAPI, uvicorn and
TensorFlow. python fastapi_server.py FOLDER PORT answers POST /predict with
{"instances": [...]}."""

import sys

import fastapi
import tensorflow as tf
import uvicorn

model = tf.saved_model.load(sys.argv[1])
predict = model.signatures["serving_default"]
name, spec = next(iter(predict.structured_input_signature[1].items()))
app = fastapi.FastAPI()


# Without "async", so that requests run in threads of the server: TensorFlow releases the
# lock of the interpreter.
@app.post("/predict")
def answer(body: dict):
    outputs = predict(**{name: tf.constant(body["instances"], spec.dtype)})
    return {"predictions": next(iter(outputs.values())).numpy().tolist()}


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
