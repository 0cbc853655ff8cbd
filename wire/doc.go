// Package wire holds the protocol buffer messages of graphs, tensors, definitions and
// models: [GraphDef], [NodeDef], [AttrValue], [TensorProto], [OpDef], [FunctionDef],
// [SavedModel], [ConfigProto], checkpoint entries, and their parts.
//
// The types are generated from the .proto files under troupe/. Field numbers,
// field names, types and enum values are those of TensorFlow's messages, so
// that the binary and the text form are interchangeable with TensorFlow's.
// File paths and the protobuf package (troupe.tensorflow) are of our own, so
// that a program may link both: the protobuf runtime keeps one registry for a
// process and refuses a name that is registered twice.
//
// Messages that only TensorFlow's own tools read (cost models, rewriter
// options, object graphs) are not declared; the runtime keeps their bytes as
// unknown fields and writes them back. Text that names such a field parses
// with prototext's DiscardUnknown.
//
// What is large or comes from strangers is not decoded into messages: a
// [Cursor] goes over its bytes, and the packages that read graphs, definitions,
// tensors and models take from it what they need.
//
// Tensors have a codec of their own in package tensor, which checks a shape
// against what the message holds before it allocates; nothing decodes a large
// tensor through [TensorProto].
package wire

//go:generate protoc --go_out=. --go_opt=module=github.com/troupe-go/troupe/wire troupe/types.proto troupe/tensor.proto troupe/node.proto troupe/op.proto troupe/graph.proto troupe/session.proto troupe/saved_model.proto troupe/tensor_slice.proto troupe/tensor_bundle.proto
