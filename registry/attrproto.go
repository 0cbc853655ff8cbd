package registry

import (
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// AttrFromProto returns the value that p describes; see [UnmarshalAttr].
func AttrFromProto(p *wire.AttrValue) (AttrValue, error) {
	b, err := proto.Marshal(p)
	if err != nil {
		return AttrValue{}, status.Invalid("attribute message: %w", err)
	}
	return UnmarshalAttr(b)
}

// AttrToProto returns v as a message. It fails where [MarshalAttr] does. It is no
// method: every package that knows the type would compile what messages need.
func AttrToProto(v AttrValue) (*wire.AttrValue, error) {
	b, err := MarshalAttr(v)
	if err != nil {
		return nil, err
	}
	p := &wire.AttrValue{}
	if err := proto.Unmarshal(b, p); err != nil {
		return nil, status.Errorf(status.Internal, "attribute message: %w", err)
	}
	return p, nil
}
