"""Records what TensorFlow reads from files, one JSON object a line.

usage: python files.py > files.json

Each has an operation, its inputs after the names of the files, the bytes of the
files, and the records or the error that came after them.
"""
import base64
import gzip
import json
import os
import struct
import tempfile
import zlib

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_dataset_ops

tf1 = tf.compat.v1
NAMES = {getattr(tf.errors, n): n for n in dir(tf.errors) if n.isupper() and isinstance(getattr(tf.errors, n), int)}


def tfrecords(*records):
    name = os.path.join(tempfile.mkdtemp(), 'r')
    with tf.io.TFRecordWriter(name) as w:
        for r in records:
            w.write(r)
    return open(name, 'rb').read()


def run(op, args, *files):
    folder = tempfile.mkdtemp()
    names = []
    for i, b in enumerate(files):
        names.append(os.path.join(folder, str(i)))
        if b is not None:
            open(names[-1], 'wb').write(b)
    row = {'op': op, 'args': args, 'files': [None if b is None else base64.b64encode(b).decode() for b in files], 'records': []}
    snake = {'TextLineDataset': gen_dataset_ops.text_line_dataset, 'TFRecordDataset': gen_dataset_ops.tf_record_dataset,
             'FixedLengthRecordDatasetV2': gen_dataset_ops.fixed_length_record_dataset_v2}[op]
    g = tf.Graph()
    with g.as_default(), tf1.Session() as s:
        args = [np.int64(a) if not isinstance(a, str) else a for a in args]
        types = dict(output_types=[tf.string], output_shapes=[tf.TensorShape([])])
        it = gen_dataset_ops.iterator_v2(shared_name='', container='', **types)
        x = gen_dataset_ops.iterator_get_next(it, **types)[0]
        try:
            s.run(gen_dataset_ops.make_iterator(snake(names, *args), it))
            while True:
                row['records'].append(base64.b64encode(s.run(x)).decode())
        except tf.errors.OpError as e:
            row['error'] = NAMES[e.error_code]
    print(json.dumps(row, separators=(',', ':')))


text = b'one\ntwo\r\n\nfour\rfour\r\r\nlast'
run('TextLineDataset', ['', 0], text, b'', b'\n', b'x\n\ny\n')
run('TextLineDataset', ['GZIP', 10], gzip.compress(text, mtime=0), gzip.compress(b'', mtime=0))
run('TextLineDataset', ['ZLIB', 256], zlib.compress(text))
run('TextLineDataset', ['', 7], b'a' * 300 + b'\n' + b'b' * 20)
run('TextLineDataset', ['LZW', 0], text)
run('TextLineDataset', ['', 0], b'a\nb', None, b'c')
run('TextLineDataset', ['', -1], b'a')
run('TextLineDataset', ['GZIP', 0], b'no gzip at all')
records = tfrecords(b'first', b'', b'third' * 9)
run('TFRecordDataset', ['', 0], records, b'', tfrecords(b'other'))
run('TFRecordDataset', ['GZIP', 0], gzip.compress(records, mtime=0))
run('TFRecordDataset', ['ZLIB', 0], zlib.compress(records))
run('TFRecordDataset', ['', 0], records[:-3])
run('TFRecordDataset', ['', 0], records[:25])
run('TFRecordDataset', ['', 0], records[:23] + b'\x01' + records[24:])
run('TFRecordDataset', ['', 0], records[:14] + b'\x01' + records[15:])
run('TFRecordDataset', ['', 0], struct.pack('<Q', 1 << 60) + records[8:])
fixed = b'HEAD' + b'abcdefghi' + b'FO'
run('FixedLengthRecordDatasetV2', [4, 3, 2, 0, ''], fixed, fixed)
run('FixedLengthRecordDatasetV2', [0, 5, 0, 0, ''], fixed)
run('FixedLengthRecordDatasetV2', [4, 4, 2, 0, ''], fixed)
run('FixedLengthRecordDatasetV2', [40, 4, 2, 0, ''], fixed)
run('FixedLengthRecordDatasetV2', [0, 0, 0, 0, ''], fixed)
run('FixedLengthRecordDatasetV2', [4, 3, 2, 0, 'GZIP'], gzip.compress(fixed, mtime=0), gzip.compress(fixed, mtime=0))
run('FixedLengthRecordDatasetV2', [4, 4, 2, 0, 'ZLIB'], zlib.compress(fixed))
