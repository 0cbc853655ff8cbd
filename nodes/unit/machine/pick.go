package machine

import (
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/tensor"
)

// pick is x[i], if i is an index counted from the front; then the kernel is passed over.
func (m *Machine) pick(p *code.Pick, index, to *tensor.Value, pc int) int {
	i := int64(tensor.Inner[int32](index))
	if p.Wide {
		i = tensor.Inner[int64](index)
	}
	x := &m.slab[p.From]
	if uint64(i) >= uint64(x.NumElements()) {
		return pc
	}
	switch p.Size {
	case 1:
		tensor.SetInner(to, tensor.Words[uint8](x)[i])
	case 4:
		tensor.SetInner(to, tensor.Words[uint32](x)[i])
	default:
		tensor.SetInner(to, tensor.Words[uint64](x)[i])
	}
	return int(p.End)
}
