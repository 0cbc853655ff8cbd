// Package prototext reads and writes GraphDefs in protocol buffer text form ("node { name: … }"),
// as files that end in .pbtxt have them.
package prototext

import (
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Parse returns the serialized form of a GraphDef in text form. Fields that package wire does
// not declare are passed over.
func Parse(text []byte) ([]byte, error) {
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

// Format returns the text form of a serialized GraphDef. The spaces in it are not stable
// between programs.
func Format(b []byte) ([]byte, error) {
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
