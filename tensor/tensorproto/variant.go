package tensorproto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	tensor.RegisterVariantForm(func(t *tensor.Tensor) ([]byte, error) { return marshalVariants(t, nil) })
}

// A Reserve is asked before a message that is being written takes n bytes more than it
// has asked for so far; nil: there is always room.
type Reserve func(n int) error

// MarshalVariants is [Marshal] of a tensor of variants, which may hold
// others, as deep as there is room.
func MarshalVariants(t *tensor.Tensor, room Reserve) ([]byte, error) {
	elements, err := marshalVariants(t, room)
	if err != nil {
		return nil, err
	}
	return append(appendHead(make([]byte, 0, len(elements)+64), t), elements...), nil
}

// A writing is a message that is written from its end to its beginning: the length
// of a part is known when its tag is due, however deep it is nested.
type writing struct {
	b    []byte // what is written is at the end
	at   int    // where it begins
	room Reserve
}

// size returns how many bytes have been written.
func (w *writing) size() int { return len(w.b) - w.at }

// put puts b before what has been written.
func (w *writing) put(b []byte) error {
	if w.at < len(b) {
		more := max(len(w.b), len(b), 256)
		if w.room != nil {
			// The larger buffer is there beside the old one, and the message in the end.
			if err := w.room(2 * more); err != nil {
				return err
			}
		}
		grown := make([]byte, len(w.b)+more)
		w.at += more
		copy(grown[w.at:], w.b[w.at-more:])
		w.b = grown
	}
	w.at -= len(b)
	copy(w.b[w.at:], b)
	return nil
}

// putHead puts the tag of a field of bytes, of which size have been written.
func (w *writing) putHead(num protowire.Number, size int) error {
	var buf [2 * 10]byte
	b := protowire.AppendTag(buf[:0], num, protowire.BytesType)
	return w.put(protowire.AppendVarint(b, uint64(size)))
}

func (w *writing) putField(num protowire.Number, b []byte) error {
	if err := w.put(b); err != nil {
		return err
	}
	return w.putHead(num, len(b))
}

// A nested is a tensor of variants, or a variant, of which a part has been written.
type nested struct {
	t    *tensor.Tensor      // nil: v is written
	v    *tensor.VariantData // of an element of the tensor below
	left int                 // elements, or parts
	end  int                 // what had been written before it
}

// marshalVariants returns the elements of t, of variants, as fields.
func marshalVariants(t *tensor.Tensor, room Reserve) ([]byte, error) {
	w := &writing{room: room}
	open := []nested{{t: t, left: t.NumElements()}}
	for steps := 0; len(open) > 0; steps++ {
		if steps%1024 == 1023 && room != nil { // time passes where nothing grows
			if err := room(0); err != nil {
				return nil, err
			}
		}
		var err error
		if top := &open[len(open)-1]; top.t != nil {
			open, err = w.element(open, top)
		} else {
			open, err = w.part(open, top)
		}
		if err != nil {
			i := open[0].left
			return nil, status.Errorf(status.CodeOf(err), "element %d: %w", i, err)
		}
	}
	return w.b[w.at:], nil
}

// element goes on with the elements of a tensor, from the last to the first.
func (w *writing) element(open []nested, top *nested) ([]nested, error) {
	if top.left == 0 {
		end, t := top.end, top.t
		if open = open[:len(open)-1]; len(open) == 0 {
			return open, nil
		}
		if err := w.put(appendHead(nil, t)); err != nil {
			return open, err
		}
		return open, w.putHead(fieldVariantTensor, w.size()-end)
	}
	top.left--
	o := elems[*tensor.Object](top.t)[top.left]
	if o == nil || o.Value == nil {
		return open, w.putHead(fieldVariant, 0)
	}
	m, ok := o.Value.(tensor.VariantMarshaler)
	if !ok {
		return open, status.Errorf(status.Unimplemented, "a variant of type %T has no serialized form", o.Value)
	}
	v, err := m.MarshalVariant()
	if err != nil {
		return open, err
	}
	return append(open, nested{v: v, left: v.Parts + len(v.Tensors), end: w.size()}), nil
}

// part goes on with what a variant holds, from the last part to its name.
func (w *writing) part(open []nested, top *nested) ([]nested, error) {
	if top.left == 0 {
		v, end := top.v, top.end
		open = open[:len(open)-1]
		if len(v.Metadata) > 0 {
			if err := w.putField(fieldVariantMetadata, v.Metadata); err != nil {
				return open, err
			}
		}
		if v.TypeName != "" {
			if err := w.putField(fieldVariantName, []byte(v.TypeName)); err != nil {
				return open, err
			}
		}
		return open, w.putHead(fieldVariant, w.size()-end)
	}
	top.left--
	if top.left >= top.v.Parts {
		return open, w.putField(fieldVariantTensor, top.v.Tensors[top.left-top.v.Parts])
	}
	p := top.v.Part(top.left).Peek()
	if p.DType() == tensor.Variant {
		return append(open, nested{t: p, left: p.NumElements(), end: w.size()}), nil
	}
	if w.room != nil {
		if err := w.room(int(tensor.ValueOf(p).TotalBytes())); err != nil {
			return open, err
		}
	}
	b, err := Marshal(p)
	if err != nil {
		return open, err
	}
	return open, w.putField(fieldVariantTensor, b)
}
