"""Writes examples.jsonl; see kernel/kerneltest/testdata/record.py."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../kernel/kerneltest/testdata"))
from record import Recorder, np, tf

r = Recorder(os.path.join(HERE, "examples.jsonl.gz"), isolated=True)
for text in ['{"features": {"feature": {"a": {"int64List": {"value": ["1", 2, -3]}}}}}',
             '{"features": {"feature": {"a": {"int64_list": {"value": [9007199254740993, "-9223372036854775808"]}}}}}',
             '{"features": {"feature": {"b": {"floatList": {"value": [1, 2.5, "NaN", "Infinity", "-Infinity", 1e10, "3.5"]}}, "a": {"bytesList": {"value": ["aGk=", "", "_-8", "+/8="]}}}}}',
             '{}', '{"features": {}}', '{"features": null}', '{"features": {"feature": {}}}', '{"features": {"feature": {"a": {}}}}', '{"features": {"feature": {"a": {"floatList": {}}}}}', '{"features": {"feature": {"a": {"floatList": {"value": []}}}}}',
             '{"features": {"feature": {"a": null}}}', '{"features": {"feature": {"a": {"floatList": null}}}}', '{"features": {"feature": {"a": {"floatList": {"value": null}}}}}', '{"features": {"feature": {"": {"floatList": {"value": [0]}}}}}',
             '', ' ', 'x', '[]', '3', '{"features": 3}', '{"x": 3}', '{"features": {"feature": []}}', '{"features": {"feature": {"a": {"x": 1}}}}', '{"features": {"feature": {"a": {"floatList": {"value": ["x"]}}}}}',
             '{"features": {"feature": {"a": {"int64List": {"value": [1.5]}}}}}', '{"features": {"feature": {"a": {"int64List": {"value": [1e3]}}}}}', '{"features": {"feature": {"a": {"int64List": {"value": [99999999999999999999]}}}}}', '{"features": {"feature": {"a": {"bytesList": {"value": ["%"]}}}}}',
             '{"features": {"feature": {"a": {"int64List": {"value": [true]}}}}}', '{"features": {"feature": {"a": {"floatList": {"value": [1e300]}}}}}', '{"features": {"feature": {"a": {"floatList": {"value": [1]}, "int64List": {"value": [1]}}}}}', '{"features": {}} x', '{"features": {"feature": {"a": {"int64List": {"value": 3}}}}}',
             '{"features": {"feature": {"\\u00e4": {"bytesList": {"value": ["aGk"]}}}}}', "{'features': {}}", '{features: {}}', '{"features": {"feature": {"a": {"int64List": {"value": [null]}}}}}', '{"features": {"feature": {"a": {"int64List": {"value": [1]}}, "a": {"int64List": {"value": [2]}}}}}',
             '{"features": {"feature": {"a": {"int64List": {"value": [[1]]}}}}}', '{"features": {"feature": {"a": {"int64List": {"value": ["1.0", "1e2", 4.0]}}}}}', '{"features": {"feature": {"a": {"int64List": {"value": [""]}}}}}', '{"features": {"feature": {"a": {"floatList": {"value": ["", true]}}}}}',
             '{"features": {"feature": {"a": {"bytesList": {"value": [3]}}}}}', '{"features": {"feature": {"a": {"int64List": {"value": [1,]}}}}}', '{"features": {},}', '{"features": {"feature": {"a": {"int64List": {"value": [300, 70000]}}}}, "features": {}}']:
    r.ask("DecodeJSONExample", [np.array(text.encode(), object)])

r.ask("DecodeJSONExample", [np.array([[b"{}"], [b'{"features": {}}']], object)])
r.ask("DecodeJSONExample", [np.zeros((0, 2), object)])
r.close()
