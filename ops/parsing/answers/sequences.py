"""Writes sequences.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "sequences.jsonl.gz"), isolated=True)
T = tf.train
rng = np.random.default_rng(5)
strs = lambda *s: np.array([x.encode() if isinstance(x, str) else x for x in s], object)


def feature(kind, n):
    if kind == "f":
        return T.Feature(float_list=T.FloatList(value=rng.integers(0, 9, n)))
    if kind == "i":
        return T.Feature(int64_list=T.Int64List(value=rng.integers(0, 9, n)))
    if kind == "s":
        return T.Feature(bytes_list=T.BytesList(value=[bytes([97 + x]) for x in rng.integers(0, 9, n)]))
    return T.Feature()


def message(context, lists):
    return T.SequenceExample(context=T.Features(feature={k: feature(*v) for k, v in context.items()}),
                             feature_lists=T.FeatureLists(feature_list={k: T.FeatureList(feature=[feature(*f) for f in v]) for k, v in lists.items()})).SerializeToString()


full = message({"a": ("f", 3), "b": ("i", 2), "c": ("s", 1), "d": ("i", 2)}, {"w": [("i", 2), ("i", 0)], "x": [("f", 2), ("f", 2)], "y": [("i", 1), ("i", 0), ("i", 3)], "z": [("s", 1)]})
other = message({"a": ("f", 0), "b": ("i", 2)}, {"x": [("f", 2)], "y": [], "z": [("s", 2), ("s", 0)]})
bare = message({"b": ("i", 2)}, {"x": []})
empty = message({}, {})
kindless = message({"b": ("-", 0), "a": ("-", 0)}, {"x": [("f", 2), ("-", 0)], "y": [("-", 0), ("i", 1)]})
wrong = message({"b": ("f", 2)}, {"x": [("i", 2)]})
wrong2 = message({"b": ("i", 2)}, {"x": [("f", 2), ("f", 1)]})
mixed = message({"b": ("i", 2)}, {"x": [("f", 2)], "y": [("i", 1), ("f", 1)]})
batches = [[full, other], [other, bare], [bare], [full, empty], [kindless], [wrong], [wrong2], [mixed], [b"\x0a\xff"], [], [full + other]]
default = np.array([7, 8])
for batch in batches:
    for d, lack in ((default, ["x"]), (default[:0], []), (default[:1], ["x"])):
        if not batch and not len(d):
            continue
        r.ask("ParseSequenceExample", [strs(*batch), strs(), [d]],
              context_sparse_keys=["a", "c"], context_dense_keys=["b"], feature_list_sparse_keys=["y", "z"], feature_list_dense_keys=["x"], feature_list_dense_missing_assumed_empty=lack,
              Ncontext_sparse=2, Ncontext_dense=1, Nfeature_list_sparse=2, Nfeature_list_dense=1, context_sparse_types=[tf.float32, tf.string],
              feature_list_sparse_types=[tf.int64, tf.string], feature_list_dense_types=[tf.float32], context_dense_shapes=[[2]], feature_list_dense_shapes=[[2]])
        forms = [strs(*batch)] + [np.array(b, object) for b in batch[:1]]
        for s in forms:
            r.ask("ParseSequenceExampleV2", [s, strs(), strs("a"), strs("b"), strs("c", "d"), strs("y"), strs("x"), strs("w", "z"), np.array([len(lack) > 0]), [d]],
                  Ncontext_sparse=1, context_sparse_types=[tf.float32], context_ragged_value_types=[tf.string, tf.int64], context_ragged_split_types=[tf.int32, tf.int64], context_dense_shapes=[[2]],
                  Nfeature_list_sparse=1, Nfeature_list_dense=1, feature_list_dense_types=[tf.float32], feature_list_sparse_types=[tf.int64], feature_list_ragged_value_types=[tf.int64, tf.string],
                  feature_list_ragged_split_types=[tf.int64, tf.int32], feature_list_dense_shapes=[[2]])
        for b in batch[:1]:
            r.ask("ParseSingleSequenceExample", [np.array(b, object), strs(*lack), [np.array("a", object), np.array("c", object)], [np.array("b", object)], [np.array("y", object)], [np.array("x", object)], [d], np.array("name", object)],
                  context_sparse_types=[tf.float32, tf.string], feature_list_dense_types=[tf.float32], feature_list_sparse_types=[tf.int64], context_dense_shapes=[[2]], feature_list_dense_shapes=[[2]])
r.ask("ParseSingleSequenceExample", [strs(full), strs(), [], [], [], [], [], np.array(b"", object)])
r.ask("ParseSingleSequenceExample", [np.array(full, object), strs(), [], [], [], [np.array("x", object)], [], np.array(b"", object)], feature_list_dense_types=[tf.float32], feature_list_dense_shapes=[[]])
for keys in ((["a"], ["a"], [], []), ([], [], ["a"], ["a"]), (["a", "a"], [], [], []), (["a"], [], ["a"], [])):
    r.ask("ParseSequenceExampleV2", [strs(full), strs(), strs(*keys[0]), strs(), strs(*keys[1]), strs(*keys[2]), strs(), strs(*keys[3]), np.zeros(0, bool), []],
          Ncontext_sparse=len(keys[0]), context_sparse_types=[tf.float32] * len(keys[0]), context_ragged_value_types=[tf.float32] * len(keys[1]), context_ragged_split_types=[tf.int32] * len(keys[1]),
          Nfeature_list_sparse=len(keys[2]), feature_list_sparse_types=[tf.float32] * len(keys[2]), feature_list_ragged_value_types=[tf.float32] * len(keys[3]), feature_list_ragged_split_types=[tf.int32] * len(keys[3]))
r.close()
