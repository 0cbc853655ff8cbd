# Records what TensorFlow infers of graphs: for each GraphDef DIR/*.pb the
# types, shapes and handle data of every output, or the error of the import.
import glob, os, sys
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf
from tensorflow.core.framework import graph_pb2, types_pb2
from tensorflow.python.framework import cpp_shape_inference_pb2 as hd
from tensorflow.python.client import pywrap_tf_session


def text(shape):
    if shape.rank is None:
        return '?'
    return '[' + ','.join('?' if d is None else str(d) for d in shape.as_list()) + ']'


def proto(shape):
    return text(tf.TensorShape(shape))


def handle(g, t):
    with g._c_graph.get() as c:
        data = pywrap_tf_session.GetHandleShapeAndType(c, t._as_tf_output())
    h = hd.CppShapeInferenceResult.HandleData()
    h.ParseFromString(tf.compat.as_bytes(data))
    if not h.is_set or not h.shape_and_type:
        return ''
    return ' {' + ', '.join(types_pb2.DataType.Name(s.dtype) + ' ' + proto(s.shape) for s in h.shape_and_type) + '}'


def lines(path):
    d = graph_pb2.GraphDef()
    d.ParseFromString(open(path, 'rb').read())
    g = tf.Graph()
    try:
        with g.as_default():
            tf.graph_util.import_graph_def(d, name='')
    except TypeError as e:
        # Python cannot read handle data without a type; the graph is whole.
        if 'type_value' not in str(e):
            raise
    except Exception as e:
        yield 'error: ' + str(e).split('\n')[0]
        return
    for op in g.get_operations():
        if op.outputs:
            yield op.name + ': ' + '; '.join(text(t.shape) + handle(g, t) for t in op.outputs)


for path in sorted(glob.glob(os.path.join(sys.argv[1], '*.pb'))):
    print('# ' + os.path.basename(path)[:-3])
    for line in lines(path):
        print(line)
