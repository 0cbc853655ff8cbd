package wire

import "google.golang.org/protobuf/proto"

// SameFunctionDef reports whether two serialized FunctionDefs are equal but for the order of
// maps' entries. Packages that call it need not know the message, for which each would
// compile the methods of reflect's types.
func SameFunctionDef(a, b []byte) bool {
	var x, y FunctionDef
	return proto.Unmarshal(a, &x) == nil && proto.Unmarshal(b, &y) == nil && proto.Equal(&x, &y)
}
