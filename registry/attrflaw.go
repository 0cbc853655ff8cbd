package registry

import (
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A Flaw is what is wrong with a value that is well-formed as a message, but
// means nothing here: of a data type that is not known, say. A node may carry
// such a value under a name that its definition does not have, as graphs of
// newer producers do, and it is written as read.
type Flaw struct {
	Message string // the serialized AttrValue
	Reason  string
}

// Err reports why the value cannot be used, with INVALID_ARGUMENT; nil if it can.
func (v *AttrValue) Err() error {
	if v.Flaw == nil {
		return nil
	}
	return status.Invalid("%s", v.Flaw.Reason)
}

// maxFlawed is how many bytes the message of a value without meaning may have.
const maxFlawed = 1 << 18

// flawed returns a value of that kind whose message err was found in; false if
// nothing may carry it, since the message is not well-formed or takes too much
// memory.
//
// What is kept is bounded by maxFlawed: to see that a message is well-formed takes many
// times its size.
func flawed(kind AttrKind, message []byte, err error) (AttrValue, bool) {
	if status.CodeOf(err) != status.InvalidArgument || len(message) > maxFlawed || proto.Unmarshal(message, new(wire.AttrValue)) != nil {
		return AttrValue{}, false
	}
	return AttrValue{Kind: kind, Flaw: &Flaw{string(message), status.From(err).Message}}, true
}
