"""The part of TensorFlow's C API that imports need, through ctypes."""
import ctypes
import os

import tensorflow as tf

CONTROL = -1
CODES = ["OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
         "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
         "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"]


class Output(ctypes.Structure):
    _fields_ = [("oper", ctypes.c_void_p), ("index", ctypes.c_int)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("free", ctypes.c_void_p)]


class Refused(Exception):
    """An error status of TensorFlow."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = CODES[code], message


class Library:
    """The part of the C API that imports need."""

    def __init__(self):
        path = os.path.join(os.path.dirname(tf.__file__), "libtensorflow_cc.so.2")
        self.dll = ctypes.CDLL(path)
        for name in ("NewGraph", "NewStatus", "NewBuffer", "NewBufferFromString", "NewImportGraphDefOptions",
                     "GraphImportGraphDefWithResults", "GraphOperationByName"):
            getattr(self.dll, "TF_" + name).restype = ctypes.c_void_p
        self.dll.TF_Message.restype = self.dll.TF_OperationName.restype = ctypes.c_char_p
        self.dll.TF_ImportGraphDefOptionsAddInputMapping.argtypes = [
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, Output]

    def checked(self, name, *args):
        status = ctypes.c_void_p(self.dll.TF_NewStatus())
        result = getattr(self.dll, "TF_" + name)(*args, status)
        code, message = self.dll.TF_GetCode(status), self.dll.TF_Message(status).decode("utf-8", "replace")
        self.dll.TF_DeleteStatus(status)
        if code:
            raise Refused(code, message)
        return result

    def all_ops(self):
        """A serialized OpList of all operations."""
        self.dll.TF_GetAllOpList.restype = ctypes.POINTER(Buffer)
        buffer = self.dll.TF_GetAllOpList().contents
        return ctypes.string_at(buffer.data, buffer.length)


class Graph:
    """A graph of TensorFlow's."""

    def __init__(self, lib):
        self.lib, self.dll = lib, lib.dll
        self.handle = ctypes.c_void_p(self.dll.TF_NewGraph())

    def close(self):
        self.dll.TF_DeleteGraph(self.handle)

    def operation(self, name):
        op = self.dll.TF_GraphOperationByName(self.handle, name.encode())
        if not op:
            raise KeyError(name)
        return ctypes.c_void_p(op)

    def importing(self, graph_def, options):
        """Imports a serialized GraphDef; what is returned is as in a case's "result_..."."""
        dll = self.dll
        o = ctypes.c_void_p(dll.TF_NewImportGraphDefOptions())
        try:
            dll.TF_ImportGraphDefOptionsSetPrefix(o, options.get("prefix", "").encode())
            dll.TF_ImportGraphDefOptionsSetUniquifyNames(o, ctypes.c_ubyte(options.get("uniquify_names", False)))
            dll.TF_ImportGraphDefOptionsSetUniquifyPrefix(o, ctypes.c_ubyte(options.get("uniquify_prefix", False)))
            dll.TF_ImportGraphDefOptionsSetDefaultDevice(o, options.get("default_device", "").encode())
            for src, dst in options.get("input_map", {}).items():
                (src, i), (dst, k) = tensor_id(src), tensor_id(dst)
                if i == CONTROL:
                    dll.TF_ImportGraphDefOptionsRemapControlDependency(o, src.encode(), self.operation(dst))
                else:
                    dll.TF_ImportGraphDefOptionsAddInputMapping(o, src.encode(), i, Output(self.operation(dst), k))
            for name in options.get("control_dependencies", []):
                dll.TF_ImportGraphDefOptionsAddControlDependency(o, self.operation(name))
            for name, i in map(tensor_id, options.get("return_tensors", [])):
                dll.TF_ImportGraphDefOptionsAddReturnOutput(o, name.encode(), i)
            for name in options.get("return_nodes", []):
                dll.TF_ImportGraphDefOptionsAddReturnOperation(o, name.encode())
            buffer = ctypes.c_void_p(dll.TF_NewBufferFromString(graph_def, ctypes.c_size_t(len(graph_def))))
            try:
                results = ctypes.c_void_p(self.lib.checked("GraphImportGraphDefWithResults", self.handle, buffer, o))
            finally:
                dll.TF_DeleteBuffer(buffer)
        finally:
            dll.TF_DeleteImportGraphDefOptions(o)
        returned = self.returned(results)
        dll.TF_DeleteImportGraphDefResults(results)
        return returned

    def returned(self, results):
        dll, n = self.dll, ctypes.c_int()
        outputs = ctypes.POINTER(Output)()
        dll.TF_ImportGraphDefResultsReturnOutputs(results, ctypes.byref(n), ctypes.byref(outputs))
        name = lambda op: dll.TF_OperationName(ctypes.c_void_p(op)).decode()
        tensors = [text_of(name(outputs[i].oper), outputs[i].index) for i in range(n.value)]
        ops = ctypes.POINTER(ctypes.c_void_p)()
        dll.TF_ImportGraphDefResultsReturnOperations(results, ctypes.byref(n), ctypes.byref(ops))
        nodes = [name(ops[i]) for i in range(n.value)]
        names, indexes = ctypes.POINTER(ctypes.c_char_p)(), ctypes.POINTER(ctypes.c_int)()
        dll.TF_ImportGraphDefResultsMissingUnusedInputMappings(
            results, ctypes.byref(n), ctypes.byref(names), ctypes.byref(indexes))
        unused = sorted((names[i].decode(), indexes[i]) for i in range(n.value))
        return {"result_return_tensors": tensors, "result_return_nodes": nodes,
                "result_unused_input_map": [text_of(*u) for u in unused]}

    def graph_def(self):
        buffer = ctypes.cast(self.dll.TF_NewBuffer(), ctypes.POINTER(Buffer))
        self.lib.checked("GraphToGraphDef", self.handle, buffer)
        data = ctypes.string_at(buffer.contents.data, buffer.contents.length)
        self.dll.TF_DeleteBuffer(buffer)
        return data


def tensor_id(text):
    """The node and the output that "name", "name:1" or "^name" stand for."""
    if text.startswith("^"):
        return text[1:], CONTROL
    name, colon, index = text.rpartition(":")
    return (name, int(index)) if colon and index.isdigit() else (text, 0)


def text_of(name, index):
    return "^" + name if index == CONTROL else "%s:%d" % (name, index)
