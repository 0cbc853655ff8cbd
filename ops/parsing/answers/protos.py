"""Writes protos.jsonl.gz; see kernel/kerneltest/testdata/record.py."""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from google.protobuf import descriptor_pb2

from record import Recorder, np, tf

KINDS = dict(double=1, float=2, int64=3, uint64=4, int32=5, fixed64=6, fixed32=7, bool=8, string=9, message=11, bytes=12, uint32=13, enum=14, sfixed32=15, sfixed64=16, sint32=17, sint64=18)
TYPES = dict(double=tf.float64, float=tf.float32, int64=tf.int64, uint64=tf.uint64, int32=tf.int32, fixed64=tf.uint64, fixed32=tf.uint32, bool=tf.bool, string=tf.string, message=tf.string,
             bytes=tf.string, uint32=tf.uint32, enum=tf.int32, sfixed32=tf.int32, sfixed64=tf.int64, sint32=tf.int32, sint64=tf.int64)


def source(syntax, kinds):
    """A type t.M with a field of each kind, "k" and repeated "ks"."""
    f = descriptor_pb2.FileDescriptorProto(name="t.proto", package="t", syntax=syntax)
    if "enum" in kinds:
        e = f.enum_type.add(name="Color")
        e.value.add(name="RED", number=0)
        e.value.add(name="BLUE", number=5)
    m = f.message_type.add(name="M")
    if "message" in kinds:
        f.message_type.add(name="Inner").field.add(name="a", number=1, type=5, label=1)
    for k in kinds:
        for label, name in ((1, k), (3, k + "s")):
            fd = m.field.add(name=name, number=2 * KINDS[k] - (label == 1), type=KINDS[k], label=label)
            if k == "message":
                fd.type_name = ".t.Inner"
            if k == "enum":
                fd.type_name = ".t.Color"
    if syntax == "proto2" and "int32" in kinds:
        m.field.add(name="seven", number=50, type=5, label=1, default_value="7")
        m.field.add(name="xyz", number=51, type=9, label=1, default_value="xyz")
        m.field.add(name="packed", number=53, type=5, label=3).options.packed = True
        m.field.add(name="group", number=54, type=10, label=3, type_name=".t.M.Group")
        m.nested_type.add(name="Group").field.add(name="a", number=1, type=5, label=1)
    s = descriptor_pb2.FileDescriptorSet()
    s.file.append(f)
    return b"bytes://" + s.SerializeToString()


def varint(x):
    x &= 2**64 - 1
    out = b""
    while x >= 128:
        out, x = out + bytes([x & 127 | 128]), x >> 7
    return out + bytes([x])


def field(number, wire, body):
    return varint(number << 3 | wire) + body


def text(x):
    return varint(len(x)) + x


ONE = {  # a value of each kind on the wire, and its wire type
    "double": (1, struct.pack("<d", -2.5)), "float": (5, struct.pack("<f", 1.25)), "int64": (0, varint(-5)), "uint64": (0, varint(2**64 - 3)), "int32": (0, varint(-7)),
    "fixed64": (1, struct.pack("<Q", 2**63 + 1)), "fixed32": (5, struct.pack("<I", 2**31 + 9)), "bool": (0, varint(1)), "string": (2, text("é".encode())), "message": (2, text(b"\x08\x03")),
    "bytes": (2, text(b"\xff\0")), "uint32": (0, varint(2**32 - 1)), "enum": (0, varint(5)), "sfixed32": (5, struct.pack("<i", -9)), "sfixed64": (1, struct.pack("<q", -10)), "sint32": (0, varint(7)),
    "sint64": (0, varint(2**40 + 1)),
}

r = Recorder(os.path.join(HERE, "protos.jsonl.gz"), isolated=True)
strings = lambda *x: np.array(x, object)
ask = lambda messages, names, types, src, **kw: r.ask("DecodeProtoV2", [messages], message_type=kw.pop("message_type", "t.M"), field_names=names, output_types=types, descriptor_source=src, **kw)

for k, number in KINDS.items():
    src, one, many, (wire, body) = source("proto2", [k]), 2 * number - 1, 2 * number, ONE[k]
    messages = strings(b"", field(one, wire, body), field(many, wire, body) * 3 + field(one, wire, body) * 2, field(99, 0, varint(1)) + field(many, wire, body))
    if wire != 2:  # packed too
        messages = strings(*messages, field(many, 2, text(body * 2)), field(many, wire, body) + field(many, 2, text(body)))
    ask(messages, [k, k + "s"], [TYPES[k]] * 2, src)
    wide = {tf.int32: tf.int64, tf.uint32: tf.uint64, tf.float32: tf.float64}.get(TYPES[k])
    if wide and k != "enum":
        ask(messages[:3], [k + "s"], [wide], src)
    ask(messages[:1], [k], [tf.int16], src)

src2, src3 = source("proto2", ["int32", "string", "enum", "message"]), source("proto3", ["int32", "string", "enum", "message"])
seven, packed, group = field(50, 0, varint(3)), field(53, 2, text(varint(1) + varint(300))), field(54, 3, field(1, 0, varint(8))) + varint(54 << 3 | 4)
ask(strings(b"", seven, packed + seven, group), ["seven", "xyz", "packed", "group"], [tf.int32, tf.string, tf.int32, tf.string], src2)
ask(strings(b"", seven), ["xyz", "seven"], [tf.string, tf.int32], src2)
ask(np.array([[packed, b""], [b"", packed + packed]], object), ["packed"], [tf.int32], src2)
ask(np.array([], object), ["packed", "string"], [tf.int32, tf.string], src2)
ask(strings(b""), [], [], src2)
ask(seven, ["seven"], [tf.int32], src2)
ask(strings(field(9, 0, varint(0)), b""), ["int32"], [tf.int32], src3)
ask(strings(field(9, 0, varint(1)) + field(10, 2, text(varint(1) * 3))), ["int32", "int32s"], [tf.int32, tf.int32], src3)
for bad in (b"\x48", b"\x4a\x05a", b"\xff", field(54, 3, b""), varint(54 << 3 | 4), field(9, 2, text(b"abc")), field(17, 0, varint(3)), field(53, 2, text(b"\xff"))):
    ask(strings(bad), ["int32", "string", "packed"], [tf.int32, tf.string, tf.int32], src2)
    ask(strings(bad), ["int32"], [tf.int32], src2, sanitize=True)
ask(strings(field(9, 0, varint(1)) + field(9, 0, varint(2)) + field(99, 0, varint(7))), ["int32"], [tf.int32], src2, sanitize=True)
ask(strings(b'int32: 4 string: "abc" ints: 1', b"seven: 9"), ["int32"], [tf.int32], src2, message_format="text")
ask(strings(b'int32: 4 string: "abc" int32s: 1 int32s: [2, 3]', b"seven: 9"), ["int32", "int32s", "string", "seven"], [tf.int32, tf.int32, tf.string, tf.int32], src2, message_format="text")
ask(strings(b"messages { a: 5 } enum: BLUE"), ["messages", "enum"], [tf.string, tf.int32], src2, message_format="text")
ask(strings(b""), ["int32"], [tf.int32], src2, message_format="json")
ask(strings(b""), ["none"], [tf.int32], src2)
ask(strings(b""), ["int32", "seven"], [tf.int32], src2)
ask(strings(b""), ["int32"], [tf.int32], src2, message_type="t.None")
ask(strings(b""), ["int32"], [tf.int32], b"bytes://\xff")
ask(strings(b""), ["int32"], [tf.int32], b"/nowhere/x")


def encode(sizes, values, names, src, **kw):
    r.ask("EncodeProto", [np.array(sizes, np.int32), values], field_names=names, message_type=kw.pop("message_type", "t.M"), descriptor_source=src)


NUMPY = {tf.string: object}
for k in KINDS:
    src, dt = source("proto2", [k]), TYPES[k]
    x = [b"ab", b"", b"c"] if k in ("string", "bytes") else [b"\x08\x03", b"", b"\x08\x05"] if k == "message" else [True, False, True] if k == "bool" else [5, 0, 5]
    x = np.array([x, x], NUMPY.get(dt, dt.as_numpy_dtype))
    encode([[3, 1], [1, 0]], [x, x[:, :1]], [k + "s", k], src)
    wide = {tf.int32: tf.int64, tf.uint32: tf.uint64, tf.float32: tf.float64}.get(dt)
    if wide and k != "enum":
        encode([[3], [0]], [x.astype(wide.as_numpy_dtype)], [k + "s"], src)
i32 = lambda *x: np.array(x, np.int32)
for src in (src2, src3):
    encode([[2, 1]], [i32([1, -300]), strings(b"s").reshape(1, 1)], ["int32s", "string"], src)
encode([[2, 1]], [i32([1, -300]), i32([7])], ["packed", "int32"], src2)
encode([[0]], [i32([1, -300])], ["packed"], src2)
encode([[1]], [strings(b"\x08\x03").reshape(1, 1)], ["group"], src2)
encode([2], [i32(1, 2)], ["int32s"], src2)
encode([[3]], [i32([1, 2])], ["int32s"], src2)
encode([[-1]], [i32([1, 2])], ["int32s"], src2)
encode([[1, 1]], [i32([1, 2])], ["int32s"], src2)
encode([[1]], [i32([1, 2], [3, 4])], ["int32s"], src2)
encode(1, [i32(1)], ["int32s"], src2)
encode([[2]], [i32([1, 2])], ["int32"], src2)
encode([[1]], [i32([1, 2])], ["string"], src2)
encode([[1]], [i32([1, 2])], ["none"], src2)
encode([[1]], [i32([1, 2])], ["int32s"], src2, message_type="t.None")
encode(np.zeros((0, 1)), [np.zeros((0, 2), np.int32)], ["int32s"], src2)
encode(np.ones((2, 2, 1)), [np.arange(4, dtype=np.int32).reshape(2, 2, 1)], ["int32s"], src2)
r.close()
