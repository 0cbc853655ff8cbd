"""Records what conditionals, loops and calls change of which only a part is asked for.

usage: python effects.py FOLDER

Each case becomes FOLDER/NAME with case.json, graph.pb and tensors, in the form of all
conformance cases. Six variables count what has run: "a" is changed for the first output
of a body, "b" for the second, "c" for nobody, but listed as a control output where the
case says so, "d" for nobody; "e" is changed for the second argument, outside, and "f"
before the node, by a control edge. A case runs what is asked for, then reads them, then
sets them to zero.
"""
import json
import os
import shutil
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2
from tensorflow.python.framework import graph_to_function_def
from tensorflow.python.ops import gen_functional_ops as functional
from tensorflow.python.ops import gen_resource_variable_ops as variables

tf1 = tf.compat.v1
tf1.disable_eager_execution()
LIBRARY = graph_pb2.GraphDef()
VARIABLES = 'abcdef'
ARGS = [tf.float32] * 2 + [tf.resource] * 4
LOOP_ARGS = [tf.int32] + ARGS


def function(name, types, build, stateful=True):
    """Adds a function; build returns its results and its control outputs."""
    g = tf.Graph()
    with g.as_default():
        tf.import_graph_def(graph_pb2.GraphDef(library=LIBRARY.library), name='')
        args = [tf1.placeholder(t, None if t == tf.resource else [], name='a%d' % i) for i, t in enumerate(types)]
        outs, controls = build(*args)
    ops = [o for o in g.get_operations() if o not in [a.op for a in args]]
    f = graph_to_function_def.graph_to_function_def(g, ops, args, outs, ['o%d' % i for i in range(len(outs))])
    f.signature.name = name
    f.signature.is_stateful = stateful
    for i, c in enumerate(controls):
        f.control_ret['c%d' % i] = c.name
        f.signature.control_output.append('c%d' % i)
    LIBRARY.library.function.append(f)


def named(name):
    return attr_value_pb2.NameAttrList(name=name)


def add(h, by):
    return variables.assign_add_variable_op(h, np.float32(by))


def outputs(x, y, h, by):
    with tf.control_dependencies([add(h[0], by)]):
        first = tf.identity(x + 1)
    with tf.control_dependencies([add(h[1], by)]):
        second = tf.identity(y * 2)
    c = add(h[2], by)
    add(h[3], by)
    return [first, second], c


def branch(by, listed):
    def build(x, y, *h):
        outs, c = outputs(x, y, h, by)
        return outs, [c] if listed else []
    return build


def turn(listed):
    def build(i, x, y, *h):
        outs, c = outputs(x, y, h, 1)
        return [i + 1] + outs + list(h), [c] if listed else []
    return build


def test(listed):
    def build(i, x, y, *h):
        c = add(h[2], 100)
        add(h[3], 100)
        return [i < 2], [c] if listed else []
    return build


for listed in (0, 1):
    for by in (1, 10, 100):
        function('branch%d_%d' % (by, listed), ARGS, branch(by, listed))
    function('turn_%d' % listed, LOOP_ARGS, turn(listed))
    function('test_%d' % listed, LOOP_ARGS, test(listed))
function('less', LOOP_ARGS, lambda i, *rest: ([i < 2], []), False)

# Kinds of nodes; a capital letter says that they are marked to be lowered.
KINDS = ('if', 'If', 'case', 'Case', 'while', 'While', 'changing', 'Changing', 'call', 'partitioned', 'byname')


def node(kind, listed, x, y, h):
    """The node and its two outputs."""
    h = list(h)
    low = kind.lower()
    b = [named('branch%d_%d' % (by, listed)) for by in (1, 10, 100)]
    two = [tf.float32] * 2
    if low == 'if':
        o = functional._if(x > 0, [x, y] + h, two, b[0], b[1])
    elif low == 'case':
        o = functional.case(tf.cast(x, tf.int32), [x, y] + h, two, [b[1], b[0], b[2]])
    elif low in ('while', 'changing'):
        cond = named('less' if low == 'while' else 'test_%d' % listed)
        o = functional._while([0, x, y] + h, cond, named('turn_%d' % listed))[1:]
    elif low == 'call':
        o = functional.stateful_partitioned_call([x, y] + h, two, b[0])
    elif low == 'partitioned':
        o = functional.partitioned_call([x, y] + h, two, b[0])
    elif low == 'byname':
        o = tf1.get_default_graph().create_op(b[0].name, [x, y] + h, two).outputs
    if kind != low:
        o[0].op._set_attr('_lower_using_switch_merge', attr_value_pb2.AttrValue(b=True))
    return o[0].op, o[:2]


INNER = ('if', 'If', 'While', 'Case', 'call')
for kind in INNER:
    for listed in (0, 1):
        for outer in (0, 1):
            def both(x, y, *h):
                op, outs = node(kind, listed, x, y, h)
                return [tf.identity(o) for o in outs], [op] if outer else []

            def one(x, y, *h):
                op, outs = node(kind, listed, x, y, h)
                return [tf.identity(y), tf.identity(outs[0])], [op] if outer else []
            def straight(x, y, *h):
                op, outs = node(kind, listed, x, y, h)
                return [outs[1], outs[0]], [op] if outer else []
            function('both_%s_%d_%d' % (kind, listed, outer), ARGS, both)
            function('straight_%s_%d_%d' % (kind, listed, outer), ARGS, straight)
            function('one_%s_%d_%d' % (kind, listed, outer), ARGS, one)


def around(kind, f, x, y, h):
    """A node whose body is a function that has another in it."""
    f, h, two = named(f), list(h), [tf.float32] * 2
    if kind.lower() == 'if':
        o = functional._if(x > 0, [x, y] + h, two, f, f)
    elif kind == 'call':
        o = functional.stateful_partitioned_call([x, y] + h, two, f)
    else:
        o = tf1.get_default_graph().create_op(f.name, [x, y] + h, two).outputs
    if kind == 'If':
        o[0].op._set_attr('_lower_using_switch_merge', attr_value_pb2.AttrValue(b=True))
    return o[0].op, o


def needed(graph):
    """The functions that a graph needs."""
    have, names = {f.signature.name: f for f in LIBRARY.library.function}, []

    def see(nodes):
        for n in nodes:
            called = [n.op] + [v.func.name for v in n.attr.values()] + [f.name for v in n.attr.values() for f in v.list.func]
            for name in called:
                if name in have and name not in names:
                    names.append(name)
                    see(have[name].node_def)
    see(graph.node)
    return [have[n] for n in sorted(names)]


def record(folder, name, about, make, x=1.):
    g = tf.Graph()
    with g.as_default():
        tf.import_graph_def(graph_pb2.GraphDef(library=LIBRARY.library), name='')
        h = [variables.var_handle_op(tf.float32, [], shared_name=n, name='v_' + n) for n in VARIABLES]
        zero = tf.group(*[variables.assign_variable_op(v, np.float32(0)) for v in h], name='zero')
        read = [variables.read_variable_op(v, tf.float32, name='read_' + n) for n, v in zip(VARIABLES, h)]
        x = tf1.placeholder_with_default(np.float32(x), [], name='x')
        with tf.control_dependencies([add(h[4], 1)]):
            y = tf.identity(x * 3, name='y')
        with tf.control_dependencies([add(h[5], 1)]):
            op, outs = make(x, y, h[:4])
        ids = [tf.identity(o, name='output_%d' % i) for i, o in enumerate(outs)]
        with tf.control_dependencies([op]):
            after = tf.no_op('after')
    graph = g.as_graph_def()
    del graph.library.function[:]
    graph.library.function.extend(needed(graph))
    g = tf.Graph()
    with g.as_default():
        tf.import_graph_def(graph, name='')
    asks = [
        (ids[:1], []), (ids[1:], []), (ids, []), (outs[:1], []), ([], [op]), ([], [after]), (ids[:1], [after]), (ids[1:], [op]),
    ]
    steps = [([], [zero])]
    for fetches, targets in asks:
        steps += [(fetches, targets), (read, []), ([], [zero])]
    config = tf1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    folder = os.path.join(folder, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, 'graph.pb'), 'wb') as f:
        f.write(graph.SerializeToString(deterministic=True))
    files, script, table = {}, [], []
    with tf1.Session(graph=g, config=config) as s:
        for fetches, targets in steps:
            names = [t.name for t in fetches]
            done = {'feeds': {}, 'fetches': names, 'targets': [t.name for t in targets], 'expect': []}
            for v in s.run([names, done['targets']])[0]:
                b = tf.make_tensor_proto(v, dtype=tf.float32).SerializeToString()
                if b not in files:
                    files[b] = 't%d.tensor' % len(files)
                    with open(os.path.join(folder, files[b]), 'wb') as f:
                        f.write(b)
                done['expect'].append(files[b])
            if fetches is read:
                table.append(','.join('%g' % v for v in s.run(names)))
            script.append(done)
    ops = sorted({n.op for n in graph.node} | {n.op for f in graph.library.function for n in f.node_def})
    with open(os.path.join(folder, 'case.json'), 'w') as f:
        json.dump({'about': about, 'tags': ['effects'], 'ops': ops, 'tolerance': {'exact': True}, 'steps': script}, f, separators=(',', ':'))
    print('%-26s' % name, '  '.join(table), flush=True)


def main(folder):
    marked = lambda kind: ('marked ' if kind != kind.lower() else '') + kind.lower()
    label = lambda kind: kind.lower() + ('_marked' if kind != kind.lower() else '')
    for kind in KINDS:
        for listed in (0, 1):
            about = 'what a %s changes of which some outputs are asked for, %s' % (marked(kind), 'with a control output' if listed else 'without control outputs')
            record(folder, '%s_%d' % (label(kind), listed), about, lambda x, y, h: node(kind, listed, x, y, h))
            if kind in ('If', 'Case'):
                record(folder, '%s_other_%d' % (label(kind), listed), about + ', the other branch', lambda x, y, h: node(kind, listed, x, y, h), -1.)
    for outside in ('If', 'if', 'call', 'byname'):
        for shape in ('both', 'straight', 'one'):
            for kind in INNER:
                for listed, outer in ((0, 0), (1, 0), (0, 1), (1, 1)):
                    if outside in ('if', 'byname') and (shape, listed, outer) not in (('both', 1, 1), ('straight', 1, 1)):
                        continue
                    f = '%s_%s_%d_%d' % (shape, kind, listed, outer)
                    record(folder, '%s_of_%s_%s_%d_%d' % (label(outside), shape, label(kind), listed, outer),
                           'what a %s changes in the body of a %s' % (marked(kind), marked(outside)), lambda x, y, h: around(outside, f, x, y, h))


main(sys.argv[1])
