package graph

import (
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// ParseGraphDef turns a GraphDef in protocol buffer text form ("node { name:
// ... }") into a serialized one. Fields that package wire does not declare are
// passed over.
func ParseGraphDef(text []byte) ([]byte, error) {
	var def wire.GraphDef
	if err := wire.UnmarshalText(prototext.UnmarshalOptions{}, text, &def); err != nil {
		return nil, status.Invalid("GraphDef text: %w", err)
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(&def)
	if err != nil {
		return nil, status.Invalid("GraphDef text: %w", err)
	}
	return b, nil
}

// FormatGraphDef turns a serialized GraphDef into protocol buffer text form.
// The spaces in it are not stable between programs.
func FormatGraphDef(b []byte) ([]byte, error) {
	var def wire.GraphDef
	if err := proto.Unmarshal(b, &def); err != nil {
		return nil, status.Invalid("GraphDef: %w", err)
	}
	text, err := prototext.MarshalOptions{Multiline: true}.Marshal(&def)
	if err != nil {
		return nil, status.Invalid("GraphDef: %w", err)
	}
	return text, nil
}
