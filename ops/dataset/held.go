package dataset

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// held are the tensors that a variant's value holds, as a [tensor.RefCounted]. They stay the
// same.
type held struct {
	components []tensor.Value
	weight     int64 // see TotalBytes
}

// hold makes the inputs of a kernel what a value holds.
func hold(ctx *kernel.Context, in []tensor.Value) (h held, err error) {
	h.components = make([]tensor.Value, len(in))
	for i, v := range in {
		if v.Partial() { // the rest can go
			if v, err = ctx.Share(v); err != nil {
				return h, err
			}
		}
		h.components[i] = v
	}
	h.weigh()
	return h, nil
}

// holder registers the kernels of an operation that makes such values, or knows them.
func holder(f kernel.Factory, op string) {
	kernel.Register(kernel.Registration{Op: op, Holders: true, New: f})
}

// weigh notes what all take, once they are there.
func (h *held) weigh() { h.weight = int64(h.Bytes()) + weigh(h.components) }

// weigh returns what tensors take that are no plain scalars.
func weigh(all []tensor.Value) (bytes int64) {
	for _, v := range all {
		if !v.Plain() {
			bytes += v.TotalBytes()
		}
	}
	return bytes
}

// TotalBytes returns what the value and its components take. See [tensor.Value.TotalBytes].
func (h *held) TotalBytes() int64 { return h.weight }

// Claim holds the components. See [tensor.RefCounted].
func (h *held) Claim(a *tensor.Arena) {
	for _, v := range h.components {
		if !v.Plain() {
			a.Claim(v)
			v.Hold(1)
		}
	}
}

// Release gives the components up. See [tensor.RefCounted].
func (h *held) Release(a *tensor.Arena) {
	for _, v := range h.components {
		a.Drop(v)
	}
}

// Share shares the components. See [tensor.RefCounted].
func (h *held) Share(share func(tensor.Value)) {
	for _, v := range h.components {
		share(v)
	}
}

// Bytes returns what the value takes beside its components, with the header of its variant,
// and a quarter more, for the collector. See [tensor.RefCounted].
func (h *held) Bytes() int { return 288 + 16*len(h.components) }
