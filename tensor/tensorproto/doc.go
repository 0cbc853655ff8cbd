// Package tensorproto encodes and decodes tensors as TensorProtos, TensorFlow's messages.
//
//	decoding   Unmarshal, From
//	encoding   Marshal, Append, AppendHead, To
//	parts      AppendValues, MarshalContent, MarshalVariants
//
// Decoding accepts hostile input: it allocates no more than a limit, and what it refuses is
// an error with the offset of the byte at fault.
package tensorproto
