"""Runs stock clients against a server, and compares their answers with those of TensorFlow's
own session. run.sh starts the server and names the models.

    python clients.py --rest localhost:8501 --grpc localhost:8500 NAME=FOLDER...

A FOLDER is a SavedModel. Each signature is run with random inputs by a session of Python, by
tensorflow-serving-api (Predict, SessionRun, and Classify, Regress and MultiInference where it
can be), requests (columns and rows), and tritonclient over HTTP (JSON and binary) and gRPC.
Then come metadata, status, health, statistics, reloading, and curl. Where TensorFlow refuses
inputs, the server must. A model that changes with each run runs as often in both.
"""

import argparse
import base64
import json
import os
import subprocess
import sys

import grpc
import numpy as np
import requests
import tensorflow as tf
import tritonclient.grpc
import tritonclient.http
from tensorflow_serving.apis import classification_pb2, get_model_metadata_pb2, get_model_status_pb2, inference_pb2
from tensorflow_serving.apis import model_management_pb2, model_service_pb2_grpc, predict_pb2
from tensorflow_serving.apis import prediction_service_pb2_grpc, regression_pb2, session_service_pb2
from tritonclient.utils import InferenceServerException, np_to_triton_dtype

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
counts, failures, signatures = {}, [], 0


def check(what, ok, detail=""):
    kind = what.split(":")[0]
    counts[kind] = counts.get(kind, 0) + 1
    if not ok:
        failures.append(what)
        print("FAILED", what, detail)


class Reference:
    """The signatures of a SavedModel in a session of TensorFlow."""

    def __init__(self, folder):
        self.folder = folder
        self.open()

    def open(self):
        graph = tf.Graph()
        self.session = tf.compat.v1.Session(graph=graph)
        with graph.as_default():
            self.signatures = tf.compat.v1.saved_model.load(self.session, ["serve"], self.folder).signature_def

    def run(self, key, inputs):
        s = self.signatures[key]
        return self.session.run({k: v.name for k, v in s.outputs.items()}, {s.inputs[k].name: v for k, v in inputs.items()})


def value(info):
    dt = tf.as_dtype(info.dtype)
    shape = [3 if d.size < 0 else d.size for d in info.tensor_shape.dim] if not info.tensor_shape.unknown_rank else [3]
    if dt == tf.string:
        return np.array([b"word%d" % i for i in range(int(np.prod(shape)))], dtype=object).reshape(shape)
    if dt == tf.bool:
        return np.asarray(rng.random(shape) > 0.5)
    if dt.is_integer:
        return rng.integers(0, 4, shape).astype(dt.as_numpy_dtype)
    return np.asarray(rng.random(shape)).astype(dt.as_numpy_dtype)


def same(got, want):
    got, want = np.asarray(got), np.asarray(want)
    if want.dtype == object:
        f = np.vectorize(lambda s: s.encode() if isinstance(s, str) else bytes(s), otypes=[object])
        return got.shape == want.shape and (want.size == 0 or bool((f(got) == f(want)).all()))
    if want.dtype.kind in "fc":
        return got.shape == want.shape and np.allclose(got, want, rtol=2e-3, atol=1e-5, equal_nan=True)
    return got.shape == want.shape and bool((got == want).all())


def text(v):
    """A value as JSON has it."""
    return np.vectorize(bytes.decode, otypes=[object])(v).tolist() if v.dtype == object else v.tolist()


def parsed(name, v, like):
    """A value of JSON as an array like another."""
    if like.dtype == object and name.endswith("_bytes"):
        return np.vectorize(lambda d: base64.b64decode(d["b64"]), otypes=[object])(np.array(v, dtype=object))
    return np.array(v, dtype=like.dtype).reshape(like.shape) if like.size == 0 else np.array(v, dtype=like.dtype)


def post(path, body):
    r = requests.post(f"http://{args.rest}/{path}", json=body)
    if r.status_code != 200:
        raise RuntimeError(f"{r.status_code} {r.text}")
    return json.loads(r.text)


def example(i):
    f = {"x": tf.train.Feature(float_list=tf.train.FloatList(value=[0.25 * i, -1.5]))}
    if i % 2:
        f["n"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))
    return tf.train.Example(features=tf.train.Features(feature=f))


def signature(name, key, reference, changes):
    s = reference.signatures[key]
    inputs = {k: value(i) for k, i in s.inputs.items()}
    if s.inputs and all(i.dtype == tf.string.as_datatype_enum and name == "examples" for i in s.inputs.values()):
        inputs = {k: np.array([example(i).SerializeToString() for i in range(4)], dtype=object) for k in s.inputs}
    what = name + " " + key
    cached = None

    def wanted():
        nonlocal cached
        if changes or cached is None:
            cached = reference.run(key, inputs)
        return cached

    def predict():
        q = predict_pb2.PredictRequest(model_spec={"name": name, "signature_name": key})
        for k, v in inputs.items():
            q.inputs[k].CopyFrom(tf.make_tensor_proto(v, dtype=s.inputs[k].dtype))
        return {k: tf.make_ndarray(v) for k, v in predictions.Predict(q).outputs.items()}

    try:
        want = wanted()
    except tf.errors.OpError as e:
        try:
            predict()
            check("refused: " + what, False, "TensorFlow: %.200s" % e)
        except grpc.RpcError as r:
            check("refused: " + what, r.code().value[0] == e.error_code, "%s, TensorFlow: %.200s" % (r, e))
        return
    first = True

    def compare(kind, get):
        nonlocal first, want
        if not first:
            want = wanted()
        first = False
        try:
            got = get()
        except Exception as e:
            return check(kind + ": " + what, False, str(e)[:300])
        check(kind + ": " + what, set(got) == set(want) and all(same(got[k], want[k]) for k in want), "\n%s\n%s" % (got, want))

    compare("Predict", predict)

    def session():
        q = session_service_pb2.SessionRunRequest(model_spec={"name": name, "signature_name": key}, tensor_name_is_alias=True)
        for k, v in inputs.items():
            feed = q.feed.add(name=k)
            feed.tensor.CopyFrom(tf.make_tensor_proto(v, dtype=s.inputs[k].dtype))
        q.fetch.extend(sorted(want))
        return {t.name: tf.make_ndarray(t.tensor) for t in session_run(q).tensor}

    compare("SessionRun", session)
    plain = all(v.dtype in (np.float32, np.float64, np.int32, np.int64, np.bool_, object) for v in inputs.values()) and name != "examples"
    halves = [k for k, v in want.items() if v.dtype == np.half]
    if plain and inputs and not halves:

        def columns():
            got = post(f"v1/models/{name}:predict", {"signature_name": key, "inputs": {k: text(v) for k, v in inputs.items()}})["outputs"]
            return {k: parsed(k, got[k] if len(want) > 1 else got, v) for k, v in want.items()}

        compare("columns", columns)
        rows = all(v.ndim and len(v) == 3 for v in inputs.values()) and all(v.ndim and len(v) == 3 for v in want.values())
        if rows:

            def instances():
                got = post(f"v1/models/{name}:predict", {"signature_name": key, "instances": [{k: text(v)[i] for k, v in inputs.items()} for i in range(3)]})["predictions"]
                return {k: parsed(k, [r[k] if len(want) > 1 else r for r in got], v) for k, v in want.items()}

            compare("rows", instances)
        elif not changes and all(v.ndim and len(v) == 3 for v in inputs.values()):
            r = requests.post(f"http://{args.rest}/v1/models/{name}:predict", json={"signature_name": key, "instances": [{k: text(v)[i] for k, v in inputs.items()} for i in range(3)]})
            uneven = len({v.shape[0] if v.ndim else None for v in want.values()}) > 1 or any(v.ndim == 0 for v in want.values())
            check("rows without a batch: " + what, r.status_code == (400 if uneven else 200), r.text)
    elif plain and inputs:  # TensorFlow Serving refuses them as well
        r = requests.post(f"http://{args.rest}/v1/models/{name}:predict", json={"signature_name": key, "inputs": {k: text(v) for k, v in inputs.items()}})
        check("half in JSON: " + what, r.status_code == 400 and "half" in r.json()["error"], r.text)
    for binary in (False, True):

        def triton():
            list = []
            for k, v in inputs.items():
                i = tritonclient.http.InferInput(k, v.shape, np_to_triton_dtype(v.dtype))
                i.set_data_from_numpy(v, binary_data=binary)
                list.append(i)
            r = http.infer(name, list, parameters={"signature_name": key}, outputs=[tritonclient.http.InferRequestedOutput(k, binary_data=binary) for k in want])
            return {k: r.as_numpy(k) for k in want}

        if inputs and (binary or name != "examples"):  # examples are no text
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
    if s.method_name == "tensorflow/serving/classify":
        spec = {"name": name, "signature_name": key}
        labels = lambda r: [[(c.label, c.score) for c in of.classes] for of in r.classifications]
        expected = [[(want["classes"][i][j].decode() if "classes" in want else "", want["scores"][i][j]) for j in range(3)] for i in range(4)]
        close = lambda got: len(got) == 4 and all(len(g) == 3 and g[j][0] == e[j][0] and np.isclose(g[j][1], e[j][1], rtol=1e-4) for g, e in zip(got, expected) for j in range(3))
        r = predictions.Classify(classification_pb2.ClassificationRequest(model_spec=spec, input={"example_list": {"examples": [example(i) for i in range(4)]}}))
        check("Classify: " + what, close(labels(r.result)), r)
        r = post(f"v1/models/{name}:classify", {"signature_name": key, "examples": [{"x": [0.25 * i, -1.5]} | ({"n": i} if i % 2 else {}) for i in range(4)]})
        check("classify: " + what, close(r["results"]), r)
    if s.method_name == "tensorflow/serving/regress":
        expected = want["outputs"]
        r = predictions.Regress(regression_pb2.RegressionRequest(model_spec={"name": name, "signature_name": key}, input={"example_list": {"examples": [example(i) for i in range(4)]}}))
        check("Regress: " + what, same([x.value for x in r.result.regressions], expected), r)
        q = inference_pb2.MultiInferenceRequest(input={"example_list": {"examples": [example(i) for i in range(4)]}})
        q.tasks.add(model_spec={"name": name, "signature_name": key}, method_name=s.method_name)
        q.tasks.add(model_spec={"name": name, "signature_name": "classify"}, method_name="tensorflow/serving/classify")
        r = predictions.MultiInference(q)
        check("MultiInference: " + what, same([x.value for x in r.results[0].regression_result.regressions], expected) and len(r.results[1].classification_result.classifications) == 4, r)
        r = post(f"v1/models/{name}:regress", {"signature_name": key, "examples": [{"x": [0.25 * i, -1.5]} | ({"n": i} if i % 2 else {}) for i in range(4)]})
        check("regress: " + what, same(np.array(r["results"], dtype=np.float32), expected), r)


def describe(name, reference):
    keys = set(reference.signatures)
    status = models.GetModelStatus(get_model_status_pb2.GetModelStatusRequest(model_spec={"name": name}))
    check("GetModelStatus: " + name, status.model_version_status[0].state == 30)
    q = get_model_metadata_pb2.GetModelMetadataRequest(model_spec={"name": name}, metadata_field=["signature_def"])
    meta = get_model_metadata_pb2.SignatureDefMap()
    predictions.GetModelMetadata(q).metadata["signature_def"].Unpack(meta)
    check("GetModelMetadata: " + name, all(meta.signature_def[k] == reference.signatures[k] for k in keys) and set(meta.signature_def) == keys, meta)
    r = requests.get(f"http://{args.rest}/v1/models/{name}/metadata").json()
    check("metadata: " + name, set(r["metadata"]["signature_def"]["signature_def"]) == keys)
    check("ready: " + name, http.is_server_live() and http.is_server_ready() and http.is_model_ready(name) and rpc.is_server_live() and rpc.is_server_ready() and rpc.is_model_ready(name))
    check("v2 metadata: " + name, http.get_model_metadata(name)["name"] == name and rpc.get_model_metadata(name).name == name)
    check("v2 config: " + name, http.get_model_config(name)["name"] == name and rpc.get_model_config(name).config.name == name and
          [i["name"] for i in http.get_model_config(name)["input"]] == [i.name for i in rpc.get_model_config(name).config.input])
    a, b = http.get_inference_statistics(name)["model_stats"][0], rpc.get_inference_statistics(name).model_stats[0]
    check("statistics: " + name, a["inference_count"] == b.inference_count > 0 and a["inference_stats"]["success"]["count"] == b.inference_stats.success.count > 0 and
          sum(x["compute_infer"]["count"] for x in a["batch_stats"]) == a["execution_count"] == b.execution_count, "\n%s\n%s" % (a, b))
    check("repository: " + name, any(m["name"] == name for m in http.get_model_repository_index()) and any(m.name == name for m in rpc.get_model_repository_index().models))
    for path, word in (("", "AVAILABLE"), ("/metadata", "signature_def"), ("/versions/1", '"version": "1"')):
        out = subprocess.run(["curl", "-sf", f"http://{args.rest}/v1/models/{name}{path}"], capture_output=True, text=True)
        check("curl: " + name + path, out.returncode == 0 and word in out.stdout, out)


def control(folders):
    """Models are unloaded, loaded and configured by clients."""
    name = sorted(folders)[0]
    for client, kind in ((http, "http"), (rpc, "grpc")):
        client.unload_model(name)
        check("unload: " + kind, not client.is_model_ready(name))
        client.load_model(name)
        check("load: " + kind, client.is_model_ready(name))
        for what, do in (("load of none", lambda: client.load_model("none")), ("statistics of none", lambda: client.get_inference_statistics("none")), ("shared memory", client.get_system_shared_memory_status)):
            try:
                do()
                check(what + ": " + kind, False)
            except InferenceServerException as e:
                check(what + ": " + kind, len(str(e)) > 10, e)
    check("statistics: all", len(http.get_inference_statistics()["model_stats"]) == len(folders) == len(rpc.get_inference_statistics().model_stats))

    def reload(list):
        q = model_management_pb2.ReloadConfigRequest(metric_names=["/tensorflow/serving/request_count", "/tensorflow/serving/none"])
        for n in list:
            q.config.model_config_list.config.add(name=n, base_path=os.path.abspath(folders[n]), model_platform="tensorflow")
        return models.HandleReloadConfigRequest(q)

    r = reload([n for n in sorted(folders) if n != name])
    check("HandleReloadConfigRequest: without", r.status.error_code == 0 and [m.name for m in r.metric] == ["/tensorflow/serving/request_count"] and requests.get(f"http://{args.rest}/v1/models/{name}").status_code == 404, r)
    r = reload(sorted(folders))
    check("HandleReloadConfigRequest: with", r.status.error_code == 0 and requests.get(f"http://{args.rest}/v1/models/{name}").status_code == 200, r)


folders = dict(item.split("=", 1) for item in args.models)
for name, folder in folders.items():
    reference = Reference(folder)
    keys = sorted(k for k in reference.signatures if not k.startswith("__saved_model"))
    signatures += len(keys)
    changes = False
    for key in keys:  # does it change with each run?
        inputs = {k: value(i) for k, i in reference.signatures[key].inputs.items()}
        try:
            a, b = reference.run(key, inputs), reference.run(key, inputs)
            changes = changes or any(not same(a[k], b[k]) for k in a)
        except tf.errors.OpError:
            pass
    reference.open()
    for key in keys:
        signature(name, key, reference, changes)
    describe(name, reference)
control(folders)

for k in sorted(counts):
    print("%-26s %d" % (k, counts[k]))
print(len(folders), "models,", signatures, "signatures,", sum(counts.values()), "checks,", len(failures), "failed")
sys.exit(1 if failures else 0)
