"""Mutations of GraphDefs and of the options of their import, for imports.py.

A mutation is a function of a GraphDef, a random.Random and a dict of options
as a case has them; it changes the first or the last.
"""
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2

from capi import CONTROL, tensor_id, text_of
from importchosen import function

OPS = {}  # OpDef by name
DEPRECATED = []  # names of those that a producer may be too new for


def know(ops, only):
    """Sets the operations that mutations use, and the mutations, if only some are to be."""
    OPS.update({d.name: d for d in ops})
    DEPRECATED.extend(sorted(n for n, d in OPS.items() if d.HasField("deprecation")))
    if only:
        MUTATIONS[:] = [f for f in MUTATIONS if f.__name__ in only]


# The nodes of the graph that imports go into.
INTO_NAMES = ["in", "ii", "split", "x", "noop", "v", "s/t/u", "m/x"]

MUTATIONS = []


def mutation(f):
    MUTATIONS.append(f)
    return f


def any_node(g, r):
    return r.choice(g.node)


def node_with(g, r, condition):
    nodes = [n for n in g.node if condition(n)]
    return r.choice(nodes) if nodes else None


NAMES = ["", "_x", "a b", "x/", "/x", "x//y", "x>y", "x>", ">x", "a>_b", "a>b>c", "-x", ".x", "x:0", "x\u00e9", "^x", "9",
         "A" * 3000, "x.y-z_", "x\\y", "m/x", "in"]
DEVICES = ["/cpu:0", "/device:CPU:0", "/device:GPU:7", "/job:worker/task:1", "/job:a/replica:0/task:0/device:CPU:*",
           "/device:XYZ:1", "/GPU:*", "/job:*/task:*", "/replica:01", "/device:CPU:00", "/", "/device:*", "/job:w/job:v"]
BAD_INPUTS = ["", ":", ":0", "^", "^:0", "nowhere", "nowhere:1", "^nowhere", "^^x", "x:-1", "x:x", "x: 0", "x:00", "x:01",
              "x:1:0", "x:99999999999", "x:4294967296", "^x:0", "x:", " x", "x:0:", "x:2147483648"]


@mutation
def drop_node(g, r, o):
    del g.node[r.randrange(len(g.node))]


@mutation
def duplicate_node(g, r, o):
    g.node.add().CopyFrom(any_node(g, r))


@mutation
def rename_node(g, r, o):
    any_node(g, r).name = r.choice(NAMES)


@mutation
def rename_everywhere(g, r, o):
    n, new = any_node(g, r), r.choice(NAMES)
    old, n.name = n.name, new
    for m in g.node:
        for i, text in enumerate(m.input):
            name, index = tensor_id(text)
            if name == old:
                m.input[i] = text_of(new, index)


@mutation
def change_op(g, r, o):
    any_node(g, r).op = r.choice(["", "NoSuchOp", "Neg", "Const", "NoOp", "Placeholder", "AddV2", "Merge", "NextIteration",
                                  "Switch", "Identity", "IdentityN", "neg", "_Arg", "_Retval", "Pack", "ConcatV2", "f"])


@mutation
def change_input(g, r, o):
    n = node_with(g, r, lambda n: n.input)
    if n:
        text = r.choice(BAD_INPUTS)
        n.input[r.randrange(len(n.input))] = text.replace("x", any_node(g, r).name) if r.random() < .8 else text


@mutation
def wrong_output(g, r, o):
    n = node_with(g, r, lambda n: n.input)
    if n:
        i = r.randrange(len(n.input))
        n.input[i] = tensor_id(n.input[i])[0] + ":%d" % r.choice([1, 2, 3, 100])


@mutation
def other_input(g, r, o):
    n = node_with(g, r, lambda n: n.input)
    if n:
        n.input[r.randrange(len(n.input))] = any_node(g, r).name


@mutation
def add_input(g, r, o):
    any_node(g, r).input.append(any_node(g, r).name)


@mutation
def drop_input(g, r, o):
    n = node_with(g, r, lambda n: n.input)
    if n:
        del n.input[r.randrange(len(n.input))]


@mutation
def add_control(g, r, o):
    n = any_node(g, r)
    for _ in range(r.choice([1, 1, 2])):
        n.input.append("^" + any_node(g, r).name)
        if r.random() < .3:
            n.input.append(n.input[-1])


@mutation
def control_first(g, r, o):
    n = node_with(g, r, lambda n: n.input)
    if n:
        n.input.insert(0, "^" + any_node(g, r).name)


@mutation
def swap_inputs(g, r, o):
    n = node_with(g, r, lambda n: len(n.input) > 1)
    if n:
        i, k = r.sample(range(len(n.input)), 2)
        n.input[i], n.input[k] = n.input[k], n.input[i]


def any_value(r):
    v = attr_value_pb2.AttrValue()
    kind = r.randrange(16)
    types = [0, 1, 2, 3, 7, 9, 10, 20, 21, 22, 23, 101, 120, 99, 200, 1000, 32, 33, 25, 30]
    if kind == 0:
        v.s = r.choice([b"", b"SAME", b"VALID", b"\xff", b"NHWC", b"foo"])
    elif kind == 1:
        v.i = r.choice([0, 1, 2, -1, 3, 1 << 40, -1 << 63])
    elif kind == 2:
        v.f = r.choice([0., 1.5, float("nan"), float("inf"), -1.])
    elif kind == 3:
        v.b = r.random() < .5
    elif kind in (4, 5, 6):
        v.type = r.choice(types)
    elif kind == 7:
        for d in r.choice([[], [1], [-1, 2], [-2], [0, 3], [1 << 40, 1 << 40], [2] * 5]):
            v.shape.dim.add().size = d
        v.shape.unknown_rank = r.random() < .2
    elif kind == 8:
        v.tensor.dtype = r.choice(types)
        v.tensor.tensor_shape.dim.add().size = r.choice([0, 1, 2, -1])
        v.tensor.int_val.append(1)
    elif kind == 10:
        v.func.name = r.choice(["f", "", "NoSuch"])
    elif kind == 11:
        v.list.SetInParent()
    elif kind == 12:
        v.list.type.extend(r.choices(types, k=r.choice([1, 2, 3])))
    elif kind == 13:
        v.list.i.extend(r.choices([0, 1, -1, 2], k=r.choice([1, 4])))
    elif kind == 14:
        v.list.s.extend(r.choice([[b"a"], [b"loc:@x"], [b"SAME", b""]]))
    return v


@mutation
def drop_attr(g, r, o):
    n = node_with(g, r, lambda n: n.attr)
    if n:
        del n.attr[r.choice(sorted(n.attr))]


@mutation
def change_attr(g, r, o):
    n = node_with(g, r, lambda n: n.attr)
    if n:
        n.attr[r.choice(sorted(n.attr))].CopyFrom(any_value(r))


@mutation
def change_attr_of_kind(g, r, o):
    n = node_with(g, r, lambda n: n.attr)
    if n:
        v = n.attr[r.choice(sorted(n.attr))]
        kind = v.WhichOneof("value")
        for _ in range(50):
            w = any_value(r)
            if w.WhichOneof("value") == kind:
                v.CopyFrom(w)
                return


@mutation
def set_defined_attr(g, r, o):
    n = any_node(g, r)
    names = [a.name for a in OPS[n.op].attr] if n.op in OPS else []
    if names:
        n.attr[r.choice(names)].CopyFrom(any_value(r))


@mutation
def add_attr(g, r, o):
    any_node(g, r).attr[r.choice(["colour", "_colour", "", "T", "N", "_", "Tidx", "_XlaCompile", "_kernel", "dtype"])].CopyFrom(
        any_value(r))


@mutation
def colocate(g, r, o):
    n, v = any_node(g, r), attr_value_pb2.AttrValue()
    v.list.s.extend(r.choice([[b"loc:@" + any_node(g, r).name.encode()], [b"loc:@nowhere"], [b"x"], [b"loc:@"], [b"loc:x"],
                              [b"loc:@" + any_node(g, r).name.encode(), b"loc:@nowhere"], []]))
    if r.random() < .15:
        v.s = b"loc:@" + any_node(g, r).name.encode()
    n.attr["_class"].CopyFrom(v)


@mutation
def output_shapes(g, r, o):
    n, v = any_node(g, r), attr_value_pb2.AttrValue()
    v.list.SetInParent()
    for _ in range(r.choice([0, 1, 1, 1, 1, 2])):
        s = v.list.shape.add()
        for d in r.choice([[], [1], [2], [-1], [-2], [2, 2], [-1, -1], [1 << 62, 8]]):
            s.dim.add().size = d
        s.unknown_rank = r.random() < .3
    if r.random() < .1:
        v.s = b"x"
    n.attr["_output_shapes"].CopyFrom(v)


@mutation
def device(g, r, o):
    any_node(g, r).device = r.choice(DEVICES)


@mutation
def versions(g, r, o):
    v = g.versions
    v.producer = r.choice([0, 1, 5, 7, 8, 9, 11, 12, 15, 17, 20, 21, 25, 27, 100, 2473, 2474, 2475, 2495, 2496, 99999, -1])
    if r.random() < .4:
        v.min_consumer = r.choice([0, 12, 2474, 2475, -1, 99999])
    if r.random() < .4:
        v.bad_consumers.extend(r.choice([[1], [2474], [3, 1, 3], [2475], [-1]]))


@mutation
def old_producer(g, r, o):
    g.versions.producer = r.choice([0, 4, 7, 8, 9, 10, 11, 13, 15, 20, 21, 22, 26])
    n = any_node(g, r)
    n.op, old = r.choice(DEPRECATED), n.op


@mutation
def no_versions(g, r, o):
    g.ClearField("versions")


@mutation
def old_version_field(g, r, o):
    g.ClearField("versions")
    g.version = r.choice([5, 21, -1])


@mutation
def cycle(g, r, o):
    a, b = any_node(g, r), any_node(g, r)
    a.input.append("^" + b.name)
    b.input.append("^" + a.name)


@mutation
def loop(g, r, o):
    """A Merge with a back edge, in several states of health."""
    src = node_with(g, r, lambda n: "T" in n.attr or "dtype" in n.attr)
    if not src:
        return
    t = src.attr["T" if "T" in src.attr else "dtype"].type
    ops = [("Enter", "e", [src.name]), ("Merge", "mm", ["e", "nn"]), ("NextIteration", "nn", ["mm"])]
    r.shuffle(ops)
    for op, name, inputs in ops:
        n = g.node.add(name=name, op=op)
        n.input.extend(inputs)
        n.attr["T"].type = t
        if op == "Enter":
            n.attr["frame_name"].s = b"L"
        if op == "Merge":
            n.attr["N"].i = 2
    by = {n.name: n for n in g.node}
    what = r.randrange(9)
    if what == 1:
        by["nn"].op = "Identity"
    elif what == 2:
        by["mm"].input[1] = "nn:1"
    elif what == 3:
        by["nn"].attr["T"].type = 3 if t != 3 else 1
        by["nn"].input[0] = any_node(g, r).name
    elif what == 4:
        del by["mm"].input[0]
        by["mm"].attr["N"].i = 1
    elif what == 5:
        by["mm"].input.append("^nn")
    elif what == 6:
        by["mm"].input[0] = "nn"
    elif what == 7:
        by["mm"].input[0], by["mm"].input[1] = by["mm"].input[1], by["mm"].input[0]
    elif what == 8:
        by["nn"].op = by["mm"].op = "Neg"


@mutation
def library(g, r, o):
    what = r.randrange(12)
    name = r.choice(["f", "f", "g", "Neg", "9f", "f-g", "lower_case", "F/x", "_f"])
    g.library.function.add().CopyFrom(function(name))
    f = g.library.function[-1]
    if what == 1:
        g.library.function.add().CopyFrom(f)
    elif what == 2:
        g.library.function.add().CopyFrom(function(name, "Abs"))
    elif what == 3:
        g.library.gradient.add(function_name=name, gradient_func="g")
    elif what == 4:
        g.library.gradient.add(function_name=name, gradient_func="g")
        g.library.gradient.add(function_name=name, gradient_func="h")
    elif what == 5:
        f.node_def[0].op = "NoSuchOp"
    elif what == 6:
        f.signature.attr.add(name="T", type="type")
        f.signature.input_arg[0].ClearField("type")
        f.signature.input_arg[0].type_attr = "T"
    elif what == 8:
        f.signature.is_stateful = True
        f.attr["_noinline"].b = True
    elif what == 9:
        f.signature.attr.add(name="T", type=r.choice(["type", "list(type)", "int"]))
    elif what == 10:
        f.ret["z"] = "nowhere:0"
    elif what == 11:
        f.signature.input_arg.add(name="x", type=1)
    if r.random() < .6:
        n = g.node.add(name="call", op=name or "f")
        n.input.append(any_node(g, r).name)
        if r.random() < .2:
            n.attr["T"].type = 1
        if r.random() < .1:
            del n.input[:]


@mutation
def order(g, r, o):
    nodes = list(g.node)
    r.shuffle(nodes)
    nodes = [type(n).FromString(n.SerializeToString()) for n in nodes]
    del g.node[:]
    g.node.extend(nodes)


@mutation
def prefix(g, r, o):
    o["prefix"] = r.choice(["m", "m/", "a/b", "_p", "p//", "p q", "/", "x", "s", "s/t", "p>q", ".", "in", "m_1", "s/t/u"])
    o["uniquify_prefix"] = r.random() < .4
    o["uniquify_names"] = r.random() < .3


@mutation
def uniquify(g, r, o):
    o["uniquify_names"] = True
    into = INTO_NAMES
    for _ in range(r.choice([1, 2, 3])):
        n, new = any_node(g, r), r.choice(into + ["s", "s/t", "in_1", "x_1", "m", "in/y"])
        if any(m.name == new for m in g.node):
            continue
        old, n.name = n.name, new
        for m in g.node:
            for i, text in enumerate(m.input):
                name, index = tensor_id(text)
                if name == old:
                    m.input[i] = text_of(new, index)
    if r.random() < .3:
        v = attr_value_pb2.AttrValue()
        v.list.s.append(b"loc:@" + any_node(g, r).name.encode())
        any_node(g, r).attr["_class"].CopyFrom(v)


@mutation
def collide(g, r, o):
    any_node(g, r).name = r.choice(INTO_NAMES + ["s", "s/t", "in/y"])


def targets(r):
    return r.choice(["in:0", "ii:0", "split:0", "split:1", "x:0", "v:0", "split:7", "noop:0", "s/t/u:0"])


@mutation
def input_map(g, r, o):
    keys = [t for n in g.node for t in n.input] + ["nothing", any_node(g, r).name + ":5", "^nothing"]
    m = o.setdefault("input_map", {})
    for _ in range(r.choice([1, 1, 2, 3])):
        name, index = tensor_id(r.choice(keys))
        if r.random() < .1:
            index = r.choice([0, 1, 5])
        m[text_of(name, index)] = "^" + r.choice(INTO_NAMES) if index == CONTROL else targets(r)


@mutation
def control_dependencies(g, r, o):
    o["control_dependencies"] = r.choices(INTO_NAMES, k=r.choice([1, 2, 3]))


@mutation
def return_tensors(g, r, o):
    name = any_node(g, r).name
    ids = [name + ":0", name + ":1", "nowhere:0", any_node(g, r).name + ":0", name + ":0"]
    ids += [k for k in o.get("input_map", {}) if k[0] != "^"]
    o["return_tensors"] = r.choices(ids, [6, 1, 1, 6, 6] + [3] * (len(ids) - 5), k=r.choice([1, 2, 3]))


@mutation
def return_nodes(g, r, o):
    o["return_nodes"] = r.choices([any_node(g, r).name, any_node(g, r).name, "nowhere"], [5, 5, 1], k=r.choice([1, 2]))


@mutation
def default_device(g, r, o):
    o["default_device"] = r.choice(DEVICES)


def op_graph(op, r):
    """A graph of one node of an operation and placeholders for its inputs."""
    g = graph_pb2.GraphDef()
    g.versions.producer = 2474 if not op.HasField("deprecation") else op.deprecation.version - 1
    n = g.node.add(name="n", op=op.name)
    values = {}
    for a in op.attr:
        if a.HasField("default_value") and r.random() < .7:
            values[a.name] = a.default_value
            continue
        v = values[a.name] = attr_value_pb2.AttrValue()
        kind = a.type[5:-1] if a.type.startswith("list(") else a.type
        into, count = v, 0
        if kind != a.type:
            v.list.SetInParent()
            into, count = v.list, max(a.minimum, r.choice([0, 1, 2]))
        allowed = a.allowed_values.list
        pick = {
            "type": lambda: r.choice(allowed.type or [1, 3, 7, 9]), "string": lambda: r.choice(allowed.s or [b"", b"x"]),
            "int": lambda: max(a.minimum, r.choice([0, 1, 2])) if a.has_minimum else r.choice([0, 1, 2, -1]),
            "float": lambda: r.choice([0., .5, 1.]), "bool": lambda: r.random() < .5}
        field = {"type": "type", "string": "s", "int": "i", "float": "f", "bool": "b"}.get(kind)
        if field:
            if count or into is not v:
                getattr(into, field).extend(pick[kind]() for _ in range(count))
            else:
                setattr(v, field, pick[kind]())
        for _ in range(count if into is not v else 1):
            if kind == "shape":
                shape = into.shape.add() if into is not v else v.shape
                shape.SetInParent()
                for d in r.choice([[], [2], [2, 3], [-1, 2]]):
                    shape.dim.add().size = d
            elif kind == "tensor":
                t = into.tensor.add() if into is not v else v.tensor
                t.CopyFrom(tf.make_tensor_proto(r.choice([1., [1., 2.]])))
            elif kind == "func":
                (into.func.add() if into is not v else v.func).name = "f"
    for name, v in values.items():
        if v != next(a for a in op.attr if a.name == name).default_value or r.random() < .5:
            n.attr[name].CopyFrom(v)
    for arg in op.input_arg:
        types = [arg.type]
        if arg.type_list_attr:
            types = list(values[arg.type_list_attr].list.type)
        elif arg.type_attr:
            types = [values[arg.type_attr].type]
        if arg.number_attr:
            types *= max(values[arg.number_attr].i, 0)
        for k, t in enumerate(types):
            name = "%s_%d" % (arg.name, k)
            while any(m.name == name for m in g.node):
                name += "x"
            m = g.node.add(name=name, op="VariableV2" if arg.is_ref else "Placeholder")
            m.attr["dtype"].type = t
            if arg.is_ref or r.random() < .3:
                m.attr["shape"].shape.SetInParent()
                for d in r.choice([[], [2], [2, 3], [-1, 2], [4, 4, 4, 4]]):
                    m.attr["shape"].shape.dim.add().size = d
            n.input.append(m.name)
    if any(v.WhichOneof("value") == "func" or v.list.func for v in values.values()):
        g.library.function.add().CopyFrom(function("f"))
    return g
