"""Records lists, barriers and stacks.

usage: python holders.py FOLDER

Each case becomes FOLDER/NAME with case.json, graph.pb and tensors, in the form of all
conformance cases.
"""
import json
import os
import shutil
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_data_flow_ops as flow
from tensorflow.python.ops import gen_list_ops as lists

tf1 = tf.compat.v1
tf1.disable_eager_execution()
CODES = {getattr(tf.errors, n): n for n in dir(tf.errors) if n.isupper() and isinstance(getattr(tf.errors, n), int)}
CASES = []


def case(build):
    """Registers a function that builds a graph and returns its steps."""
    CASES.append(build)
    return build


def step(*fetches, targets=()):
    return list(fetches), list(targets), None


def fails(words, *fetches, targets=()):
    return list(fetches), list(targets), words


def record(folder, build):
    g = tf.Graph()
    with g.as_default():
        steps = build()
    folder = os.path.join(folder, build.__name__)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, 'graph.pb'), 'wb') as f:
        f.write(g.as_graph_def().SerializeToString(deterministic=True))
    files, script = {}, []
    config = tf1.ConfigProto(operation_timeout_in_ms=5000)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf1.Session(graph=g, config=config) as s:
        for i, (fetches, targets, words) in enumerate(steps):
            done = {'feeds': {}, 'fetches': [f.name for f in fetches], 'targets': [t.name for t in targets]}
            try:
                got = s.run([fetches, targets])[0]
                done['expect'] = []
                for fetch, value in zip(fetches, got):
                    b = tf.make_tensor_proto(value, dtype=fetch.dtype).SerializeToString()
                    if b not in files:
                        files[b] = 't%d.tensor' % len(files)
                        with open(os.path.join(folder, files[b]), 'wb') as f:
                            f.write(b)
                    done['expect'].append(files[b])
                if words:
                    print('%s step %d does not fail' % (build.__name__, i))
            except tf.errors.OpError as e:
                if words is None or words not in e.message:
                    print('%s step %d: %s: %r' % (build.__name__, i, CODES[e.error_code], e.message[:300]))
                done['error'] = {'code': CODES[e.error_code], 'contains': words or ''}
            script.append(done)
    with open(os.path.join(folder, 'case.json'), 'w') as f:
        json.dump({'about': build.__doc__.strip(), 'tags': [], 'ops': sorted({n.op for n in g.as_graph_def().node}),
                   'tolerance': {'exact': True}, 'steps': script}, f, separators=(',', ':'))


F = tf.float32
i32 = lambda *x: tf.constant(list(x), tf.int32)


def hidden(shape):
    """A shape that is known when a step runs, so that none is refused before."""
    return tf1.placeholder_with_default(np.int32(shape), None)


def reserve(n, shape=-1):
    return lists.tensor_list_reserve(shape, n, F)


def put(h, i, x):
    return lists.tensor_list_set_item(h, i, tf.constant(x, F))


def unlike():
    """A list of elements of unlike shapes, of which one is not set."""
    h = reserve(5)
    for i, x in enumerate([[1, 2], [3, 4, 5], [6, 7], [[8, 9]]]):
        h = put(h, i, x)
    return h


def gather(h, indices, shape=-1):
    return lists.tensor_list_gather(h, indices, hidden(shape), F)


@case
def list_gather_unlike():
    """Some elements are gathered of a list whose others have other shapes."""
    h = unlike()
    return [
        step(gather(h, i32(0, 2))),
        step(gather(h, i32(2, 0, 2))),
        step(gather(h, i32(1))),
        step(gather(h, i32(3, 3))),
        step(gather(h, i32(0, 2), [2])),
        step(gather(h, i32(0, 2), [-1])),
        step(gather(h, i32(0, 4, 2))),
        step(gather(h, i32(4, 4), [2, 1])),
        step(gather(h, i32(4), [3])),
        step(gather(h, i32(1, 4), [3])),
    ]


@case
def list_gather_refused():
    """What cannot be gathered of a list of unlike elements."""
    h = unlike()
    return [
        fails('', gather(h, i32(0, 1))),
        fails('', gather(h, i32(0, 3))),
        fails('', gather(h, i32(0, 2), [3])),
        fails('', gather(h, i32(4))),
        fails('', gather(h, i32(4), [-1])),
        fails('', gather(h, i32(5))),
        fails('', gather(h, i32(-1))),
        step(gather(h, i32(0))),
    ]


@case
def list_gather_none():
    """No elements are gathered: the shape must be known."""
    h = unlike()
    none = tf.zeros([0], tf.int32)
    known = put(put(reserve(2, [2]), 0, [1, 2]), 1, [3, 4])
    return [
        step(gather(h, none, [2, 3])),
        fails('', gather(h, none)),
        fails('', gather(h, none, [-1, 3])),
        step(gather(known, none)),
        step(gather(known, none, [2])),
    ]


@case
def list_gather_scattered():
    """Elements are gathered of what was scattered to a list, with places between."""
    h = lists.tensor_list_scatter_v2(tf.constant([[1., 2.], [3., 4.]]), i32(3, 1), [2], -1)
    return [
        step(gather(h, i32(3, 1))),
        step(gather(h, i32(0, 1, 2, 3))),
        step(lists.tensor_list_stack(h, -1, F)),
        step(lists.tensor_list_length(h)),
    ]


def concat(h, shape, lengths=()):
    return list(lists.tensor_list_concat_v2(h, hidden(shape), tf.constant(list(lengths), tf.int64), F))


@case
def list_concat_unset():
    """Elements that are not set have the lengths that are given, and zeros."""
    h = reserve(3, [-1, 2])
    first = put(h, 0, [[1, 2]])
    middle = put(h, 1, [[1, 2], [3, 4]])
    last = put(h, 2, [[5, 6]])
    return [
        step(*concat(h, [-1, 2], [1, 2, 3])),
        step(*concat(h, [2, 2], [1, 2, 3])),
        step(*concat(h, [-1, 2], [0, 0, 0])),
        step(*concat(first, [-1, 2], [1, 2, 3])),
        step(*concat(first, [-1, 2], [7, 2, 0])),
        step(*concat(middle, [-1, 2], [1, 2, 3])),
        step(*concat(middle, [-1, 2], [3, 1, 2])),
        step(*concat(last, [-1, 2], [2, 1, 1])),
        step(*concat(last, [-1, 2], [0, 2, 5])),
    ]


@case
def list_concat_unset_of_known_shape():
    """Elements that are not set have the shape of the elements where that is known."""
    h = reserve(3, [2, 2])
    middle = put(h, 1, [[1, 2], [3, 4]])
    return [
        step(*concat(h, [2, 2])),
        step(*concat(h, [-1, 2])),
        step(*concat(h, [-1, -1])),
        step(*concat(h, -1)),
        step(*concat(middle, [2, 2])),
        step(*concat(middle, -1)),
        step(*concat(middle, [2, 2], [2, 2, 2])),
        step(*concat(middle, [2, 2], [1, 1, 1])),
    ]


@case
def list_concat_refused():
    """Lists that cannot be concatenated."""
    h = reserve(3, [-1, 2])
    free = reserve(2)
    one = put(free, 0, [[1, 2]])
    two = put(one, 1, [[1, 2, 3]])
    return [
        fails('', *concat(h, [-1, 2])),
        fails('', *concat(h, [-1, 2], [1, 2])),
        fails('', *concat(h, [-1, 3], [1, 2, 3])),
        fails('', *concat(free, -1, [1, 2])),
        fails('', *concat(one, -1)),
        step(*concat(one, [-1, 2], [1, 2])),
        fails('', *concat(two, -1)),
        fails('', *concat(put(free, 0, 1), -1, [1, 1])),
    ]


@case
def list_stack_unset():
    """Elements that are not set are zeros where their shape is known."""
    h = put(reserve(3), 1, [1, 2])
    return [
        step(lists.tensor_list_stack(h, -1, F)),
        step(lists.tensor_list_stack(h, [2], F)),
        fails('', lists.tensor_list_stack(h, hidden([3]), F)),
        fails('', lists.tensor_list_stack(reserve(2), -1, F)),
        step(lists.tensor_list_stack(reserve(2), [3], F)),
        step(lists.tensor_list_get_item(h, 0, [2], F)),
        step(lists.tensor_list_get_item(h, 1, -1, F)),
    ]


def barrier(types, shapes):
    return flow.barrier(types, shapes=shapes, shared_name='b', name='b')


def insert(b, i, keys, values, dtype=F):
    return flow.barrier_insert_many(b, tf.constant(keys), tf.constant(values, dtype), i)


def take(b, n, types, small=False):
    return tf.nest.flatten(list(flow.barrier_take_many(b, n, types, allow_small_batch=small)))


@case
def barrier_unknown_shape():
    """A component of unknown shape."""
    types = [F, tf.int32]
    b = barrier(types, [None, [2]])
    ready, incomplete = flow.barrier_ready_size(b), flow.barrier_incomplete_size(b)
    return [
        step(ready, incomplete),
        step(targets=[insert(b, 0, ['a', 'b'], [1., 2.])]),
        step(ready, incomplete),
        step(targets=[insert(b, 1, ['b', 'c'], [[3, 4], [5, 6]], tf.int32)]),
        step(ready, incomplete),
        step(*take(b, 1, types)),
        step(targets=[insert(b, 0, ['c'], [7.])]),
        step(targets=[insert(b, 1, ['a'], [[8, 9]], tf.int32)]),
        step(ready, incomplete),
        step(*take(b, 2, types)),
        step(ready, incomplete),
    ]


@case
def barrier_unknown_shapes_alone():
    """All components are of unknown shape."""
    types = [F, tf.string]
    b = barrier(types, [None, None])
    return [
        step(targets=[insert(b, 1, ['k', 'l', 'm'], ['x', 'y', 'z'], tf.string)]),
        step(targets=[insert(b, 0, ['m', 'k'], [1., 2.])]),
        step(*take(b, 2, types)),
        step(targets=[flow.barrier_close(b)]),
        fails('', targets=[insert(b, 0, ['n'], [3.])]),
        step(targets=[insert(b, 0, ['l'], [3.])]),
        step(*take(b, 5, types, True)),
        fails('', *take(b, 1, types)),
    ]


@case
def barrier_known_shapes():
    """Components of known shapes: elements come in the order in which their keys came."""
    types = [F, tf.int32]
    b = barrier(types, [[2], []])
    ready, incomplete = flow.barrier_ready_size(b), flow.barrier_incomplete_size(b)
    return [
        step(targets=[insert(b, 0, ['a', 'b', 'c'], [[1., 2.], [3., 4.], [5., 6.]])]),
        step(targets=[insert(b, 1, ['c', 'a'], [30, 10], tf.int32)]),
        step(ready, incomplete),
        step(*take(b, 2, types)),
        step(targets=[insert(b, 1, ['b'], [20], tf.int32)]),
        step(*take(b, 1, types)),
        step(ready, incomplete),
        fails('', targets=[insert(b, 2, ['d'], [[3., 4.]])]),
        step(ready, incomplete),
    ]


def stacked(h, x):
    return flow.stack_push_v2(h, tf.constant(x, F))


@case
def stack_of_one_name_twice():
    """Two stacks of one name are two."""
    h1 = flow.stack_v2(-1, F, stack_name='same')
    h2 = flow.stack_v2(-1, F, stack_name='same')
    with tf.control_dependencies([stacked(h1, 1.), stacked(h2, 10.)]):
        more = [stacked(h1, 2.)]
    with tf.control_dependencies(more):
        a = flow.stack_pop_v2(h1, F)
        b = flow.stack_pop_v2(h2, F)
    with tf.control_dependencies([a, b]):
        c = flow.stack_pop_v2(h1, F)
    with tf.control_dependencies([c]):
        d = flow.stack_pop_v2(h2, F)
    return [step(a, b, c), step(c, b, a), fails('', d)]


@case
def stack_of_one_name_by_reference():
    """Two stacks of one name, of the first kind, are two."""
    raw = tf.raw_ops
    h1 = raw.Stack(elem_type=F, stack_name='same')
    h2 = raw.Stack(elem_type=F, stack_name='same')
    push = lambda h, x: raw.StackPush(handle=h, elem=tf.constant(x, F))
    pop = lambda h: raw.StackPop(handle=h, elem_type=F)
    with tf.control_dependencies([push(h1, 4.), push(h2, 5.)]):
        a, b = pop(h1), pop(h2)
    with tf.control_dependencies([a, b]):
        close = raw.StackClose(handle=h1)
    with tf.control_dependencies([close]):
        empty = pop(h2)
    return [step(a, b), step(b, a), step(targets=[close]), fails('', empty)]


@case
def stack_of_one_name_in_a_loop():
    """Stacks of one name in the iterations of a loop are as many."""
    def body(i, total):
        h = flow.stack_v2(1, F, stack_name='same')
        with tf.control_dependencies([flow.stack_push_v2(h, tf.cast(i, F))]):
            return i + 1, total * 10 + tf.reshape(flow.stack_pop_v2(h, F), [])
    tf1.disable_control_flow_v2()
    total = tf1.while_loop(lambda i, total: i < 4, body, [1, 0.], parallel_iterations=1)[1]
    return [step(total), step(total)]


@case
def stack_limited():
    """A stack takes no more than it was made for."""
    h = flow.stack_v2(1, F, stack_name='small')
    with tf.control_dependencies([stacked(h, 1.)]):
        second = stacked(h, 2.)
    with tf.control_dependencies([stacked(h, 3.)]):
        pop = flow.stack_pop_v2(h, F)
    return [fails('overflowed its max_size (1)', second), step(pop), fails('is empty when calling Pop()', flow.stack_pop_v2(h, F))]


for build in CASES:
    if len(sys.argv) < 3 or build.__name__ in sys.argv[2:]:
        record(sys.argv[1], build)
