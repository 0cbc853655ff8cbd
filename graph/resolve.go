package graph

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func resolve(op *registry.OpDef, given registry.Attrs) (attrs registry.Attrs, in, out []tensor.DType, err error) {
	return nil, nil, nil, status.Errorf(status.Unimplemented, "resolve %s", op.Name)
}

func decodeAttr(b []byte) (registry.AttrValue, error) {
	return registry.AttrValue{}, status.Errorf(status.Unimplemented, "decodeAttr")
}

func decodeOpDef(b []byte) (*registry.OpDef, error) {
	return nil, status.Errorf(status.Unimplemented, "decodeOpDef")
}

func appendNode(b []byte, n *Node) []byte { return append(b, n.name...) }
