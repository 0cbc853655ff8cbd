package protocol

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// What an actor is, as a value: whoever explores what a step may do copies actors,
// and tells by their text whether two are the same.

// Copy returns the node with a state of its own.
func (n *Node) Copy() *Node {
	c := &Node{Spec: n.Spec, Acted: n.Acted, Fed: n.Fed, fetched: n.fetched}
	for _, a := range n.active {
		b := *a
		b.In = slices.Clone(a.In)
		c.active = append(c.active, &b)
	}
	return c
}

// AppendText appends the node's state.
func (n *Node) AppendText(b []byte) []byte {
	slices.SortFunc(n.active, func(x, y *Activation) int { return x.Tag.compare(y.Tag) })
	b = binary.AppendUvarint(b, bit(n.Acted)|bit(n.fetched)<<1|uint64(len(n.active))<<2)
	for _, a := range n.active {
		b = a.Tag.append(b)
		b = binary.AppendUvarint(b, uint64(a.Left))
		b = binary.AppendUvarint(b, bit(a.Dead)|bit(a.Running)<<1|bit(a.over)<<2)
		b = binary.AppendUvarint(b, uint64(a.credit))
		for _, v := range a.In {
			b = appendValue(b, v)
		}
	}
	return b
}

// Held is the credit that the node holds.
func (n *Node) Held(yield func(Tag, Credit)) {
	for _, a := range n.active {
		if a.Running {
			yield(a.Tag, a.credit)
		}
	}
}

// Copy returns the frame with a state of its own.
func (f *Frame) Copy() *Frame {
	c := *f
	c.consts, c.queued, c.lingers = slices.Clone(f.consts), slices.Clone(f.queued), slices.Clone(f.lingers)
	c.left, c.credits, c.spare, c.gone = slices.Clone(f.left), slices.Clone(f.credits), nil, 0
	c.ring = nil
	for _, it := range f.Alive() {
		d := *it
		d.opened, d.acted = slices.Clone(it.opened), slices.Clone(it.acted)
		d.purse.parts = slices.Clone(it.purse.parts)
		c.ring = append(c.ring, &d)
	}
	return &c
}

// AppendText appends the frame's state.
func (f *Frame) AppendText(b []byte) []byte {
	b = f.Around.append(b)
	b = binary.AppendUvarint(b, bit(f.Over)|bit(f.suspended)<<1)
	for _, n := range []int{f.enters, f.next, f.lively} {
		b = binary.AppendVarint(b, int64(n))
	}
	slices.Sort(f.lingers)
	slices.Sort(f.credits)
	slices.SortFunc(f.consts, held.compare)
	slices.SortFunc(f.queued, held.compare)
	for _, all := range [][]held{f.consts, f.queued} {
		b = binary.AppendUvarint(b, uint64(len(all)))
		for _, h := range all {
			b = binary.AppendUvarint(b, uint64(h.node)<<1|bit(h.dead))
			b = appendValue(b, h.value)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(f.lingers)))
	for _, x := range f.lingers {
		b = binary.AppendUvarint(b, uint64(x))
	}
	b = binary.AppendUvarint(b, uint64(len(f.credits)))
	for _, c := range f.credits {
		b = binary.AppendUvarint(b, uint64(c))
	}
	for _, l := range f.left {
		b = append(b, byte(bit(l)))
	}
	b = binary.AppendUvarint(b, uint64(f.living()))
	for _, it := range f.Alive() {
		b = binary.AppendVarint(b, int64(it.waiting))
		b = binary.AppendVarint(b, it.issued)
		for w := range it.opened {
			b = binary.AppendUvarint(b, it.opened[w])
			b = binary.AppendUvarint(b, it.acted[w])
		}
		b = it.purse.append(b)
	}
	return b
}

// Held is the credit that the frame holds of the iteration around it.
func (f *Frame) Held(yield func(Tag, Credit)) {
	for _, c := range f.credits {
		yield(f.Around, c)
	}
}

// Account returns what the frame has issued for an iteration, with a copy of the purse.
func (it *Iteration) Account() (issued int64, back Purse) {
	return it.issued, Purse{it.purse.units, slices.Clone(it.purse.parts)}
}

// Units returns the whole units in the purse.
func (p *Purse) Units() int64 { return p.units }

// Copy returns the step with a state of its own.
func (s *Step) Copy() *Step {
	c := *s
	c.Results, c.purse.parts = slices.Clone(s.Results), slices.Clone(s.purse.parts)
	return &c
}

// AppendText appends the step's state.
func (s *Step) AppendText(b []byte) []byte {
	b = binary.AppendUvarint(b, bit(s.Over)|bit(s.Hangs)<<1)
	for _, r := range s.Results {
		b = append(b, byte(bit(r.Dead)))
		b = appendValue(b, r.Value)
	}
	return s.purse.append(b)
}

// Account returns the credit that the step has got back.
func (s *Step) Account() Purse { return Purse{s.purse.units, slices.Clone(s.purse.parts)} }

// AppendText appends the message.
func (m *Message) AppendText(b []byte) []byte {
	b = append(b, byte(m.Verb), byte(m.News), byte(bit(m.Dead)))
	b = binary.AppendUvarint(b, uint64(m.Credit))
	for _, n := range []int32{m.Node, m.Slot, m.Frame} {
		b = binary.AppendVarint(b, int64(n))
	}
	return appendValue(m.Tag.append(b), m.Value)
}

func (p *Purse) append(b []byte) []byte {
	b = binary.AppendVarint(b, p.units)
	parts := p.parts
	for len(parts) > 0 && parts[len(parts)-1] == 0 {
		parts = parts[:len(parts)-1]
	}
	b = binary.AppendUvarint(b, uint64(len(parts)))
	for _, w := range parts {
		b = binary.AppendUvarint(b, w)
	}
	return b
}

func (t Tag) append(b []byte) []byte {
	return binary.AppendVarint(binary.AppendUvarint(b, uint64(t.Frame)), int64(t.Iter))
}

func (t Tag) compare(o Tag) int {
	return cmp.Or(cmp.Compare(t.Frame, o.Frame), cmp.Compare(t.Iter, o.Iter))
}

func (h held) compare(o held) int { return cmp.Compare(h.node, o.node) }

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// appendValue appends the type, shape and elements of a value of numbers.
func appendValue(b []byte, v tensor.Value) []byte {
	if v.IsZero() {
		return append(b, 0)
	}
	b = append(b, 1, byte(v.DType()), byte(v.Rank()))
	for _, d := range v.Dims() {
		b = binary.AppendVarint(b, d)
	}
	if !v.DType().HasPointers() {
		b = append(b, tensor.Bytes(&v)...)
	}
	return b
}
