package kernel

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
)

// Fields of the messages KernelList and KernelDef.
const (
	listKernel = 1

	defOp         = 1
	defDevice     = 2
	defConstraint = 3
	defHostMemory = 4
	defLabel      = 5
	defPriority   = 6

	constraintName    = 1
	constraintAllowed = 2
)

// MarshalKernelList returns the registrations as a serialized KernelList, which
// TensorFlow's tools read.
func MarshalKernelList(list []*Registration) ([]byte, error) {
	var b []byte
	for _, r := range list {
		def, err := r.marshal()
		if err != nil {
			return nil, err
		}
		b = appendBytes(b, listKernel, def)
	}
	return b, nil
}

// marshal returns the registration as a serialized KernelDef.
func (r *Registration) marshal() ([]byte, error) {
	b := appendBytes(nil, defOp, []byte(r.Op))
	b = appendBytes(b, defDevice, []byte(r.Device))
	for _, attr := range sorted.Keys(r.Types) {
		allowed := registry.ListAttr(registry.KindType)
		for _, t := range r.Types[attr] {
			allowed.List = append(allowed.List, registry.TypeAttr(t))
		}
		value, err := registry.MarshalAttr(allowed)
		if err != nil {
			return nil, err
		}
		constraint := appendBytes(nil, constraintName, []byte(attr))
		b = appendBytes(b, defConstraint, appendBytes(constraint, constraintAllowed, value))
	}
	for _, name := range r.HostMemory {
		b = appendBytes(b, defHostMemory, []byte(name))
	}
	if r.Label != "" {
		b = appendBytes(b, defLabel, []byte(r.Label))
	}
	if r.Priority != 0 {
		b = protowire.AppendTag(b, defPriority, protowire.VarintType)
		b = protowire.AppendVarint(b, uint64(r.Priority))
	}
	return b, nil
}

func appendBytes(b []byte, num protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
}
