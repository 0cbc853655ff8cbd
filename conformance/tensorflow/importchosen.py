"""Imports worth recording, chosen by hand; imports.py --chosen records them."""
from tensorflow.core.framework import attr_value_pb2, graph_pb2, node_def_pb2

NUMBERS = {"float": 1, "double": 2, "int32": 3, "string": 7, "int64": 9, "bool": 10, "float_ref": 101}


def function(name, op="Neg", attr="T"):
    f = graph_pb2.GraphDef().library.function.add()
    f.signature.name = name
    f.signature.input_arg.add(name="x", type=1)
    f.signature.output_arg.add(name="y", type=1)
    n = f.node_def.add(name="r", op=op, input=["x"])
    n.attr[attr].type = 1
    f.ret["y"] = "r:y:0"
    return f


def node(name, op, *inputs, device="", **attrs):
    """A NodeDef; text that names a type is one, another text is a string."""
    n = node_def_pb2.NodeDef(name=name, op=op, input=inputs, device=device)
    for key, value in attrs.items():
        v = n.attr[key]
        if isinstance(value, attr_value_pb2.AttrValue):
            v.CopyFrom(value)
        elif value in NUMBERS:
            v.type = NUMBERS[value]
        elif isinstance(value, str):
            v.s = value.encode()
        elif isinstance(value, bool):
            v.b = value
        elif isinstance(value, int):
            v.i = value
    return n


def shapes(*dims):
    v = attr_value_pb2.AttrValue()
    v.list.SetInParent()
    for d in dims:
        s = v.list.shape.add()
        for size in d:
            s.dim.add().size = size
    return v


def strings(*values):
    v = attr_value_pb2.AttrValue()
    v.list.s.extend(s.encode() for s in values)
    return v


def number(n):
    return attr_value_pb2.AttrValue(type=n)


def chosen():
    """Yields name, GraphDef and options; "into" among them says to go into the graph of into_graph."""
    x, y = node("x", "Placeholder", dtype="float"), node("y", "Neg", "x", T="float")
    p, f = node("p", "Placeholder", dtype="float"), node("f", "Enter", "p", T="float", frame_name="L")
    m, n = node("m", "Merge", "f", "n", T="float", N=2), node("n", "NextIteration", "m", T="float")
    neg = lambda name, *inputs, **attrs: node(name, "Neg", *inputs, T="float", **attrs)
    old = lambda **attrs: node("t", "TopK", "x", **attrs)
    var = node("v", "VariableV2", dtype="float", shape=attr_value_pb2.AttrValue(shape={}))
    both = lambda *functions: (lambda g: (g.library.function.extend(functions), g)[1])
    into = {"into": True}

    def versions(producer, min_consumer=0, bad=()):
        return lambda g: g.versions.MergeFrom(type(g.versions)(producer=producer, min_consumer=min_consumer, bad_consumers=bad))

    def gradients(*pairs):
        def add(g):
            for name in ("g", "h", "k"):
                g.library.function.add().CopyFrom(function(name))
            for a, b in pairs:
                g.library.gradient.add(function_name=a, gradient_func=b)
        return add

    yield "cycle_and_what_takes_from_it", [x, neg("a", "b"), neg("b", "a"), neg("c", "b"), neg("d", "x")], {}
    yield "cycle_after_unknown_op", [node("q", "NoSuchOp"), neg("a", "b"), neg("b", "a")], {}
    yield "cycle_before_unknown_op", [node("q", "NoSuchOp", "a"), neg("a", "b"), neg("b", "a")], {}
    yield "cycle_of_controls", [x, neg("a", "x", "^b"), neg("b", "x", "^a")], {}
    yield "cycle_of_one", [neg("a", "a")], {}
    yield "merge_of_back_edges_only", [node("m", "Merge", "n", T="float", N=1), n], {}
    yield "merge_first", [m, n, f, p], {}
    yield "back_edge_of_no_output", [p, f, node("m", "Merge", "f", "n:1", T="float", N=2), n], {"prefix": "w"}
    yield "back_edge_of_other_type", [p, f, m, node("n", "NextIteration", "i", T="int32"), node("i", "Placeholder", dtype="int32")], {}
    yield "order_by_position", [neg("z", "y"), node("w", "NoOp"), y, x, node("v", "NoOp", "^z")], {}
    yield "no_such_output_under_prefix", [x, neg("y", "x:1")], {"prefix": "m"}
    yield "output_in_other_words", [x, neg("y", "x:00"), neg("z", "y:0", "^x", "^y", "^x")], {}
    yield "control_before_data", [x, neg("y", "^x", "x")], {}
    yield "control_before_data_comes_first", [neg("y", "^x", "nowhere"), node("a b", "NoOp")], {}
    yield "name_taken_comes_first", [x, x], into
    yield "map_to_no_output", [x, y], {**into, "prefix": "k", "input_map": {"x:0": "split:7"}}
    yield "map_to_no_output_unused", [x, neg("y", "x")], {**into, "prefix": "k", "input_map": {"q:0": "split:7"}}
    yield "map_to_second_output", [x, y], {**into, "prefix": "k", "input_map": {"x:0": "split:1", "x:4": "in:0"}}
    yield "map_controls_to_one", [node("a", "NoOp"), node("b", "NoOp"), node("c", "NoOp", "^a", "^b")], {
        **into, "prefix": "k", "input_map": {"^a": "^noop", "^b": "^noop"}}
    yield "map_and_control_dependency", [x, y, node("z", "NoOp", "^y")], {
        **into, "prefix": "k", "input_map": {"x:0": "in:0"}, "control_dependencies": ["noop", "in"]}
    yield "control_dependency_in_loop", [p, f, m, n], {**into, "control_dependencies": ["noop"]}
    yield "return_controls_and_mapped", [x, y], {
        **into, "prefix": "k", "input_map": {"x:0": "split:1"}, "return_tensors": ["x:0", "y:0"], "return_nodes": ["x", "y"]}
    yield "return_unknown", [x], {"return_nodes": ["q"]}
    yield "prefix_of_slash", [x], {"prefix": "/"}
    yield "prefix_ends_in_slash", [x, y], {"prefix": "a/b/"}
    yield "prefix_unique_is_scope", [x, y], {**into, "prefix": "s/t", "uniquify_prefix": True}
    yield "uniquify_scope", [node("s", "NoOp"), node("s_1", "NoOp"), node("split", "NoOp", "^s")], {**into, "uniquify_names": True}
    yield "uniquify_colocated", [x, neg("y", "x", _class=strings("loc:@x", "loc:@y", "other"))], {**into, "uniquify_names": True}
    yield "uniquify_names_and_prefix", [x, y], {**into, "prefix": "k", "uniquify_names": True, "uniquify_prefix": True}
    yield "name_of_two_parts", [node("a>b/c", "NoOp")], {}
    yield "name_ends_in_angle", [node("a>", "NoOp")], {}
    yield "name_internal", [node("_a", "NoOp")], {}
    yield "colocated_with_unknown", [x, neg("y", "x", _class=strings("loc:@nowhere"))], {}
    yield "colocation_of_other_form", [x, neg("y", "x", _class=strings("x", "loc:x"))], {"prefix": "m"}
    yield "shapes_too_few", [node("s", "Split", "d", "x", T="float", num_split=2, _output_shapes=shapes([])), x, node("d", "Placeholder", dtype="int32")], {}
    yield "shapes_too_many", [node("x", "Placeholder", dtype="float", _output_shapes=shapes([2], []))], {}
    yield "shapes_contradict", [node("x", "Placeholder", dtype="float", shape=attr_value_pb2.AttrValue(
        shape={"dim": [{"size": 3}]}), _output_shapes=shapes([2]))], {}
    yield "shapes_of_other_kind", [node("x", "Placeholder", dtype="float", _output_shapes="red")], {}
    yield "shapes_not_possible", [node("x", "Placeholder", dtype="float", _output_shapes=shapes([-2]))], {}
    yield "attrs_missing", [x, node("c", "Cast", "x")], {"prefix": "m"}
    yield "attr_is_empty_list", [x, node("y", "Neg", "x", T=strings())], {}
    yield "attr_of_unknown_type", [x, node("y", "Neg", "x", T=number(99))], {}
    yield "attr_of_reference_type", [x, node("y", "Neg", "x", T="float_ref")], {}
    yield "attr_of_no_type", [x, node("y", "Neg", "x", T=number(0))], {}
    yield "unknown_attr_of_unknown_type", [node("x", "Placeholder", dtype="float", colour=number(99))], {}
    yield "unknown_attr_of_impossible_shape", [node("x", "Placeholder", dtype="float", colour=shapes([2], [-2]))], {"prefix": "m"}
    yield "attr_below_minimum", [x, node("s", "Split", "d", "x", T="float", num_split=0), node("d", "Placeholder", dtype="int32")], {}
    yield "attr_not_allowed", [x, node("s", "Neg", "x", T="string")], {}
    yield "removed_op", [x, old(k=1, T="float")], {}, versions(20)
    yield "removed_op_of_old_graph", [x, old(k=1, T="float")], {}, versions(6)
    yield "removed_op_without_attr", [x, old(T="float")], {}, versions(20)
    yield "removed_op_into_newer_graph", [x, old(k=1, T="float")], {**into, "prefix": "k"}, versions(6)
    yield "reference_read", [var, neg("y", "v")], {}
    yield "reference_wanted", [x, node("a", "Assign", "x", "x", T="float")], {}
    yield "bad_consumers_together", [x], {"prefix": "m"}, versions(30, 5, [9, 3, 9])
    yield "bad_consumer", [x], {}, versions(30, 5, [2474])
    yield "much_newer_producer", [x, node("y", "NoSuchOp")], {}, versions(99999)
    yield "function_of_operations_name", [x], {}, both(function("Neg"))
    yield "function_twice", [node("c", "f", "x"), x], {"prefix": "m"}, both(function("f"), function("f"))
    yield "function_of_other_body", [x], {}, both(function("f"), function("f", "Abs"))
    yield "function_without_input", [node("c", "f")], {}, both(function("f"))
    yield "gradient_twice", [x], {}, gradients(("g", "h"), ("g", "h"))
    yield "gradient_of_other_function", [x], {}, gradients(("g", "h"), ("g", "k"))
    yield "default_device", [x, neg("y", "x", device="/job:w")], {"default_device": "/device:CPU:1", "prefix": "m"}
