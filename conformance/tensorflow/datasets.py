"""Records graphs of datasets, and of kernels that call functions.

usage: python datasets.py FOLDER

Each case becomes FOLDER/NAME with case.json, graph.pb and tensors, in the form
of all conformance cases. A graph gives what it makes as one tensor, where it
can: a pipeline is drained by a chain of IteratorGetNext nodes in one step.
"""
import json
import os
import shutil
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf
from tensorflow.python.data.ops import dataset_ops
from tensorflow.python.framework import function
from tensorflow.python.ops import gen_batch_ops, gen_dataset_ops, gen_functional_ops

tf1 = tf.compat.v1
OUT = sys.argv[1]
CASES = []


def case(build):
    """Registers a function that builds a graph and returns its steps."""
    CASES.append(build)
    return build


def step(fetches=(), targets=()):
    return {'fetches': [f.name for f in fetches], 'targets': [t.name for t in targets]}


CODES = {getattr(tf.errors, n): n for n in dir(tf.errors) if n.isupper() and isinstance(getattr(tf.errors, n), int)}


def record(build):
    name = build.__name__
    g = tf.Graph()
    with g.as_default():
        tf1.set_random_seed(None)
        steps = build()
    folder = os.path.join(OUT, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    graph_def = g.as_graph_def()
    for key in [n for n in graph_def.node if '_class' in n.attr]:
        del key.attr['_class']
    with open(os.path.join(folder, 'graph.pb'), 'wb') as f:
        f.write(graph_def.SerializeToString(deterministic=True))
    files, script = {}, []
    with tf1.Session(graph=g) as sess:
        for i, s in enumerate(steps):
            targets = [g.get_operation_by_name(t) for t in s['targets']]
            done = {'feeds': {}, 'fetches': s['fetches'], 'targets': s['targets']}
            try:
                got = sess.run([s['fetches'], targets])[0]
                done['expect'] = []
                for fetch, value in zip(s['fetches'], got):
                    t = g.get_tensor_by_name(fetch)
                    b = tf.make_tensor_proto(value, dtype=t.dtype).SerializeToString()
                    if b not in files:
                        files[b] = 't%d.tensor' % len(files)
                        with open(os.path.join(folder, files[b]), 'wb') as f:
                            f.write(b)
                    done['expect'].append(files[b])
            except tf.errors.OpError as e:
                words = s.get('words', None)
                if words is None or words not in e.message:
                    print('%s step %d: %s: %r' % (name, i, CODES[e.error_code], e.message[:300]))
                done['error'] = {'code': CODES[e.error_code], 'contains': words or ''}
            script.append(done)
    ops = sorted({n.op for n in g.as_graph_def().node} | {n.op for f in g.as_graph_def().library.function for n in f.node_def})
    with open(os.path.join(folder, 'case.json'), 'w') as f:
        json.dump({'about': (build.__doc__ or name).strip(), 'tags': [], 'ops': ops,
                   'tolerance': {'exact': True}, 'steps': script}, f, separators=(',', ':'))


def fails(words, fetches=(), targets=()):
    s = step(fetches, targets)
    s['words'] = words
    return s


def drain(ds, n, then='End of sequence'):
    """Steps: initialize; n elements in one go, stacked; the error after them."""
    it = tf1.data.make_initializable_iterator(ds)
    return pull(it, n, [step(targets=[it.initializer])], then)


def pull(it, n, before, then='End of sequence'):
    rows, last = [], None
    for _ in range(n):
        with tf.control_dependencies([last] if last is not None else []):
            e = tf.nest.flatten(it.get_next())
        last = e[0].op
        rows.append(e)
    stacked = [join([r[k] for r in rows]) for k in range(len(rows[0]))] if rows else []
    end = tf.nest.flatten(it.get_next())[0]
    steps = before + ([step(stacked)] if stacked else [])
    if then:
        steps += [fails(then, [end])]
    return steps


def join(parts):
    """One tensor of all: a stack, or, where shapes differ, text."""
    if all(p.shape == parts[0].shape and p.shape.is_fully_defined() for p in parts):
        return tf.stack(parts)
    return tf.stack([tf.strings.format('{}', p, summarize=-1) for p in parts])


D = tf.data.Dataset
# Sources.

@case
def range_of_int64():
    return drain(D.range(2, 11, 3), 3)


@case
def range_down_int32():
    return drain(D.range(5, 0, -2, output_type=tf.int32), 3)


@case
def range_empty():
    return drain(D.range(5, 5), 0)


@case
def range_step_zero():
    it = tf1.data.make_initializable_iterator(D.range(0, 5, tf1.placeholder_with_default(np.int64(0), [])))
    return [fails('step must be a non-zero integer.', targets=[it.initializer])]


@case
def tensors():
    return drain(D.from_tensors((np.float32([[1, 2], [3, 4]]), 'text')), 1)


@case
def tensor_slices():
    return drain(D.from_tensor_slices((np.float32([[1, 2], [3, 4], [5, 6]]), ['a', 'b', 'c'], np.int64([7, 8, 9]))), 3)


@case
def tensor_slices_of_different_sizes():
    p = tf1.placeholder_with_default(np.int32([1, 2]), [None])
    it = tf1.data.make_initializable_iterator(D.from_tensor_slices((np.int32([1, 2, 3]), p)))
    return [fails('All components must have the same size in the 0th dimension', targets=[it.initializer])]


@case
def sparse_tensor_slices():
    st = tf.SparseTensor(np.int64([[0, 1], [0, 3], [2, 0]]), np.float32([1, 2, 3]), np.int64([4, 5]))
    ds = dataset_ops.Dataset.from_sparse_tensor_slices if hasattr(dataset_ops.Dataset, 'from_sparse_tensor_slices') else tf1.data.Dataset.from_sparse_tensor_slices
    d = tf1.data.Dataset.from_sparse_tensor_slices(st)
    it = tf1.data.make_initializable_iterator(d)
    rows, last = [], None
    for _ in range(4):
        with tf.control_dependencies([last] if last is not None else []):
            e = it.get_next()
            e = [e.indices, e.values, e.dense_shape] if isinstance(e, tf.SparseTensor) else list(e)
        last = e[0].op
        rows.append(e)
    return [step(targets=[it.initializer]), step([join([r[k] for r in rows]) for k in range(3)])]


@case
def random_numbers():
    return drain(D.random(seed=7).take(6), 6)


@case
def random_numbers_again_and_again():
    return drain(D.random(seed=7, rerandomize_each_iteration=True).take(3).repeat(3), 9)


# Sequences.

@case
def repeat_take_skip():
    return drain(D.range(4).repeat(3).skip(3).take(6), 6)


@case
def repeat_for_ever():
    return drain(D.range(3).repeat(), 8, then=None)


@case
def repeat_empty_for_ever():
    return drain(D.range(0).repeat(), 0)


@case
def take_all_skip_all():
    return drain(D.range(3).take(-1).concatenate(D.range(5).skip(-1)), 3)


@case
def concatenate():
    return drain(D.range(2).concatenate(D.range(10, 13)).concatenate(D.range(1)), 6)


@case
def zip_shortest():
    return drain(D.zip((D.range(5), D.from_tensor_slices(['a', 'b', 'c']), D.range(9).batch(2))), 3)


@case
def zip_with_an_error():
    a = D.range(3).map(lambda x: tf.debugging.check_numerics(tf.cast(10 // x if False else 10, tf.float32) / tf.cast(x, tf.float32), 'bad'))
    it = tf1.data.make_initializable_iterator(D.zip((a, D.range(3))))
    x, y = it.get_next()
    return [step(targets=[it.initializer]), fails('bad : Tensor had Inf', [x]), step([x, y]), step([x, y]), fails('End of sequence', [x])]


@case
def shard():
    return drain(D.range(11).shard(3, 1).concatenate(D.range(11).shard(3, 2)), 7)


@case
def shard_out_of_range():
    it = tf1.data.make_initializable_iterator(D.range(11).shard(3, tf1.placeholder_with_default(np.int64(3), [])))
    return [fails('ndex must be between 0 and 2', targets=[it.initializer])]


@case
def choose_from():
    return drain(D.choose_from_datasets([D.range(3), D.range(10, 12), D.range(20, 29)], D.from_tensor_slices(np.int64([0, 1, 2, 1, 1, 0, 2, 0, 0, 2])), stop_on_empty_dataset=False), 8)


@case
def choose_from_stops():
    return drain(D.choose_from_datasets([D.range(3), D.range(10, 12), D.range(20, 29)], D.from_tensor_slices(np.int64([0, 1, 2, 1, 1, 0, 2])), stop_on_empty_dataset=True), 4)


@case
def choose_from_wrong():
    it = tf1.data.make_initializable_iterator(D.choose_from_datasets([D.range(3)], D.from_tensor_slices(np.int64([0, 1]))))
    x = it.get_next()
    return [step(targets=[it.initializer]), step([x]), fails('Selector index out of range: 1 >= 1', [x])]


@case
def assert_cardinality_low():
    it = tf1.data.make_initializable_iterator(D.range(2).apply(tf.data.experimental.assert_cardinality(3)))
    x = it.get_next()
    return [step(targets=[it.initializer]), step([x]), step([x]), fails('Input dataset was expected to contain 3 elements but contained only 2 elements.', [x])]


@case
def assert_cardinality_high():
    it = tf1.data.make_initializable_iterator(D.range(3).apply(tf.data.experimental.assert_cardinality(1)))
    x = it.get_next()
    return [step(targets=[it.initializer]), step([x]), fails('Input dataset was expected to contain 1 element but contained at least 2 elements.', [x])]


@case
def unique():
    return drain(D.from_tensor_slices(['a', 'b', 'a', 'c', 'b']).unique(), 3)


@case
def ignore_errors():
    return drain(D.from_tensor_slices(np.float32([1, 0, 2, 0])).map(lambda x: tf.debugging.check_numerics(1. / x, 'no')).ignore_errors(), 2)


@case
def rejected_sizes():
    d = D.range(3)
    p = lambda x: tf1.placeholder_with_default(np.int64(x), [])
    steps = []
    for words, ds in [('greater than zero', d.batch(p(0))), ('buffer_size must be greater than zero', d.shuffle(p(0), seed=1)),
                      ('must be greater than zero.', d.window(p(0), 1)), ('must be greater than zero.', d.window(2, p(0))),
                      ('buffer_size must be >= 0', d.prefetch(p(-2))), ('cycle_length must be greater than zero.', d.interleave(D.range, cycle_length=p(0))),
                      ('block_length must be greater than zero.', d.interleave(D.range, cycle_length=1, block_length=p(0))),
                      ('num_parallel_calls must be greater than zero.', d.map(lambda x: x, num_parallel_calls=p(0)))]:
        steps.append(fails(words, targets=[tf1.data.make_initializable_iterator(ds).initializer]))
    return steps


# Functions.

@case
def map_one():
    return drain(D.range(4).map(lambda x: x * x + 1), 4)


@case
def map_tuples_and_captures():
    y = tf1.placeholder_with_default(np.int64(100), [])
    return drain(D.zip((D.range(3), D.range(5, 8))).map(lambda a, b: (a * b + y, tf.strings.as_string(a))), 3)


@case
def map_with_control_flow():
    def collatz(n):
        return tf.while_loop(lambda n, k: n > 1, lambda n, k: (tf.where(n % 2 == 0, n // 2, 3 * n + 1), k + 1), [n, tf.constant(0)])[1]
    return drain(D.range(1, 10).map(collatz), 9)


@case
def map_with_a_call():
    @tf.function
    def f(x):
        return x + 1
    return drain(D.range(3).map(lambda x: f(f(x))), 3)


@case
def map_parallel():
    return drain(D.range(50).map(lambda x: x * 3, num_parallel_calls=4), 50)


@case
def map_parallel_autotune():
    return drain(D.range(9).map(lambda x: x * 3, num_parallel_calls=tf.data.AUTOTUNE), 9)


@case
def map_fails_in_the_midst():
    it = tf1.data.make_initializable_iterator(D.range(4).map(lambda x: tf.debugging.check_numerics(1. / tf.cast(x - 1, tf.float32), 'oops')))
    x = it.get_next()
    return [step(targets=[it.initializer]), step([x]), fails('oops : Tensor had Inf', [x]), step([x]), step([x]), fails('End of sequence', [x])]


@case
def map_parallel_fails_in_the_midst():
    it = tf1.data.make_initializable_iterator(D.range(4).map(lambda x: tf.debugging.check_numerics(1. / tf.cast(x - 1, tf.float32), 'oops'), num_parallel_calls=3))
    x = it.get_next()
    return [step(targets=[it.initializer]), step([x]), fails('oops : Tensor had Inf', [x]), step([x]), step([x]), fails('End of sequence', [x])]


@case
def map_of_a_seeded_draw():
    return drain(D.range(3).map(lambda x: tf.random.uniform([], seed=3, maxval=1000, dtype=tf.int32)).repeat(2), 6)


@case
def map_with_a_variable():
    v = tf1.get_variable('v', initializer=np.int64(5), use_resource=True)
    return [step(targets=[v.initializer])] + drain(D.range(3).map(lambda x: x + v), 3)


@case
def map_and_batch():
    d = tf.data.experimental.map_and_batch(lambda x: x * 2, 4, num_parallel_calls=2)
    return drain(D.range(10).apply(d), 3)


@case
def filtered():
    return drain(D.range(10).filter(lambda x: x % 3 == 1), 3)


@case
def filter_by_vector():
    it = tf1.data.make_initializable_iterator(D.range(3).filter(lambda x: tf.reshape(tf.constant(True), tf1.placeholder_with_default(np.int32([1]) if True else x, [None]) if False else [])))
    x = it.get_next()
    return [step(targets=[it.initializer]), step([x])]


@case
def take_while():
    return drain(D.range(10).take_while(lambda x: x < 4), 4)


@case
def scan():
    return drain(D.range(5).scan(np.int64(10), lambda s, x: (s + x, s * x)), 5)


@case
def flat_map():
    return drain(D.range(4).flat_map(lambda x: D.range(x).map(lambda y: x * 10 + y)), 6)


@case
def interleave():
    return drain(D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=3, block_length=2), 15)


@case
def interleave_one():
    return drain(D.range(1, 4).interleave(lambda x: D.range(x), cycle_length=1), 6)


@case
def interleave_wide():
    return drain(D.range(1, 5).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=10, block_length=1), 10)


@case
def interleave_parallel():
    return drain(D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=3, block_length=2, num_parallel_calls=2), 15)


@case
def interleave_parallel_empty():
    return drain(D.range(6).interleave(lambda x: D.from_tensors(x).repeat(x % 3), cycle_length=2, block_length=1, num_parallel_calls=2), 6)


@case
def group_by_window():
    return drain(D.range(11).group_by_window(lambda x: x % 3, lambda k, w: w.batch(2).map(lambda b: tf.reduce_sum(b) * 100 + k), window_size=3), 6)


@case
def group_by_window_of_sizes():
    return drain(D.range(12).group_by_window(lambda x: x % 3 - 1, lambda k, w: w.batch(9).map(lambda b: tf.size(b, tf.int64) * 100 + k), window_size_func=lambda k: k + 2), 8)


@case
def group_by_window_of_nothing():
    it = tf1.data.make_initializable_iterator(D.range(3).group_by_window(lambda x: x, lambda k, w: w, window_size_func=lambda k: k - 1))
    return [step(targets=[it.initializer]), fails('Window size must be greater than zero, but got -1.', [it.get_next()])]


@case
def buckets_by_length():
    d = D.range(1, 12).map(lambda x: tf.fill([(x * 7) % 5 + 1], x))
    return drain(d.bucket_by_sequence_length(lambda x: tf.size(x), [3, 5], [2, 2, 2]), 6)


@case
def enumerated():
    return drain(D.from_tensor_slices(['a', 'b', 'c']).enumerate(start=5), 3)


@case
def sample_from():
    return drain(D.sample_from_datasets([D.range(4), D.range(10, 14)], weights=[.3, .7], seed=4), 8)


@case
def sample_from_endless():
    return drain(D.sample_from_datasets([D.range(4).repeat(), D.range(10, 14).repeat()], seed=4).take(20), 20)


@case
def datasets_in_a_function():
    @tf.function
    def f(n):
        d = D.range(n).shuffle(4, seed=1).batch(3)
        return d.reduce(tf.constant(0, tf.int64), lambda s, x: s * 3 + tf.reduce_sum(x))
    return [step([f(tf1.placeholder_with_default(np.int64(10), []))])]


@case
def datasets_within_datasets():
    outer = D.range(3).map(lambda x: D.range(x + 1).batch(2).reduce(np.int64(0), lambda s, b: s + tf.reduce_sum(b)))
    return drain(outer, 3)


@case
def table_lookup_in_a_map():
    t = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1)
    init = tf1.tables_initializer()
    return [step(targets=[init])] + drain(D.from_tensor_slices(['b', 'c', 'a']).map(t.lookup), 3)


@case
def examples_parsed():
    ex = lambda i: tf.train.Example(features=tf.train.Features(feature={'x': tf.train.Feature(int64_list=tf.train.Int64List(value=[i])), 's': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'v%d' % i]))})).SerializeToString()
    spec = {'x': tf.io.FixedLenFeature([], tf.int64), 's': tf.io.FixedLenFeature([], tf.string)}
    return drain(D.from_tensor_slices([ex(i) for i in range(4)]).batch(2).map(lambda b: tf.io.parse_example(b, spec)), 2)


# Batches.

@case
def batch():
    return drain(D.range(7).batch(3), 3)


@case
def batch_without_remainder():
    return drain(D.range(7).batch(3, drop_remainder=True), 2)


@case
def batch_of_batches():
    return drain(D.from_tensor_slices((np.arange(24, dtype=np.float32).reshape(8, 3), ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])).batch(2).batch(3), 2)


@case
def batch_of_different_shapes():
    it = tf1.data.make_initializable_iterator(D.range(1, 5).map(lambda x: tf.fill([x], x)).batch(2))
    x = it.get_next()
    return [step(targets=[it.initializer]), fails('Cannot batch tensors with different shapes in component 0. First element had shape [1] and element 1 had shape [2].', [x])]


@case
def batch_ahead():
    return drain(D.range(7).batch(3, num_parallel_calls=2, deterministic=True), 3)


@case
def padded_batch():
    return drain(D.range(1, 6).map(lambda x: tf.fill([x, 2], x)).padded_batch(2, padded_shapes=[None, 3], padding_values=np.int64(-1)), 3)


@case
def padded_batch_of_strings():
    return drain(D.from_tensor_slices(['a b', 'c', 'd e f']).map(lambda s: (tf.strings.split([s]).values, tf.strings.length(s))).padded_batch(3, padded_shapes=([None], []), padding_values=('-', 0)), 1)


@case
def padded_batch_too_small():
    it = tf1.data.make_initializable_iterator(D.range(1, 5).map(lambda x: tf.fill([x], x)).padded_batch(4, padded_shapes=[3]))
    x = it.get_next()
    return [step(targets=[it.initializer]), fails('Attempted to pad to a smaller size than the input element.', [x])]


@case
def unbatch():
    return drain(D.range(7).batch(3).unbatch(), 7)


@case
def windows():
    return drain(D.range(9).window(3, shift=2, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)), 3)


@case
def windows_with_remainder():
    return drain(D.range(7).window(3).flat_map(lambda w: w.batch(5)), 3)


@case
def windows_apart():
    return drain(D.range(9).window(2, shift=4).flat_map(lambda w: w.batch(5)), 3)


# Order, memory, ahead.

@case
def shuffle():
    return drain(D.range(20).shuffle(7, seed=42), 20)


@case
def shuffle_whole():
    return drain(D.range(8).shuffle(100, seed=1), 8)


@case
def shuffle_anew():
    return drain(D.range(6).shuffle(4, seed=5, reshuffle_each_iteration=True).repeat(3), 18)


@case
def shuffle_the_same():
    return drain(D.range(6).shuffle(4, seed=5, reshuffle_each_iteration=False).repeat(2), 12)


@case
def shuffle_with_the_graphs_seed():
    tf1.set_random_seed(9)
    return drain(D.range(10).shuffle(5), 10)


@case
def shuffle_and_repeat():
    return drain(D.range(5).apply(tf.data.experimental.shuffle_and_repeat(7, count=4, seed=2)), 20)


@case
def cache():
    v = tf1.get_variable('v', initializer=np.int64(0), use_resource=True)
    return [step(targets=[v.initializer])] + drain(D.range(3).map(lambda x: x + v.assign_add(10)).cache().repeat(3), 9)


@case
def prefetch():
    return drain(D.range(9).prefetch(2).map(lambda x: x + 1).prefetch(tf.data.AUTOTUNE), 9)


@case
def many_stages():
    d = D.range(40).shuffle(10, seed=3).map(lambda x: (x, x * x), num_parallel_calls=3).filter(lambda x, y: x % 4 != 0)
    return drain(d.batch(4).prefetch(2).map(lambda x, y: tf.reduce_sum(x) + y[0]), 8)


@case
def options():
    o = tf.data.Options()
    o.deterministic = True
    o.threading.private_threadpool_size = 2
    o.threading.max_intra_op_parallelism = 1
    return drain(D.range(3).with_options(o), 3)


# Failures on the way.

def failing(n, at):
    """Numbers of which one cannot be had."""
    return D.range(n).map(lambda x: tf.cast(tf.debugging.check_numerics(1. / tf.cast(x - at, tf.float32), 'oops') * 0., tf.int64) + x)


def one_by_one(ds, expected):
    it = tf1.data.make_initializable_iterator(ds)
    x = tf.nest.flatten(it.get_next())[0]
    return [step(targets=[it.initializer])] + [step([x]) if ok else fails('oops : Tensor had Inf', [x]) for ok in expected] + [fails('End of sequence', [x])]


@case
def failure_in_a_batch():
    return one_by_one(failing(7, 3).batch(2), [1, 0, 1, 1])


@case
def failure_in_a_padded_batch():
    return one_by_one(failing(7, 3).padded_batch(2, []), [1, 0, 1, 1])


@case
def failure_before_prefetch():
    return one_by_one(failing(4, 1).prefetch(2), [1, 0, 1, 1])


@case
def failure_before_shuffle():
    return one_by_one(failing(4, 1).shuffle(1, seed=1), [1, 0, 1, 1])


@case
def failure_before_take_and_skip():
    return one_by_one(failing(6, 1).skip(1).take(3), [0, 1, 1, 1])


@case
def failure_before_a_window():
    return one_by_one(failing(7, 3).window(2).flat_map(lambda w: w.batch(2)), [1, 0, 1, 1])


@case
def failure_before_repeat():
    return one_by_one(failing(3, 1).repeat(2), [1, 0, 1, 1, 0, 1])


@case
def failure_before_filter():
    return one_by_one(failing(4, 1).filter(lambda x: x < 3), [1, 0, 1])


@case
def failure_before_a_cache():
    return one_by_one(failing(4, 1).cache(), [1, 0, 1, 1])


@case
def failure_before_unbatch():
    return one_by_one(failing(4, 1).batch(1).unbatch(), [1, 0, 1, 1])


@case
def failure_before_interleave():
    return one_by_one(failing(4, 1).interleave(lambda x: D.range(x, x + 2), cycle_length=2), [1, 0, 1, 1, 1, 1, 1])


@case
def failure_in_a_flat_map():
    return one_by_one(D.range(3).flat_map(lambda x: failing(3, x)), [0, 1, 1, 1, 0, 1, 1, 1, 0])


@case
def failure_in_a_scan():
    return one_by_one(failing(4, 1).scan(np.int64(0), lambda s, x: (s + x, s)), [1, 0, 1, 1])


@case
def failure_in_take_while():
    return one_by_one(failing(5, 1).take_while(lambda x: x < 3), [1, 0, 1])


@case
def failure_in_a_reduce():
    return [fails('oops : Tensor had Inf', [failing(4, 1).reduce(np.int64(0), lambda s, x: s + x)]),
            fails('oops : Tensor had Inf', [failing(1, 0).get_single_element()])]


@case
def failure_in_a_parallel_batch():
    return one_by_one(failing(7, 3).batch(2, num_parallel_calls=2), [1, 0, 1, 1])


@case
def padded_batch_of_other_rank():
    it = tf1.data.make_initializable_iterator(D.range(1, 5).map(lambda x: tf.ensure_shape(tf.fill(tf.fill([x % 2 + 1], 2), x), None)).padded_batch(2, padded_shapes=[None]))
    return [step(targets=[it.initializer]), fails('All elements in a batch must have the same rank as the padded shape for component0: expected rank 1 but got element with rank 2', [it.get_next()])]


@case
def unbatch_of_scalars_and_unequal():
    p = lambda v: tf1.placeholder_with_default(v, None)
    a = tf1.data.make_initializable_iterator(D.from_tensors(p(np.int64(3))).unbatch())
    b = tf1.data.make_initializable_iterator(D.from_tensors((p(np.int64([3, 4])), p(np.int64([1])))).unbatch())
    return [step(targets=[a.initializer, b.initializer]), fails('', [a.get_next()]),
            fails('Input element must have the same batch size in each component. Component 0 had size 2 but component 1 had size 1.', [b.get_next()[0]])]


@case
def nothing_at_all():
    e = D.from_tensor_slices(np.zeros([0, 3], np.float32))
    return drain(e.batch(2).concatenate(e.repeat(0).batch(1)).concatenate(e.shuffle(3, seed=1).batch(2)).concatenate(e.repeat(3).prefetch(1).batch(2)), 0)


@case
def map_and_batch_with_a_failure():
    it = tf1.data.make_initializable_iterator(failing(7, 3).apply(tf.data.experimental.map_and_batch(lambda x: x, 2)))
    x = it.get_next()
    return [step(targets=[it.initializer]), step([x]), fails('oops : Tensor had Inf', [x])]


@case
def zip_and_window():
    d = D.zip((D.range(5), D.from_tensor_slices(['a', 'b', 'c', 'd', 'e']))).window(2)
    return drain(d.flat_map(lambda a, b: D.zip((a.batch(2), b.batch(2)))).take(2), 2)


@case
def nested_structures():
    d = D.from_tensor_slices({'a': np.int32([1, 2]), 'b': (np.float32([[1], [2]]), ['x', 'y'])})
    return drain(d.map(lambda e: {'s': e['a'] * 2, 't': e['b'][1]}).batch(2), 1)


@case
def sparse_elements():
    st = tf.SparseTensor(np.int64([[0, 1], [2, 0]]), np.float32([1, 2]), np.int64([3, 2]))
    return drain(D.from_tensor_slices(st).map(lambda s: tf.sparse.to_dense(s) * 2), 3)


@case
def ragged_elements():
    rt = tf.ragged.constant([[1, 2], [], [3]])
    return drain(D.from_tensor_slices(rt).map(lambda r: tf.reduce_sum(r)), 3)


# Whole datasets.

@case
def reduce():
    return [step([D.range(5).reduce(np.int64(1), lambda s, x: s * 2 + x)])]


@case
def reduce_two():
    return [step(list(D.range(1, 5).reduce((np.int64(0), 1.), lambda s, x: (s[0] + x, s[1] * tf.cast(x, tf.float32)))))]


@case
def single_element():
    return [step([D.range(3).batch(5).get_single_element()]), fails('Dataset was empty.', [D.range(0).get_single_element()]),
            fails('Dataset had more than one element.', [D.range(2).get_single_element()])]


@case
def cardinality():
    r = D.range(10)
    all = [r, r.repeat(), r.repeat(3), r.take(3), r.take(-1), r.skip(4), r.skip(20), r.batch(3), r.batch(3, drop_remainder=True), r.shard(3, 0),
           r.map(lambda x: x), r.filter(lambda x: x > 1), r.concatenate(r), D.zip((r, r.repeat())), r.shuffle(3), r.prefetch(1), r.cache(),
           r.flat_map(lambda x: D.range(x)), r.window(3), r.window(3, shift=4), r.window(3, 2, drop_remainder=True), r.repeat(0), r.repeat().take(5), r.repeat().batch(3), r.batch(2).unbatch(), D.random(1),
           r.unique(), r.take_while(lambda x: x < 3), r.scan(0, lambda s, x: (s, x)), r.apply(tf.data.experimental.assert_cardinality(4)),
           r.padded_batch(4, []), r.map(lambda x: x, num_parallel_calls=2), r.batch(3, num_parallel_calls=2), r.ignore_errors(),
           r.interleave(lambda x: D.range(x), cycle_length=2), r.filter(lambda x: x > 1).repeat(), r.filter(lambda x: x > 1).take(0), r.filter(lambda x: x > 1).batch(2), r.repeat().filter(lambda x: x > 1)]
    return [step([tf.stack([tf.data.experimental.cardinality(d) for d in all])])]


# Iterators.

@case
def one_shot():
    it = tf1.data.make_one_shot_iterator(D.range(3).map(lambda x: x * 7))
    return pull(it, 3, [])


@case
def one_shot_that_fails():
    it = tf1.data.make_one_shot_iterator(D.range(3).batch(2, drop_remainder=True).map(lambda x: tf.ensure_shape(x, [2])).concatenate(D.range(4).batch(1)))
    return pull(it, 1, [], then=None)


@case
def not_initialized():
    it = tf1.data.make_initializable_iterator(D.range(3))
    return [fails('GetNext() failed because the iterator has not been initialized.', [it.get_next()])]


@case
def begun_again():
    it = tf1.data.make_initializable_iterator(D.range(3))
    x = it.get_next()
    return [step(targets=[it.initializer]), step([x]), step([x]), step(targets=[it.initializer]), step([x]), step([x]), step([x]), fails('End of sequence', [x]), fails('End of sequence', [x])]


@case
def two_datasets_for_one_iterator():
    it = tf1.data.Iterator.from_structure(tf.int64, [])
    a, b = it.make_initializer(D.range(2)), it.make_initializer(D.range(10, 12))
    x = it.get_next()
    return [step(targets=[a]), step([x]), step(targets=[b]), step([x]), step([x]), fails('End of sequence', [x])]


@case
def iterator_of_other_types():
    h = gen_dataset_ops.iterator_v2(shared_name='', container='', output_types=[tf.int32], output_shapes=[tf.TensorShape([])])
    i2 = gen_dataset_ops.iterator_v2(shared_name='', container='', output_types=[tf.int64, tf.int64], output_shapes=[tf.TensorShape([]), tf.TensorShape([])])
    i3 = gen_dataset_ops.iterator_v2(shared_name='', container='', output_types=[tf.int64], output_shapes=[tf.TensorShape([3])])
    d = D.range(3)._variant_tensor
    return [fails('Data type mismatch at component 0: expected int32 but got int64.', targets=[gen_dataset_ops.make_iterator(d, h)]),
            fails('Number of components does not match: expected 2 types but got 1.', targets=[gen_dataset_ops.make_iterator(d, i2)]),
            fails('Incompatible shapes at component 0: expected [3] but got [].', targets=[gen_dataset_ops.make_iterator(d, i3)])]


@case
def string_handles():
    a = tf1.data.make_initializable_iterator(D.range(3))
    b = tf1.data.make_initializable_iterator(D.range(10, 13))
    which = tf1.get_variable('which', initializer=True, use_resource=True)
    h = tf.cond(which, lambda: a.string_handle(), lambda: b.string_handle())
    it = tf1.data.Iterator.from_string_handle(h, tf.int64, [])
    x = it.get_next()
    flip = which.assign(tf.logical_not(which.read_value()))
    return [step(targets=[which.initializer, a.initializer, b.initializer]), step([x]), step([x]), step(targets=[flip.op]), step([x]), step(targets=[flip.op]), step([x])]


@case
def string_handle_of_nothing():
    it = tf1.data.Iterator.from_string_handle(tf1.placeholder_with_default('nonsense', []), tf.int64, [])
    return [fails('Could not parse string_handle as a valid ResourceHandle', [it.get_next()])]


@case
def next_as_optional():
    it = tf1.data.make_initializable_iterator(D.range(2))
    o = tf.data.experimental.get_next_as_optional(it)
    has, value = o.has_value(), o.get_value()
    return [step(targets=[it.initializer]), step([has, value]), step([has, value]), step([has]), fails('The given optional does not have a value.', [value])]


@case
def anonymous_in_a_function():
    @tf.function
    def total(n):
        t = tf.constant(0, tf.int64)
        for x in D.range(n).map(lambda x: x * x):
            t += x
        return t
    return [step([total(tf1.placeholder_with_default(np.int64(5), []))]), step([total(tf.constant(10, tf.int64))])]


@case
def anonymous_iterators():
    types = dict(output_types=[tf.int64], output_shapes=[tf.TensorShape([])])
    h3 = gen_dataset_ops.anonymous_iterator_v3(**types)
    h2, deleter = gen_dataset_ops.anonymous_iterator_v2(**types)
    got = []
    for h in (h2, h3):
        with tf.control_dependencies([gen_dataset_ops.make_iterator(D.range(7, 9)._variant_tensor, h)]):
            a = gen_dataset_ops.iterator_get_next(h, **types)[0]
        with tf.control_dependencies([a]):
            got.append(a + gen_dataset_ops.iterator_get_next_sync(h, **types)[0])
    with tf.control_dependencies(got):
        gone = gen_dataset_ops.delete_iterator(h2, deleter)
    return [dict(step(got), targets=[gone.name])]


# Functions that kernels call.

@case
def for_loop():
    @function.Defun(tf.int32, tf.int32, tf.float32)
    def body(i, x, y):
        return x * 2 + i, y / 2.
    f = lambda a, b, c: gen_functional_ops._for(a, b, c, [1, 1.], body)
    return [step(list(f(0, 5, 1)) + list(f(5, 0, -2)) + list(f(3, 3, 1)) + list(f(3, 3, 0)))]


@case
def for_loop_rejected():
    @function.Defun(tf.int32, tf.int32)
    def body(i, x):
        return x * 2 + i
    p = tf1.placeholder_with_default
    return [fails('must satisfy (delta > 0 && start <= limit)', gen_functional_ops._for(p(a, []), b, c, [1], body)) for a, b, c in [(0, 5, 0), (0, 5, -1), (5, 0, 1)]]


@case
def map_defun():
    @function.Defun(tf.int32, tf.string, tf.int32)
    def f(x, s, c):
        return x * x + c, tf.strings.join([s, '!']), tf.range(c)
    out = gen_dataset_ops.map_defun([[1, 2, 3], ['a', 'b', 'c']], [2], [tf.int32, tf.string, tf.int32], [tf.TensorShape([]), tf.TensorShape(None), tf.TensorShape([None])], f)
    return [step(list(out))]


@case
def map_defun_of_nothing():
    @function.Defun(tf.int32)
    def f(x):
        return x * x
    return [step(gen_dataset_ops.map_defun([np.zeros([0, 2], np.int32)], [], [tf.int32], [tf.TensorShape([2])], f))]


@case
def map_defun_rejected():
    @function.Defun(tf.int32)
    def f(x):
        return tf.range(x)
    p = tf1.placeholder_with_default
    md = lambda x, s: gen_dataset_ops.map_defun(x, [], [tf.int32], [s], f)
    return [fails('', md([[3, 2]], tf.TensorShape([None]))), fails('', md([[3, 2]], tf.TensorShape([3]))),
            fails('Input 0 has a rank of 0', md([p(np.int32(5), None)], tf.TensorShape([])))]


@case
def remote_call():
    @function.Defun(tf.int32, tf.float32)
    def f(x, y):
        return y + 1., x * x
    return [step([t for d in ('/device:CPU:0', '/job:localhost/replica:0/task:0/device:CPU:0', '/cpu:0') for t in gen_functional_ops.remote_call(d, [3, 2.], [tf.float32, tf.int32], f)])]


@case
def functions_call_functions():
    @function.Defun(tf.int32)
    def inner(x):
        return x + 1
    @function.Defun(tf.int32)
    def outer(x):
        return gen_functional_ops.remote_call('/cpu:0', [x * 2], [tf.int32], inner)[0]
    return [step(gen_dataset_ops.map_defun([list(range(20))], [], [tf.int32], [tf.TensorShape([])], outer))]

def batched(*args, **more):
    @function.Defun(tf.float32, tf.float32)
    def f(x, c):
        return x * c, tf.fill([tf.shape(x)[0]], tf.shape(x)[0])
    more = {'num_batch_threads': 1, 'max_batch_size': 8, 'batch_timeout_micros': 0, **more}
    return gen_batch_ops.batch_function(list(args), [3.], Tout=[tf.float32, tf.int32], f=f, **more)


@case
def batch_function():
    x = np.float32([[1, 2], [3, 4], [5, 6]])
    return [step(list(batched(x)) + list(batched(x, allowed_batch_sizes=[2, 4, 8])) + list(batched(x, allowed_batch_sizes=[3, 8])) +
                 list(batched(x, allowed_batch_sizes=[1, 2], enable_large_batch_splitting=True)))]


@case
def batch_function_rejected():
    p = tf1.placeholder_with_default
    return [fails('is larger than maximum input batch size 2', batched(np.float32([1, 2, 3]), max_batch_size=2)[:1]),
            fails('Batching input tensors must have at least one dimension', batched(p(np.float32(1), None))[:1]),
            fails('allowed_batch_sizes', batched(np.float32([1]), allowed_batch_sizes=[4, 2, 8])[:1]),
            fails('final entry in allowed_batch_sizes', batched(np.float32([1]), allowed_batch_sizes=[2, 4])[:1])]


os.makedirs(OUT, exist_ok=True)
only = sys.argv[2:]
for build in CASES:
    if not only or build.__name__ in only:
        record(build)
print(len(CASES), 'cases', file=sys.stderr)
