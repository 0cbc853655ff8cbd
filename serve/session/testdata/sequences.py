"""Records what a stock TensorFlow client and TensorFlow's own server say to each other.

  python sequences.py [--target grpc://127.0.0.1:2222] [--only REGEXP] [OUT]

Each function of the form s_NAME is a sequence: a program with sessions. The client calls
the server through a proxy in this process, which writes the calls to OUT, sequences.json.gz,
in the order of their beginnings and ends. sequences_test.go makes the same calls to
Troupe's server and compares. With --target the server is another one, such as
`troupe serve --session :2222`: what the program itself sees, its printed lines, is then
compared with OUT. Needs tensorflow-cpu 2.21.
"""
import argparse
import base64
import gzip
import json
import os
import re
import subprocess
import sys
import threading
import time
from concurrent import futures

import grpc

# The proxy is a process of its own, as parts of the client keep the interpreter's lock while
# they wait. It needs no TensorFlow.
PROXY = "--proxy" in sys.argv
if not PROXY:
    import numpy as np
    import tensorflow as tf
    v1 = tf.compat.v1
    v1.disable_v2_behavior()
    v1.logging.set_verbosity("ERROR")
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.framework import function
    from tensorflow.python.ops import data_flow_ops, session_ops, gen_control_flow_ops

# ------------------------------------------------------------------ proxy ----


class Proxy(grpc.GenericRpcHandler):
    """Forwards calls to a server and records them."""

    def __init__(self, target):
        self.channel = grpc.insecure_channel(target, options=[
            ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)])
        self.lock = threading.Lock()
        self.events = []
        self.ids = 0
        self.server = grpc.server(futures.ThreadPoolExecutor(64), options=[
            ("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)])
        self.server.add_generic_rpc_handlers((self,))
        port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()
        print(port, flush=True)

    def service(self, details):
        method = details.method
        if method == "/record/Take":
            return grpc.unary_unary_rpc_method_handler(lambda _, __: self.take(), None, None)

        def handle(request, context):
            left = context.time_remaining()
            event = {"call": 0, "method": method.rsplit("/", 1)[1], "request": b64(request)}
            if left is not None and left < 1e6:
                event["timeout"] = round(left, 3)
            with self.lock:
                self.ids += 1
                event["call"] = self.ids
                self.events.append(event)
            call = self.channel.unary_unary(method).future(request, timeout=left if left and left < 1e6 else None)
            context.add_callback(call.cancel)
            end = {"end": event["call"]}
            try:
                response = call.result()
                end["response"] = b64(response)
            except grpc.FutureCancelledError:
                end["code"], end["message"] = 1, "cancelled"
            except grpc.RpcError as e:
                end["code"], end["message"] = e.code().value[0], e.details()
            with self.lock:
                self.events.append(end)
            if "code" in end:
                context.abort([c for c in grpc.StatusCode if c.value[0] == end["code"]][0], end["message"])
            return response
        return grpc.unary_unary_rpc_method_handler(handle, None, None)

    def take(self):
        """The events so far, which begin anew."""
        with self.lock:
            events, self.events, self.ids = self.events, [], 0
        return json.dumps(events).encode()


class Recorder:
    """A proxy process, from the side of the sequences."""

    def __init__(self, target):
        self.process = subprocess.Popen([sys.executable, __file__, "--proxy", target], stdout=subprocess.PIPE, text=True)
        self.target = "grpc://127.0.0.1:" + self.process.stdout.readline().strip()
        self.channel = grpc.insecure_channel(self.target[7:], options=[("grpc.max_receive_message_length", -1)])

    def take(self):
        return json.loads(self.channel.unary_unary("/record/Take")(b""))

    def call(self, method, request):
        """Calls a method with bytes of our own; the response, or the code."""
        try:
            return self.channel.unary_unary("/tensorflow.MasterService/" + method)(request, timeout=4)
        except grpc.RpcError as e:
            return e.code().name


def b64(b):
    return base64.b64encode(b).decode()


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(num, value):
    if isinstance(value, int):
        return varint(num << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(num << 3 | 2) + varint(len(value)) + value


def first_string(b):
    """The first field of a message, a string."""
    n = b[1]
    return b[2:2 + n].decode()


# -------------------------------------------------------------- sequences ----

lines = []


def show(*values):
    with np.printoptions(precision=4, suppress=True):
        lines.append(" ".join(str(v) for v in values))


def fails(f, *a, **k):
    try:
        show("no error", f(*a, **k))
    except tf.errors.OpError as e:
        show(type(e).__name__, e.op.name if e.op is not None else None)
    except Exception as e:  # the client's own
        show(type(e).__name__)


def session(t, config=None, graph=None):
    return v1.Session(t.target, config=config, graph=graph)


def s_null(t):
    op = tf.no_op()
    with session(t) as s:
        for _ in range(3):
            show(s.run(op))


def s_types(t):
    out = []
    for d in ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
              "uint64", "bool", "complex64", "complex128", "string", "qint8", "quint8", "qint32"]:
        value = [["1", "0", "7"]] if d == "string" else np.array([[1, 0, 7]])
        if d.startswith("q"):
            out.append(tf.bitcast(tf.constant(value, {"qint8": "int8", "quint8": "uint8", "qint32": "int32"}[d]), d))
            continue
        out.append(tf.identity(tf.constant(value, d) if d != "bool" else tf.constant(value > 0)))
        out.append(tf.identity(out[-1][0, 2]))
        out.append(out[-2][:, 3:])
    with session(t) as s:
        for r in s.run(out):
            show(r.dtype if hasattr(r, "dtype") else type(r), r)


def s_feeds(t):
    for d in ["float32", "int32", "int64", "bool", "string", "float64", "complex64", "uint8", "float16"]:
        x = v1.placeholder(d, name="x_" + d)
        y = tf.identity(x, name="y_" + d)
        with session(t) as s:
            for v in [1, [1, 0, 1], [[1, 1], [0, 0]], np.zeros([0, 3])]:
                v = np.array(v)
                v = v.astype(str).astype(object) if d == "string" else v.astype(d)
                show(d, s.run(y, {x: v}))


def s_feed_inside(t):
    a = tf.constant(3.0, name="a")
    b = tf.square(a, name="b")
    c = b + a
    with session(t) as s:
        show(s.run(c), s.run(c, {b: 100.0}), s.run(c, {a: 2.0}), s.run([c, b], {a: 1.0}))
        fails(s.run, [c, c, b], {a: 1.0})
        show(s.run({"x": c, "y": [b, (a,)]}))


def s_grow(t):
    with session(t) as s:
        x = tf.constant(2.0, name="x")
        show(s.run(x))
        for i in range(5):
            x = tf.add(x, 1.0, name="y%d" % i)
            show(s.run(x))
        v = v1.get_variable("v", initializer=1.0, use_resource=False)
        show(s.run(v.initializer))
        with v1.colocate_with(v):
            w = tf.identity(v, name="beside")
        show(s.run(w))
        with v1.colocate_with(w):
            show(s.run(tf.negative(w)))


def s_grow_functions(t):
    @function.Defun(tf.float32)
    def twice(x):
        return x * 2

    @function.Defun(tf.float32)
    def four(x):
        return twice(twice(x))
    with session(t) as s:
        x = tf.constant(1.5)
        show(s.run(twice(x)))
        show(s.run(four(x)))
        show(s.run(tf.gradients(four(x), x)))
        show(s.run(four(twice(x))))


def s_variables(t):
    v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    read, add, assign = v.read_value(), v1.assign_add(v, [1.0, 1.0]), v1.assign(v, [5.0, 6.0])
    sub = v1.scatter_sub(v, [1], [0.5])
    known = v1.is_variable_initialized(v)
    with session(t) as s:
        show(s.run(known))
        fails(s.run, read)
        fails(s.run, add)
        s.run(v.initializer)
        show(s.run(known), s.run(read), s.run(add), s.run(sub), s.run(assign), s.run(v))
        show(s.run(v1.report_uninitialized_variables()))


def s_resource_variables(t):
    v = v1.get_variable("rv", initializer=[1, 2, 3], use_resource=True)
    add, gather = v.assign_add([1, 1, 1]), v.sparse_read([2, 0])
    update = v.scatter_nd_update([[1]], [9])
    with session(t) as s:
        fails(s.run, v.read_value())
        show(s.run(v.is_initialized()))
        s.run(v.initializer)
        show(s.run(add), s.run(gather), s.run(update), s.run(v))


def s_shared_variables(t):
    v = v1.get_variable("shared", initializer=1.0, use_resource=False)
    r = v1.get_variable("shared_r", initializer=1.0, use_resource=True)
    up, up_r = v1.assign_add(v, 1.0), r.assign_add(1.0)
    with session(t) as a, session(t) as b:
        a.run(v1.global_variables_initializer())
        show(b.run([up, up_r]), a.run([up, up_r]), b.run([v, r]))
    with session(t) as c:
        show(c.run([v, r]))


def s_isolated(t):
    v = v1.get_variable("isolated", initializer=1.0, use_resource=False)
    up = v1.assign_add(v, 1.0)
    with session(t) as a, session(t, config_pb2.ConfigProto(isolate_session_state=True)) as b:
        a.run(v.initializer)
        fails(b.run, v)
        b.run(v.initializer)
        show(b.run(up), b.run(up), a.run(v))


def s_containers(t):
    with v1.container("one"):
        v = v1.get_variable("v1", initializer=1.0, use_resource=False)
        r = v1.get_variable("r1", initializer=2.0, use_resource=True)
        q = v1.FIFOQueue(3, [tf.float32], [[]], shared_name="q")
    w = v1.get_variable("w", initializer=3.0, use_resource=False)
    init = v1.global_variables_initializer()
    put, take = q.enqueue(4.0), q.dequeue()
    a = session(t)
    a.run([init, put])
    v1.Session.reset(t.target, ["one"])
    fails(a.run, w)
    b = session(t)
    fails(b.run, v)
    fails(b.run, r.read_value())
    show(b.run(w), b.run(q.size()))
    b.run([init, put])
    show(b.run(take))
    v1.Session.reset(t.target)
    fails(b.run, w)
    c = session(t)
    show(c.run([v, r]))
    fails(c.run, w)
    c.close()


def s_while(t):
    n = v1.placeholder(tf.int32, [])
    out = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * 1.5 + tf.cast(i, tf.float32)), [0, 1.0])
    nested = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a + tf.while_loop(
        lambda j, b: j < i, lambda j, b: (j + 1, b + j), [0, 0])[1]), [0, 0])
    x = tf.constant(1.01)
    y = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * a), [0, x])[1]
    g = tf.gradients(y, x)
    with session(t) as s:
        for k in [0, 1, 7]:
            show(s.run(out, {n: k}), s.run(nested, {n: k}))
        show(s.run(g))


def s_cond(t):
    p = v1.placeholder(tf.bool, [])
    x = v1.placeholder(tf.float32, [])
    y = tf.cond(p, lambda: x * 2, lambda: tf.cond(x > 0, lambda: -x, lambda: x))
    z = tf.case([(x > 2, lambda: 1), (x > 1, lambda: 2)], default=lambda: 3)
    with session(t) as s:
        for a in [True, False]:
            for b in [-1, 1.5, 3]:
                show(s.run([y, z], {p: a, x: b}), s.run(tf.gradients(y, x), {p: a, x: b}))


def s_dead(t):
    a, b = gen_control_flow_ops.switch(tf.constant(1.0), tf.constant(True), name="sw")
    m, i = gen_control_flow_ops.merge([a, b])
    with session(t) as s:
        show(s.run([b, m, i]))
        fails(s.run, a)
        show(s.run(a.op), s.run(tf.negative(a).op))
        fails(s.run, [b, tf.negative(a)])


def s_v2_control(t):
    v1.enable_control_flow_v2()
    try:
        n = v1.placeholder(tf.int32, [])
        out = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a + tf.cond(a > 5, lambda: 1, lambda: 2)), [0, 0])
        g = v1.placeholder(tf.float32, [])
        y = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * g), [0, g])[1]
        c = tf.switch_case(n, [lambda: 10, lambda: 20, lambda: 30])
        d = tf.gradients(y, g)
    finally:
        v1.disable_control_flow_v2()
    with session(t) as s:
        for k in [0, 1, 5]:
            show(s.run([out, c], {n: k}))
        show(s.run([y, d], {g: 1.5}))


def s_arrays(t):
    ta = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
    ta = ta.unstack([1.0, 2.0, 3.0]).write(3, 4.0)
    x = tf.constant([1.0, 2.0, 3.0])
    sp = tf.TensorArray(tf.float32, 2, infer_shape=False).split(x, [1, 2])
    h = tf.raw_ops.EmptyTensorList(element_shape=[2], max_num_elements=-1, element_dtype=tf.float32)
    h = tf.raw_ops.TensorListPushBack(input_handle=h, tensor=[1.0, 2.0])
    h = tf.raw_ops.TensorListPushBack(input_handle=h, tensor=[3.0, 4.0])
    popped, value = tf.raw_ops.TensorListPopBack(input_handle=h, element_shape=[2], element_dtype=tf.float32)
    with session(t) as s:
        show(s.run([ta.stack(), ta.read(1), ta.size(), sp.concat(), sp.read(1)]))
        show(s.run([value, tf.raw_ops.TensorListLength(input_handle=popped),
                    tf.raw_ops.TensorListStack(input_handle=h, element_shape=[2], element_dtype=tf.float32, num_elements=-1)]))
        fails(s.run, ta.read(9))
        fails(s.run, ta.write(-1, 1.0).flow)
        fails(s.run, tf.raw_ops.TensorListGetItem(input_handle=h, index=7, element_shape=[2], element_dtype=tf.float32))


def s_higher_order(t):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with session(t) as s:
        show(s.run(tf.map_fn(lambda a: a * a, x)), s.run(tf.scan(lambda a, b: a + b, x)),
             s.run(tf.foldl(lambda a, b: a - b, x)), s.run(tf.foldr(lambda a, b: a - b, x)))


def s_kernel_errors(t):
    i = v1.placeholder(tf.int32, name="i")
    x = v1.placeholder(tf.float32, name="x")
    with session(t) as s:
        fails(s.run, tf.gather([1.0, 2.0], i, name="gat"), {i: 5})
        fails(s.run, tf.matmul(x, x, name="mm"), {x: np.ones([2, 3])})
        fails(s.run, tf.reshape(x, [7], name="resh"), {x: np.ones([2, 3])})
        fails(s.run, tf.debugging.check_numerics(x, "bad", name="chk"), {x: float("nan")})
        fails(s.run, tf.io.decode_png(tf.constant("no png"), name="png"))
        fails(s.run, tf.strings.to_number("abc", name="num"))
        fails(s.run, v1.Assert(tf.constant(False), ["told", i], name="ass"), {i: 3})
        fails(s.run, tf.concat([x, tf.ones([5, 5])], 0, name="cat"), {x: np.ones([2, 3])})
        fails(s.run, tf.slice(x, [0, 1], [1, 9], name="sli"), {x: np.ones([2, 3])})
        fails(s.run, tf.split(x, 2, name="spl"), {x: np.ones([3])})
        fails(s.run, tf.math.floordiv(i, 0, name="fdiv"), {i: 3})
        fails(s.run, tf.linalg.cholesky(x, name="chol"), {x: -np.eye(2)})
        fails(s.run, tf.scatter_nd([[9]], [1.0], [3], name="scat"))
        fails(s.run, tf.linalg.inv(x, name="inv"), {x: np.zeros([2, 2])})


def s_error_places(t):
    i = v1.placeholder(tf.int32, name="i")

    @function.Defun(tf.int32)
    def inside(k):
        return tf.gather(tf.constant([1, 2]), k, name="inner")
    loop = tf.while_loop(lambda k: k < 9, lambda k: tf.gather([1, 2, 3], k, name="turn"), [0])
    branch = tf.cond(i > 0, lambda: tf.gather([1, 2], i, name="taken"), lambda: 0)
    with session(t) as s:
        fails(s.run, inside(i), {i: 7})
        fails(s.run, tf.while_loop(lambda k: k < 9, lambda k: tf.gather([1, 2, 3, 7], k, name="turn"), [0]))
        fails(s.run, branch, {i: 4})
        show(s.run(branch, {i: 0}))
        del loop


def s_placeholders(t):
    x = v1.placeholder(tf.float32, [2], name="x")
    y = v1.placeholder(tf.float32, name="y")
    d = v1.placeholder_with_default(tf.constant(3.0), [], name="d")
    with session(t) as s:
        fails(s.run, x + 1)
        fails(s.run, tf.identity(y))
        fails(s.run, [x, y], {y: 1.0})
        show(s.run(d), s.run(d, {d: 4.0}), s.run(d * 2, {d: 4.0}))


def s_zz_raw_errors(t):
    """Calls that the Python client does not make."""
    g = tf.Graph()
    with g.as_default():
        x = v1.placeholder(tf.float32, [], name="x")
        tf.add(x, 1.0, name="y")
        tf.constant(2.0, name="c")
    more = tf.Graph()
    with more.as_default():
        tf.constant(5.0, name="more")
    definition = g.as_graph_def().SerializeToString()
    h = first_string(t.call("CreateSession", field(1, definition)))
    one = tf.make_tensor_proto(1.0).SerializeToString()
    fed = field(2, field(1, "x:0") + field(2, one))
    for request in [
            field(3, "nobody:0"), field(4, "nobody"), field(2, field(1, "nobody:0") + field(2, one)) + field(3, "y:0"),
            b"", fed, fed + field(3, "x:0"), fed + fed + field(3, "y:0"), fed + field(3, "y:7"), fed + field(3, "y:0"),
            fed + field(3, "y"), fed + field(4, "y:0"), fed + field(4, "y"), fed + field(3, "y:0") + field(3, "y:0"),
            field(2, field(1, "x:0") + field(2, tf.make_tensor_proto(1, tf.int32).SerializeToString())) + field(3, "y:0"),
            field(2, field(1, "x:0") + field(2, tf.make_tensor_proto([1.0, 2.0]).SerializeToString())) + field(3, "y:0"),
            field(2, field(1, "c:0") + field(2, one)) + field(3, "c:0"),
            field(2, field(1, "y:0") + field(2, one)) + field(3, "c:0"), field(3, "c:0") + field(6, "nohandle"),
            field(3, ""), field(3, "^y"), field(3, ":0"), field(4, "")]:
        show(t.call("RunStep", field(1, h) + request + field(7, 1))[:0])
        t.call("RunStep", field(1, h) + request)
    t.call("RunStep", field(1, "unknown") + field(3, "c:0"))
    t.call("ExtendSession", field(1, h) + field(2, more.as_graph_def().SerializeToString()) + field(3, 5))
    t.call("ExtendSession", field(1, h) + field(2, more.as_graph_def().SerializeToString()))
    t.call("RunStep", field(1, h) + field(3, "more:0"))
    t.call("ExtendSession", field(1, h) + field(2, more.as_graph_def().SerializeToString()) + field(3, 1))
    t.call("ExtendSession", field(1, "unknown") + field(2, b""))
    t.call("ListDevices", field(1, h))
    t.call("ListDevices", field(1, "unknown"))
    t.call("ListDevices", b"")
    t.call("PartialRunSetup", field(1, h) + field(2, "x:0") + field(3, "nobody:0"))
    t.call("PartialRunSetup", field(1, "unknown") + field(2, "x:0") + field(3, "y:0"))
    t.call("CloseSession", field(1, h))
    t.call("CloseSession", field(1, h))


def not_recorded_raw_calls(t):  # of which one ends TensorFlow's server by a segmentation fault
    h, one, definition = first_string(t.call("CreateSession", b"")), b"", b""
    made = t.call("MakeCallable", field(1, h) + field(2, field(1, "x:0") + field(2, "y:0")))
    number = made[1] if made else 0
    t.call("RunCallable", field(1, h) + field(2, number) + field(3, one))
    t.call("RunCallable", field(1, h) + field(2, number))
    t.call("RunCallable", field(1, h) + field(2, number) + field(3, one) + field(3, one))
    t.call("RunCallable", field(1, h) + field(2, 77) + field(3, one))
    t.call("ReleaseCallable", field(1, h) + field(2, number))
    t.call("RunCallable", field(1, h) + field(2, number) + field(3, one))
    t.call("ReleaseCallable", field(1, h) + field(2, 77))
    t.call("CloseSession", field(1, h))
    t.call("CloseSession", field(1, h))
    t.call("RunStep", field(1, h) + field(3, "c:0") + field(7, 1))
    t.call("CreateSession", field(1, b"\xff\xff"))
    empty = first_string(t.call("CreateSession", b""))
    t.call("RunStep", field(1, empty) + field(3, "c:0"))
    t.call("ExtendSession", field(1, empty) + field(2, definition))
    t.call("RunStep", field(1, empty) + field(3, "c:0"))
    t.call("CloseSession", field(1, empty))


def s_bad_graphs(t):
    good = v1.GraphDef()
    with tf.Graph().as_default() as g:
        tf.add(tf.constant(1.0, name="a"), 2.0, name="b")
        good = g.as_graph_def()

    def create(change):
        d = v1.GraphDef()
        d.CopyFrom(good)
        change(d)
        t.call("CreateSession", field(1, d.SerializeToString()))

    def node(d, op, name, inputs):
        n = d.node.add()
        n.op, n.name = op, name
        n.input.extend(inputs)
        return n
    create(lambda d: node(d, "NoSuchOp", "c", []))
    create(lambda d: node(d, "NoOp", "a", []))
    create(lambda d: node(d, "Neg", "c", ["nobody"]))
    create(lambda d: node(d, "Neg", "c", ["a"]))
    create(lambda d: node(d, "Neg", "c", ["a", "b"]).attr["T"].CopyFrom(tf.compat.v1.AttrValue(type=1)))
    create(lambda d: node(d, "Neg", "c", ["a"]).attr["T"].CopyFrom(tf.compat.v1.AttrValue(type=3)))
    create(lambda d: node(d, "Neg", "bad name", ["a"]).attr["T"].CopyFrom(tf.compat.v1.AttrValue(type=1)))
    create(lambda d: node(d, "NoOp", "c", ["^nobody"]))
    create(lambda d: node(d, "Neg", "c", ["a:3"]).attr["T"].CopyFrom(tf.compat.v1.AttrValue(type=1)))
    create(lambda d: None)


def s_partial(t):
    a, b, c = (v1.placeholder(tf.float32, []) for _ in range(3))
    r1 = a + b
    r2 = r1 * c
    with session(t) as s:
        h = s.partial_run_setup([r1, r2], [a, b, c])
        show(s.partial_run(h, r1, {a: 1.0, b: 2.0}))
        show(s.partial_run(h, r2, {c: 10.0}))
        fails(s.partial_run, h, r2, {c: 10.0})
        h = s.partial_run_setup([r1, r2], [a, b, c])
        fails(s.partial_run, h, r2, {a: 1.0})
        h = s.partial_run_setup([r1], [a, b])
        fails(s.partial_run, h, r2, {a: 1.0})
        fails(s.partial_run, h, r1, {c: 1.0})
        h = s.partial_run_setup([r1, r2], [a, b, c])
        one = s.partial_run_setup([r1], [a, b])
        show(s.partial_run(one, r1, {a: 3.0, b: 4.0}), s.partial_run(h, r1, {a: 5.0, b: 6.0}), s.partial_run(h, r2, {c: 2.0}))


def s_callables(t):
    x, y = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
    v = v1.get_variable("cv", initializer=1.0, use_resource=False)
    up = v1.assign_add(v, 1.0)
    with session(t) as s:
        s.run(v.initializer)
        f = s.make_callable([x + y, x * y], [x, y])
        f32 = np.float32
        show(f(f32(1), f32(2)), f(np.array([1, 2], f32), np.array([3, 4], f32)))
        g = s.make_callable(up)
        show(g(), g())
        s.make_callable(up.op)()
        show(s.run(v))
        o = config_pb2.CallableOptions()
        o.feed.append(x.name)
        o.fetch.append((x * 2).name)
        o.target.append(up.op.name)
        h = s._make_callable_from_options(o)
        show(h(f32(3)), s.run(v))
        fails(f, f32(1), "text")
        o.fetch.append("nobody:0")
        fails(s._make_callable_from_options, o)


def s_devices(t):
    with session(t) as s:
        show([(d.device_type, d.name.split("device:")[1], d.incarnation != 0) for d in s.list_devices()])
        c = tf.constant(1.0)
        show(s.run(c), len(s.list_devices()))


def s_placement(t):
    with tf.device("/cpu:0"):
        a = tf.constant(1.0)
    with tf.device("/device:CPU:0"):
        b = tf.constant(2.0)
    with tf.device("/job:nobody/task:3"):
        c = tf.constant(3.0)
    with tf.device("/device:GPU:0"):
        d = tf.constant(4.0)
    with tf.device("/cpu:7"):
        e = tf.constant(5.0)
    for soft in [False, True]:
        with session(t, config_pb2.ConfigProto(allow_soft_placement=soft)) as s:
            fails(s.run, [a, b])
            for x in [c, d, e]:
                fails(s.run, x)


def s_metadata(t):
    x = tf.random.stateless_uniform([8, 8], [1, 2])
    y = tf.matmul(x, x, name="mm")
    z = tf.while_loop(lambda i: i < 4, lambda i: i + 1, [0])
    with session(t) as s:
        m = config_pb2.RunMetadata()
        s.run([y, z], options=config_pb2.RunOptions(trace_level=3), run_metadata=m)
        show(len(m.step_stats.dev_stats) > 0)
        m = config_pb2.RunMetadata()
        s.run([y, z], options=config_pb2.RunOptions(output_partition_graphs=True), run_metadata=m)
        show(len(m.partition_graphs) > 0)
        m = config_pb2.RunMetadata()
        s.run([y, z], run_metadata=m)
        show(m.HasField("step_stats"))
    with session(t, config_pb2.ConfigProto(graph_options=config_pb2.GraphOptions(build_cost_model=2))) as s:
        for _ in range(4):
            m = config_pb2.RunMetadata()
            s.run(y, run_metadata=m)
            show(m.HasField("cost_graph"))


def s_timeouts(t):
    q = v1.FIFOQueue(1, [tf.float32], name="never")
    take = q.dequeue(name="take")
    with session(t) as s:
        fails(s.run, take, options=config_pb2.RunOptions(timeout_in_ms=100))
        fails(s.run, tf.while_loop(lambda i: i >= 0, lambda i: i * 1, [tf.constant(0)]), options=config_pb2.RunOptions(timeout_in_ms=100))
        show(s.run(q.size()))
    with session(t, config_pb2.ConfigProto(operation_timeout_in_ms=100)) as s:
        fails(s.run, take)


def blocked(s, fetch):
    """Runs fetch in a thread; joined returns what became of it."""
    result = []

    def run():
        try:
            result.append(("value", s.run(fetch)))
        except tf.errors.OpError as e:
            result.append((type(e).__name__,))
    th = threading.Thread(target=run)
    th.start()
    time.sleep(0.3)

    def joined():
        th.join(30)
        return result
    return joined


def s_close_ends_steps(t):
    q = v1.FIFOQueue(1, [tf.float32], shared_name="empty")
    take = q.dequeue()
    s = session(t)
    s.run(q.size())
    b = blocked(s, take)
    s.close()
    show(b())
    with session(t) as s:
        show(s.run(q.size()))


def not_recorded_reset_ends_steps(t):  # TensorFlow's server ends by a segmentation fault
    q = v1.FIFOQueue(1, [tf.float32], shared_name="reset")
    take = q.dequeue()
    s = session(t)
    s.run(q.size())
    b = blocked(s, take)
    v1.Session.reset(t.target)
    show(b()[0][0] in ("CancelledError", "AbortedError"))


def s_queue_wakes(t):
    q = v1.FIFOQueue(1, [tf.float32], [[]], shared_name="wake")
    take, put, close = q.dequeue(), q.enqueue(7.0), q.close()
    with session(t) as a, session(t) as b:
        a.run(q.size())
        w = blocked(a, take)
        b.run(put)
        show(w())
        w = blocked(a, take)
        b.run(close)
        show(w())
        fails(b.run, put)


def s_queues(t):
    with session(t) as s:
        q = v1.FIFOQueue(10, [tf.float32, tf.string], [[2], []])
        many = q.enqueue_many([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["a", "b", "c"]])
        x = v1.placeholder(tf.float32)
        bad = q.enqueue([x, "z"])
        s.run(many)
        show(s.run(q.dequeue()), s.run(q.size()), s.run(q.dequeue_many(2)))
        fails(s.run, bad, {x: [1.0, 2.0, 3.0]})
        s.run(many)
        show(s.run(q.dequeue_up_to(2)))
        s.run(q.close())
        show(s.run(q.is_closed()), s.run(q.dequeue()))
        fails(s.run, q.dequeue())
        fails(s.run, q.dequeue_many(2))
        fails(s.run, many)
        fails(s.run, q.close())
        p = v1.PaddingFIFOQueue(10, [tf.int32], [[None]])
        s.run(p.enqueue([[1, 2]]))
        s.run(p.enqueue([[3]]))
        show(s.run(p.dequeue_many(2)))
        r = v1.PriorityQueue(10, [tf.string], [[]])
        s.run(r.enqueue_many([np.array([3, 1, 2], np.int64), ["c", "a", "b"]]))
        show(s.run(r.dequeue()), s.run(r.dequeue()))
        h = v1.RandomShuffleQueue(10, 1, [tf.int32], [[]], seed=7)
        s.run(h.enqueue_many([[1, 2, 3]]))
        show(sorted([s.run(h.dequeue()), s.run(h.dequeue())]) != [])
        show(s.run(h.size()))


def s_queue_mismatch(t):
    a = v1.FIFOQueue(3, [tf.float32], [[]], shared_name="same")
    b = v1.FIFOQueue(3, [tf.int32], [[]], shared_name="same")
    c = v1.FIFOQueue(4, [tf.float32], [[]], shared_name="same")
    d = v1.RandomShuffleQueue(3, 1, [tf.float32], [[]], shared_name="same")
    with session(t) as s:
        s.run(a.size())
        fails(s.run, b.size())
        fails(s.run, c.size())
        fails(s.run, d.size())


def s_accumulators(t):
    a = v1.ConditionalAccumulator(tf.float32, [2], shared_name="acc")
    x = v1.placeholder(tf.float32, [2])
    n = v1.placeholder(tf.int64, [])
    apply, take, step = a.apply_grad(x, n), a.take_grad(2), a.set_global_step(3)
    with session(t) as s:
        s.run(apply, {x: [1.0, 2.0], n: 0})
        show(s.run(a.num_accumulated()))
        s.run(apply, {x: [3.0, 4.0], n: 0})
        show(s.run(take), s.run(a.num_accumulated()))
        s.run(step)
        s.run(apply, {x: [3.0, 4.0], n: 1})
        show(s.run(a.num_accumulated()))
        with session(t) as b:
            w = blocked(s, take)
            b.run(apply, {x: [2.0, 4.0], n: 3})
            b.run(apply, {x: [4.0, 8.0], n: 4})
            show(w())
        sp = v1.SparseConditionalAccumulator(tf.float32, [4, 1])
        s.run(sp.apply_grad([2, 0], [[1.0], [2.0]], [4, 1]))
        s.run(sp.apply_grad([2], [[3.0]], [4, 1]))
        show(s.run(sp.take_grad(2)))


def s_barrier(t):
    b = data_flow_ops.Barrier((tf.float32, tf.float32), shapes=((), ()), name="B")
    with session(t) as s:
        s.run(b.insert_many(0, ["a", "b", "c"], [1.0, 2.0, 3.0]))
        show(s.run([b.ready_size(), b.incomplete_size()]))
        s.run(b.insert_many(1, ["b", "a"], [5.0, 6.0]))
        show(s.run(b.take_many(2)))
        fails(s.run, b.insert_many(0, ["c"], [1.0]))
        s.run(b.close())
        fails(s.run, b.insert_many(0, ["z"], [1.0]))
        fails(s.run, b.take_many(3))
        s.run(b.insert_many(1, ["c"], [9.0]))
        show(s.run(b.take_many(1)))


def s_tables(t):
    keys, values = tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1)
    find = table.lookup(tf.constant(["b", "x"]))
    mutable = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -7)
    insert = mutable.insert(keys, values)
    with session(t) as s:
        fails(s.run, find)
        s.run(v1.tables_initializer())
        show(s.run(find), s.run(table.size()))
        s.run(v1.tables_initializer())
        s.run(insert)
        show(s.run(mutable.lookup(tf.constant(["a", "q"]))), s.run(mutable.size()))
    with session(t) as s:
        fails(s.run, find)
        show(s.run(mutable.size()))


def s_iterators(t):
    d = tf.data.Dataset.range(3).map(lambda x: x * x)
    one = v1.data.make_one_shot_iterator(d).get_next()
    again = v1.data.make_initializable_iterator(d.batch(2))
    element = again.get_next()
    for _ in range(2):
        with session(t) as s:
            for _ in range(3):
                show(s.run(one))
            fails(s.run, one)
            fails(s.run, element)
            s.run(again.initializer)
            show(s.run(element), s.run(element))
            fails(s.run, element)


def s_handles(t):
    x = tf.constant([1.0, 2.0])
    h = session_ops.get_session_handle(x * 3)
    holder, value = session_ops.get_session_tensor("x;0;/job:localhost/replica:0/task:0/device:CPU:0", tf.float32)
    with session(t) as s:
        handle = s.run(h)
        show(s.run(value + 1, {holder: handle.handle}))
        show(handle.eval())
        handle.delete()
        fails(s.run, value, {holder: "nobody"})


def s_random(t):
    a = tf.random.uniform([3], seed=7)
    b = tf.random.normal([3], seed=8)
    c = tf.random.stateless_uniform([3], [1, 2])
    d = tf.random.shuffle(tf.range(8), seed=3)
    with session(t) as s:
        for _ in range(3):
            show(s.run([a, b, c, d]))
    with session(t) as s:
        show(s.run([a, b]))


def s_strings(t):
    x = tf.constant(["Grüße", "", "a,b"])
    with session(t) as s:
        show(s.run([tf.strings.length(x), tf.strings.length(x, "UTF8_CHAR"), tf.strings.upper(x), tf.strings.join([x, x], "-"),
                    tf.strings.regex_replace(x, "[aeiou]", "_"), tf.strings.substr(x, 0, 0), tf.strings.to_hash_bucket_fast(x, 100)]))
        show(s.run(v1.string_split(["a b", "c"])))


def s_sparse(t):
    p = v1.sparse_placeholder(tf.float32)
    with session(t) as s:
        feed = {p: v1.SparseTensorValue([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])}
        show(s.run(v1.sparse_tensor_dense_matmul(p, [[1.0], [10.0]]), feed), s.run(tf.sparse.to_dense(p), feed))
        show(s.run(tf.sparse.reorder(p), feed))


def s_training(t):
    rng = np.random.RandomState(1)
    x, y = v1.placeholder(tf.float32, [None, 4]), v1.placeholder(tf.float32, [None, 1])
    w = v1.get_variable("w", initializer=np.ones([4, 1], np.float32), use_resource=False)
    b = v1.get_variable("b", initializer=[0.0], use_resource=True)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    step = v1.train.get_or_create_global_step()
    ops = [o.minimize(loss, step) for o in [
        v1.train.GradientDescentOptimizer(0.1), v1.train.MomentumOptimizer(0.01, 0.9), v1.train.AdamOptimizer(0.1),
        v1.train.AdagradOptimizer(0.1), v1.train.RMSPropOptimizer(0.01)]]
    data = {x: rng.rand(8, 4).astype(np.float32), y: rng.rand(8, 1).astype(np.float32)}
    with session(t) as s:
        s.run(v1.global_variables_initializer())
        for op in ops:
            for _ in range(3):
                s.run(op, data)
            show(s.run([loss, w, step], data))


def s_monitored(t):
    step = v1.train.get_or_create_global_step()
    v = v1.get_variable("mv", initializer=0.0, use_resource=False)
    up = v1.group(v1.assign_add(v, 2.0), v1.assign_add(step, 1))
    with v1.train.MonitoredTrainingSession(t.target, hooks=[v1.train.StopAtStepHook(num_steps=4)]) as s:
        while not s.should_stop():
            s.run(up)
    with session(t) as s:
        show(s.run([v, step]))


def s_queue_runner(t):
    q = v1.FIFOQueue(4, [tf.int32], [[]])
    c = v1.get_variable("count", initializer=0, use_resource=False)
    put = q.enqueue(v1.count_up_to(c, 6))
    v1.train.add_queue_runner(v1.train.QueueRunner(q, [put]))
    take = q.dequeue()
    with session(t) as s:
        s.run(v1.global_variables_initializer())
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(s, coordinator)
        got = []
        try:
            while True:
                got.append(s.run(take))
        except tf.errors.OutOfRangeError:
            show(got)
        coordinator.request_stop()
        coordinator.join(threads)


def s_summaries(t):
    v1.summary.scalar("a", tf.constant(1.5))
    v1.summary.histogram("h", tf.constant([1.0, 2.0]))
    merged = v1.summary.merge_all()
    with session(t) as s:
        m = v1.Summary()
        m.ParseFromString(s.run(merged))
        show([v.tag for v in m.value])


def s_large(t):
    x = v1.placeholder(tf.float32, [None])
    y = x + 1
    with session(t) as s:
        a = np.arange(50_000, dtype=np.float32)
        show(np.array_equal(s.run(y, {x: a}), a + 1))


def s_optimizer_options(t):
    x = tf.constant(2.0)
    y = tf.square(x) + tf.square(x)
    for level in [-1, 0]:
        c = config_pb2.ConfigProto()
        c.graph_options.optimizer_options.opt_level = level
        c.graph_options.rewrite_options.disable_meta_optimizer = level < 0
        with session(t, c) as s:
            show(s.run(y))


def s_threads(t):
    v = v1.get_variable("tv", initializer=0, use_resource=True)
    up = v.assign_add(1)
    with session(t) as s:
        s.run(v.initializer)
        ths = [threading.Thread(target=lambda: [s.run(up.op) for _ in range(10)]) for _ in range(4)]
        [th.start() for th in ths]
        [th.join() for th in ths]
        show(s.run(v))


def s_two_graphs(t):
    one, two = tf.Graph(), tf.Graph()
    with one.as_default():
        a = tf.constant(1.0, name="same")
    with two.as_default():
        b = tf.constant([2.0, 3.0], name="same")
    with session(t, graph=one) as s, session(t, graph=two) as r:
        show(s.run(a), r.run(b), s.run("same:0"), r.run("same:0"))


def s_gradients(t):
    x = v1.placeholder(tf.float32, [3])
    y = tf.reduce_sum(tf.tanh(x) * tf.sigmoid(x) + tf.exp(-x))
    g = tf.gradients(y, x)[0]
    h = tf.hessians(y, x)[0]
    with session(t) as s:
        show(s.run([y, g, h], {x: [0.1, -0.2, 0.3]}))


def s_stop_on_error(t):
    """A step that fails keeps what it did before."""
    v = v1.get_variable("sv", initializer=0.0, use_resource=False)
    up = v1.assign_add(v, 1.0)
    with tf.control_dependencies([up]):
        bad = tf.gather([1.0], v1.placeholder(tf.int32, name="at"), name="late")
    with session(t) as s:
        s.run(v.initializer)
        fails(s.run, bad, {"at:0": 5})
        show(s.run(v), s.run(bad, {"at:0": 0}), s.run(v))


# ------------------------------------------------------------------- main ----

def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--target", default="")
    ap.add_argument("--only", default="")
    ap.add_argument("--proxy", default="")
    ap.add_argument("out", nargs="?", default="sequences.json.gz")
    a = ap.parse_args()
    if a.proxy:
        Proxy(a.proxy).server.wait_for_termination()
    own = None
    target = a.target
    if not target:
        own = tf.distribute.Server.create_local_server()
        target = own.target
    proxy = Recorder(target[7:])
    recorded = {}
    if a.target:
        with gzip.open(a.out) as f:
            recorded = {s["name"]: s for s in json.load(f)}
    all_, same, total = [], 0, 0
    for name, f in sorted(globals().items()):
        if not name.startswith("s_") or not re.search(a.only, name):
            continue
        v1.reset_default_graph()
        v1.Session.reset(proxy.target)
        proxy.take()
        lines.clear()
        try:
            f(proxy)
        except Exception as e:
            lines.append("ended with " + type(e).__name__ + " " + str(e)[:300])
        entry = {"name": name[2:], "lines": list(lines), "events": proxy.take()}
        all_.append(entry)
        if not a.target:
            with gzip.GzipFile(a.out, "wb", mtime=0) as out:
                out.write(json.dumps(all_, indent=0).encode())
        if a.target:
            want = recorded.get(name[2:], {}).get("lines", [])
            total += len(want)
            for i, w in enumerate(want):
                got = lines[i] if i < len(lines) else "(nothing)"
                if got == w:
                    same += 1
                else:
                    print("%s: %s\n    TensorFlow: %s" % (name[2:], got[:300], w[:300]))
        else:
            print(name[2:], len(entry["events"]) // 2, "calls")
            for line in lines:
                if line.startswith("ended with"):
                    print("   ", line)
    if a.target:
        print("%d of %d lines agree, in %d sequences" % (same, total, len(all_)))
    proxy.process.kill()
    os._exit(0)


if __name__ == "__main__":
    main()
