"""Runs stock clients against a server, and compares their answers with TensorFlow's own.

    troupe serve --rest :8601 --grpc :8600 --allow-session-run NAME=FOLDER... &
    python clients.py --rest localhost:8601 --grpc localhost:8600 NAME=FOLDER...

A FOLDER is a SavedModel. Each signature is run with random inputs by
tensorflow-serving-api (Predict, metadata, status), requests (rows, columns), tritonclient
over HTTP (JSON and binary) and gRPC, and by TensorFlow itself. Needs tensorflow-cpu,
tensorflow-serving-api, tritonclient[all] and requests.
"""

import argparse
import subprocess
import sys

import grpc
import numpy as np
import requests
import tensorflow as tf
import tritonclient.grpc
import tritonclient.http
from tensorflow_serving.apis import get_model_metadata_pb2, get_model_status_pb2, model_service_pb2_grpc
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc, session_service_pb2
from tritonclient.utils import np_to_triton_dtype

parser = argparse.ArgumentParser()
parser.add_argument("--rest", default="localhost:8501")
parser.add_argument("--grpc", default="localhost:8500")
parser.add_argument("models", nargs="+")
args = parser.parse_args()

channel = grpc.insecure_channel(args.grpc, options=[("grpc.max_receive_message_length", -1)])
predictions = prediction_service_pb2_grpc.PredictionServiceStub(channel)
models = model_service_pb2_grpc.ModelServiceStub(channel)
session_run = channel.unary_unary(  # the package has no stub of it
    "/tensorflow.serving.SessionService/SessionRun", session_service_pb2.SessionRunRequest.SerializeToString, session_service_pb2.SessionRunResponse.FromString)
http = tritonclient.http.InferenceServerClient(args.rest)
rpc = tritonclient.grpc.InferenceServerClient(args.grpc)
rng = np.random.default_rng(1)
counts, failures = {}, []


def check(what, ok, detail=""):
    counts[what.split(":")[0]] = counts.get(what.split(":")[0], 0) + 1
    if not ok:
        failures.append(what)
        print("FAILED", what, detail)


def value(spec):
    shape = [3 if d is None else d for d in (spec.shape.as_list() if spec.shape.rank is not None else [3])]
    dt = spec.dtype.as_numpy_dtype
    if spec.dtype == tf.string:
        return np.array([b"word%d" % i for i in range(int(np.prod(shape)))], dtype=object).reshape(shape)
    if spec.dtype == tf.bool:
        return rng.random(shape) > 0.5
    if spec.dtype.is_integer:
        return rng.integers(0, 4, shape).astype(dt)
    return rng.random(shape).astype(dt)


def same(got, want):
    got, want = np.asarray(got), np.asarray(want)
    if want.dtype == object:
        f = np.vectorize(lambda s: s.encode() if isinstance(s, str) else bytes(s), otypes=[object])
        return got.shape == want.shape and (want.size == 0 or (f(got) == f(want)).all())
    if want.dtype.kind in "fc":
        return got.shape == want.shape and np.allclose(got, want, rtol=2e-3, atol=1e-5, equal_nan=True)
    return got.shape == want.shape and (got == want).all()


for item in args.models:
    name, folder = item.split("=", 1)
    loaded = tf.saved_model.load(folder)
    status = models.GetModelStatus(get_model_status_pb2.GetModelStatusRequest(model_spec={"name": name}))
    check("GetModelStatus: " + name, status.model_version_status[0].state == 30)
    q = get_model_metadata_pb2.GetModelMetadataRequest(model_spec={"name": name}, metadata_field=["signature_def"])
    meta = get_model_metadata_pb2.SignatureDefMap()
    predictions.GetModelMetadata(q).metadata["signature_def"].Unpack(meta)
    check("GetModelMetadata: " + name, set(meta.signature_def) >= set(loaded.signatures))
    r = requests.get(f"http://{args.rest}/v1/models/{name}/metadata").json()
    check("metadata: " + name, set(r["metadata"]["signature_def"]["signature_def"]) == set(meta.signature_def))
    check("ready: " + name, http.is_server_live() and http.is_server_ready() and http.is_model_ready(name) and rpc.is_server_live() and rpc.is_model_ready(name))
    check("v2 metadata: " + name, http.get_model_metadata(name)["name"] == name and rpc.get_model_metadata(name).name == name)
    check("repository: " + name, any(m["name"] == name for m in http.get_model_repository_index()) and any(m.name == name for m in rpc.get_model_repository_index().models))
    out = subprocess.run(["curl", "-sf", f"http://{args.rest}/v1/models/{name}"], capture_output=True, text=True)
    check("curl: " + name, out.returncode == 0 and "AVAILABLE" in out.stdout)
    for key, f in loaded.signatures.items():
        specs = f.structured_input_signature[1]
        inputs = {k: value(s) for k, s in specs.items()}
        what = name + " " + key
        try:
            want = {k: v.numpy() for k, v in f(**{k: tf.constant(v, dtype=specs[k].dtype) for k, v in inputs.items()}).items()}
        except Exception as e:
            print("TensorFlow does not run", what, str(e)[:80])
            continue

        def compare(kind, get):
            try:
                got = get()
            except Exception as e:
                return check(kind + ": " + what, False, str(e)[:300])
            check(kind + ": " + what, set(got) == set(want) and all(same(got[k], want[k]) for k in want), "\n%s\n%s" % (got, want))

        def predict():
            q = predict_pb2.PredictRequest(model_spec={"name": name, "signature_name": key})
            for k, v in inputs.items():
                q.inputs[k].CopyFrom(tf.make_tensor_proto(v, dtype=specs[k].dtype))
            return {k: tf.make_ndarray(v) for k, v in predictions.Predict(q).outputs.items()}

        compare("Predict", predict)

        def session():
            q = session_service_pb2.SessionRunRequest(model_spec={"name": name, "signature_name": key}, tensor_name_is_alias=True)
            for k, v in inputs.items():
                feed = q.feed.add(name=k)
                feed.tensor.CopyFrom(tf.make_tensor_proto(v, dtype=specs[k].dtype))
            q.fetch.extend(sorted(want))
            got = session_run(q)
            return {t.name: tf.make_ndarray(t.tensor) for t in got.tensor}

        compare("SessionRun", session)
        plain = all(s.dtype in (tf.float32, tf.float64, tf.int32, tf.int64, tf.bool, tf.string) for s in specs.values())
        if plain and inputs:

            def text(v):
                return np.vectorize(bytes.decode, otypes=[object])(v).tolist() if v.dtype == object else v.tolist()

            def columns():
                r = requests.post(f"http://{args.rest}/v1/models/{name}:predict", json={"signature_name": key, "inputs": {k: text(v) for k, v in inputs.items()}})
                if r.status_code != 200:
                    raise RuntimeError(r.text)
                got = r.json()["outputs"]
                return {k: np.array(v, dtype=want[k].dtype) for k, v in got.items()} if len(want) > 1 else {k: np.array(got, dtype=want[k].dtype) for k in want}

            if any(v.dtype == np.half for v in want.values()):  # TensorFlow Serving refuses them as well
                r = requests.post(f"http://{args.rest}/v1/models/{name}:predict", json={"signature_name": key, "inputs": {k: text(v) for k, v in inputs.items()}})
                check("columns: " + what, r.status_code == 400 and "half" in r.json()["error"], r.text)
            elif not any(v.dtype == object for v in want.values()):
                compare("columns", columns)
        for binary in (False, True):

            def triton():
                list = []
                for k, v in inputs.items():
                    i = tritonclient.http.InferInput(k, v.shape, np_to_triton_dtype(v.dtype))
                    i.set_data_from_numpy(v, binary_data=binary)
                    list.append(i)
                r = http.infer(name, list, parameters={"signature_name": key}, outputs=[tritonclient.http.InferRequestedOutput(k, binary_data=binary) for k in want])
                return {k: r.as_numpy(k) for k in want}

            if all(v.size for v in inputs.values()):
                compare("triton http" + (" binary" if binary else ""), triton)

        def triton_rpc():
            list = []
            for k, v in inputs.items():
                i = tritonclient.grpc.InferInput(k, v.shape, np_to_triton_dtype(v.dtype))
                i.set_data_from_numpy(v)
                list.append(i)
            r = rpc.infer(name, list, parameters={"signature_name": key}, compression_algorithm="gzip")
            return {k: r.as_numpy(k) for k in want}

        compare("triton grpc", triton_rpc)

for k in sorted(counts):
    print("%-24s %d" % (k, counts[k]))
print(sum(counts.values()), "checks,", len(failures), "failed")
sys.exit(1 if failures else 0)
