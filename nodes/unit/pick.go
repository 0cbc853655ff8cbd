package unit

import (
	"github.com/troupe-go/troupe/tensor"
)

// Front ends write x[i] as three nodes: the bounds i and i+1 packed to vectors,
// and a StridedSlice that drops the dimension. In an island that knows i to be a
// scalar, and x, from outside, a vector, that is one instruction.

// picks finds such slices, and puts the packing that they alone need in front of
// them.
func (f *Form) picks(c *credit) { f.picksOf(f.Body, c) }

func (f *Form) picksOf(b *Block, c *credit) {
	if b == nil {
		return
	}
	c.spend(len(b.Code))
	var made map[int32]int // by value that packing makes: the instruction
	var sunk map[int]bool
	for at := range b.Code {
		in := &b.Code[at]
		f.picksOf(in.Then, c)
		f.picksOf(in.Else, c)
		if w := in.Loop; w != nil {
			f.picksOf(w.Head, c)
			f.picksOf(w.Body, c)
			f.picksOf(w.Tail, c)
		}
		switch {
		case f.packsOne(in):
			if made == nil {
				made = map[int32]int{}
			}
			made[in.Out[0]] = at
		case made != nil && f.slicesOne(in):
			first, ok := made[in.In[1].Value]
			if !ok || f.Values[in.In[1].Value].Uses != 1 {
				continue
			}
			// The end says nothing, but that it has one element must be certain.
			last, packed := made[in.In[2].Value]
			if packed = packed && f.Values[in.In[2].Value].Uses == 1; !packed && !f.isOne(in.In[2].Value, nil) {
				continue
			}
			if sunk == nil {
				sunk = map[int]bool{}
			}
			in.Pick = b.Code[first].In[0].Value + 1
			sunk[first] = true
			in.before = append(in.before, first)
			if packed {
				sunk[last] = true
				in.before = append(in.before, last)
			}
		}
	}
	if len(sunk) == 0 {
		return
	}
	code := make([]Instr, 0, len(b.Code))
	for at := range b.Code {
		if sunk[at] {
			continue
		}
		for _, first := range b.Code[at].before {
			code = append(code, b.Code[first])
		}
		code = append(code, b.Code[at])
	}
	b.Code = code
}

// packsOne reports whether an instruction makes a vector of one scalar.
func (f *Form) packsOne(in *Instr) bool {
	return in.Op == Call && len(in.In) == 1 && f.flow.Op(in.Node) == "Pack" && !in.In[0].Read &&
		(f.Values[in.In[0].Value].DType == tensor.Int32 || f.Values[in.In[0].Value].DType == tensor.Int64)
}

// slicesOne reports whether an instruction takes one element of its first
// dimension and drops that.
func (f *Form) slicesOne(in *Instr) bool {
	if in.Op != Call || len(in.In) != 4 || f.flow.Op(in.Node) != "StridedSlice" {
		return false
	}
	attrs := f.flow.Nodes[in.Node].Def.Attrs()
	for name, want := range map[string]int64{"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 1} {
		if a := attrs.Find(name); a == nil || a.I != want {
			return false
		}
	}
	if in.In[0].Read || in.In[1].Read || in.In[2].Read {
		return false
	}
	return f.isOne(in.In[3].Value, func(x int64) bool { return x == 1 })
}

// isOne reports whether a value is a constant vector of one element, which fits.
func (f *Form) isOne(v int32, fits func(int64) bool) bool {
	x := &f.Values[v]
	if x.Const < 0 {
		return false
	}
	c := f.flow.Consts[x.Const]
	if c.NumElements() != 1 || c.Rank() != 1 {
		return false
	}
	switch {
	case fits == nil:
		return true
	case c.DType() == tensor.Int32:
		return fits(int64(tensor.At0[int32](&c)))
	case c.DType() == tensor.Int64:
		return fits(tensor.At0[int64](&c))
	}
	return false
}

// A pick is x[i] of a vector.
type pick struct {
	from int32 // slot of the vector
	wide bool  // the index is an int64
	size int8  // of an element, in bytes
	end  int32 // the instruction after the calls that do the same
}

// isPick returns how many of the instructions that code begins with make a pick here:
// the packing that was put in front of a slice, and the slice; 0 if they do not.
func (e *emitter) isPick(code []Instr) int {
	if e.within == nil {
		return 0
	}
	n := 0
	for n < len(code) && n < 2 && e.form.packsOne(&code[n]) { // of one bound, or of both
		n++
	}
	if n == len(code) || code[n].Pick == 0 || len(code[n].before) != n {
		return 0
	}
	in := &code[n]
	x, i, out := in.In[0], in.Pick-1, in.Out[0]
	if out < 0 || !e.isScalar(out) || !e.isScalar(i) || x.Mode == Move || !e.within.vector(x.Value) {
		return 0
	}
	for _, pack := range code[:n] {
		if !e.isScalar(pack.In[0].Value) {
			return 0
		}
	}
	return n + 1
}

// pickAt writes a pick for the instructions that code begins with, and the calls
// that do the same where the index is not inside; it answers how many they are,
// 0 if they are no pick here.
func (e *emitter) pickAt(code []Instr) int {
	n := e.isPick(code) - 1
	if n < 0 {
		return 0
	}
	in := &code[n]
	x, i, out := in.In[0], in.Pick-1, in.Out[0]
	at := len(e.u.picks)
	e.u.picks = append(e.u.picks, pick{from: e.home(x.Value), wide: e.form.Values[i].DType == tensor.Int64, size: int8(e.form.Values[out].DType.Size())})
	e.node = in.Node
	e.add(instr{op: opPick, d: e.reg(out), a: e.reg(i), x: int32(at)})
	for k := range n {
		e.instr(&code[k])
	}
	e.add(instr{op: opCall, x: e.kernelCall(in)})
	e.u.picks[at].end = e.here()
	e.after(in)
	return n + 1
}

// pick is x[i], if i is an index counted from the front.
func (m *Machine) pick(p *pick, index, to *tensor.Value) bool {
	i := int64(tensor.Inner[int32](index))
	if p.wide {
		i = tensor.Inner[int64](index)
	}
	x := &m.slab[p.from]
	if uint64(i) >= uint64(x.NumElements()) {
		return false
	}
	switch p.size {
	case 1:
		tensor.SetInner(to, tensor.Words[uint8](x)[i])
	case 4:
		tensor.SetInner(to, tensor.Words[uint32](x)[i])
	default:
		tensor.SetInner(to, tensor.Words[uint64](x)[i])
	}
	return true
}
