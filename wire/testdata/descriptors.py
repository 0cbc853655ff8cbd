# Records descriptors.txt: the fields and enum values of TensorFlow's messages.
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
from google.protobuf.descriptor import FieldDescriptor as F
from tensorflow.core.framework import (attr_value_pb2, device_attributes_pb2, full_type_pb2, function_pb2,
                                       graph_debug_info_pb2, graph_pb2, kernel_def_pb2, node_def_pb2, op_def_pb2,
                                       resource_handle_pb2, step_stats_pb2, tensor_description_pb2, tensor_pb2,
                                       tensor_shape_pb2, tensor_slice_pb2, types_pb2, versions_pb2)
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2, saved_model_pb2, saver_pb2, tensor_bundle_pb2

kinds = {v: k[5:].lower() for k, v in vars(F).items() if k.startswith("TYPE_")}
lines = set()


def enum(e):
    scope = e.full_name.rsplit(".", 1)[0]
    for v in e.values:
        lines.add(f"value {scope}.{v.name} = {v.number}")


def message(m):
    for f in m.fields:
        kind = ("repeated " if f.is_repeated else "optional ") + kinds[f.type]
        if f.message_type:
            kind += " " + f.message_type.full_name
        if f.enum_type:
            kind += " " + f.enum_type.full_name
        oneof = " " + f.containing_oneof.name if f.containing_oneof else ""
        lines.add(f"field {f.full_name} = {f.number} {kind}{oneof}")
    for e in m.enum_types:
        enum(e)
    for n in m.nested_types:
        message(n)


for module in [attr_value_pb2, device_attributes_pb2, full_type_pb2, function_pb2, graph_debug_info_pb2, graph_pb2,
               kernel_def_pb2, node_def_pb2, op_def_pb2, resource_handle_pb2, step_stats_pb2, tensor_description_pb2,
               tensor_pb2, tensor_shape_pb2, tensor_slice_pb2, types_pb2, versions_pb2, config_pb2, meta_graph_pb2, saved_model_pb2, saver_pb2,
               tensor_bundle_pb2]:
    for e in module.DESCRIPTOR.enum_types_by_name.values():
        enum(e)
    for m in module.DESCRIPTOR.message_types_by_name.values():
        message(m)
with open("descriptors.txt", "w") as f:
    f.write("\n".join(sorted(lines)) + "\n")
