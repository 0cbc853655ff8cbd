"""Writes registry/testdata/attrtext.txt: what TensorFlow's ParseAttrValue makes
of texts. As it does, it wraps the text into the text form of an AttrValue.

    python registry/testdata/attrtext.py > registry/testdata/attrtext.txt

Each line is a kind, the text, and the serialized value in hexadecimal or "-",
separated by tabs.
"""

from google.protobuf import text_format
from tensorflow.core.framework import attr_value_pb2

FIELDS = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "type",
          "shape": "shape", "tensor": "tensor", "func": "func"}

TEXTS = {
    "string": ["'a'", '"a b"', "''", r"'\n\t\\\''", r"'\x41\101\0'", "a", "'a", "'a' 'b'", "'é'", "7", ""],
    "int": ["35", "-1", "0", "0x10", "010", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
            "1.5", "1e3", "a", "--1", "+1", "1_000", "35 # a comment", "", "'1'"],
    "float": ["1", "-2.5", "1e-5", "1e40", ".5", "5.", "1f", "inf", "-inf", "nan", "infinity", "0x10", "a", "1..2", ""],
    "bool": ["true", "false", "True", "False", "t", "f", "1", "0", "2", "yes", ""],
    "type": ["DT_FLOAT", "DT_INT32_REF", "DT_INVALID", "DT_BFLOAT16", "1", "19", "float", "DT_FLOTE", "'DT_FLOAT'", ""],
    "shape": ["{ dim { size: 3 } }", "{}", "{ unknown_rank: true }", "{ dim { size: -1 } dim { size: 2 } }",
              "{ dim { size: 2 name: 'batch' } }", "< dim { size: 3 } >", "{ dim { size: 3 }", "{ dim: 3 }",
              "{ dim { size: -2 } }", "3", ""],
    "tensor": ["{ dtype: DT_INT32 tensor_shape { } int_val: 7 }",
               "{ dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [1, 2] }",
               "{ dtype: DT_STRING tensor_shape { } string_val: 'a' }", "7", ""],
    "func": ["{ name: 'f' }", "{ name: 'f' attr { key: 'T' value { type: DT_FLOAT } } }", "{ nme: 'f' }", ""],
    "list(string)": ["['foo', 'bar']", "[]", "[ ]", "'foo'", "['foo'", "['foo', 'bar',]", "[foo]", "['a' 'b']"],
    "list(int)": ["[-1, 2, 4]", "[1]", "1", "[1 2]", "[1,,2]", "[1.5]", "[1, 0x10]"],
    "list(float)": ["[1, 2.5, -inf]", "[nan]", "['a']"],
    "list(bool)": ["[true, false]", "[1, 0]", "[maybe]"],
    "list(type)": ["[DT_BOOL]", "[DT_FLOAT, DT_INT32]", "[DT_BOOL DT_BOOL]", "[DT_NONE]"],
    "list(shape)": ["[{ dim { size: 2 } }, { dim { size: 4 } }]", "[{}]", "[{ unknown_rank: true }]"],
    "list(tensor)": ["[{ dtype: DT_INT32 tensor_shape { } int_val: 7 }]"],
    "list(func)": ["[{ name: 'f' }, { name: 'g' }]"],
}


def parse(kind, text):
    value = attr_value_pb2.AttrValue()
    elem, is_list = kind, kind.startswith("list(")
    if is_list:
        elem = kind[5:-1]
        clean = text.strip()
        if len(clean) < 2 or clean[0] != "[" or clean[-1] != "]":
            return None
        if not clean[1:-1].strip():
            value.list.SetInParent()
            return value
    wrapped = "%s: %s" % (FIELDS[elem], text)
    if is_list:
        wrapped = "list { %s }" % wrapped
    try:
        return text_format.Parse(wrapped, value)
    except text_format.ParseError:
        return None


for kind, texts in TEXTS.items():
    for text in texts:
        value = parse(kind, text)
        print("%s\t%s\t%s" % (kind, text, "-" if value is None else value.SerializeToString(deterministic=True).hex()))
