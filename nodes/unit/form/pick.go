package form

import (
	"github.com/troupe-go/troupe/tensor"
)

// Front ends write x[i] as three nodes: the bounds i and i+1 packed to vectors,
// and a StridedSlice that drops the dimension. In an island that knows i to be a
// scalar, and x, from outside, a vector, that is one instruction.

// picks finds such slices, and puts the packing that they alone need in front of
// them.
func (f *Form) picks(c *Credit) { f.picksOf(f.Body, c) }

func (f *Form) picksOf(b *Block, c *Credit) {
	if b == nil {
		return
	}
	c.Spend(len(b.Code))
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
		case f.PacksOne(in):
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
			in.Before = append(in.Before, first)
			if packed {
				sunk[last] = true
				in.Before = append(in.Before, last)
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
		for _, first := range b.Code[at].Before {
			code = append(code, b.Code[first])
		}
		code = append(code, b.Code[at])
	}
	b.Code = code
}

// packsOne reports whether an instruction makes a vector of one scalar.
func (f *Form) PacksOne(in *Instr) bool {
	return in.Op == Call && len(in.In) == 1 && f.Flow.Op(in.Node) == "Pack" && !in.In[0].Read &&
		(f.Values[in.In[0].Value].DType == tensor.Int32 || f.Values[in.In[0].Value].DType == tensor.Int64)
}

// slicesOne reports whether an instruction takes one element of its first
// dimension and drops that.
func (f *Form) slicesOne(in *Instr) bool {
	if in.Op != Call || len(in.In) != 4 || f.Flow.Op(in.Node) != "StridedSlice" {
		return false
	}
	attrs := f.Flow.Nodes[in.Node].Def.Attrs()
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
	c := f.Flow.Consts[x.Const]
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
