package prediction

import (
	"math"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// inputs reads tensors of a request for a model. A TensorProto may leave out elements that
// are equal, so that a few bytes announce a tensor of any size: such tensors are counted with
// [serve.Use.Expand] until the request has ended.
type inputs struct {
	u        serve.Use
	expanded []func()
}

func (in *inputs) release() {
	for _, f := range in.expanded {
		f()
	}
}

// all reads tensors by name. The error is that of the first name.
func (in *inputs) all(texts map[string][]byte) (map[string]*tensor.Tensor, error) {
	list := make(map[string]*tensor.Tensor, len(texts))
	var failed string
	var first error
	for name, text := range texts {
		if first != nil && name > failed {
			continue
		}
		t, err := in.tensor(text)
		if err != nil {
			failed, first = name, err
		}
		list[name] = t
	}
	if first != nil {
		e := *status.From(first)
		e.Message = "input '" + failed + "': " + e.Message
		return nil, &e
	}
	return list, nil
}

// tensor reads a tensor.
func (in *inputs) tensor(text []byte) (*tensor.Tensor, error) {
	// An element has at least one byte in the message, and at most 16 in memory.
	t, err := tensorproto.Unmarshal(text, 16*int64(len(text))+1)
	if status.CodeOf(err) != status.ResourceExhausted {
		return t, err
	}
	size := announced(text)
	release, err := in.u.Expand(size)
	if err != nil {
		return nil, err
	}
	in.expanded = append(in.expanded, release)
	return tensorproto.Unmarshal(text, size)
}

// announced returns how many bytes the tensor of a message that is well-formed has in memory.
func announced(text []byte) int64 {
	const dtype, shape, dim, size = 1, 2, 2, 1
	bytes := 1.0
	c := wire.NewCursor("", text)
	for c.Next() {
		switch {
		case c.IsVarint(dtype):
			if c.Value < math.MaxUint8 && tensor.DType(c.Value).Valid() {
				bytes *= float64(max(1, tensor.DType(c.Value).Size()))
				if tensor.DType(c.Value).HasPointers() {
					bytes *= 16 // two words
				}
			}
		case c.IsBytes(shape):
			s := c.Message("")
			for s.Next() {
				if !s.IsBytes(dim) {
					continue
				}
				d := s.Message("")
				n := 0.0
				for d.Next() {
					if d.IsVarint(size) {
						n = float64(d.Value)
					}
				}
				bytes *= n
			}
		}
	}
	return int64(min(bytes, 1<<62))
}
