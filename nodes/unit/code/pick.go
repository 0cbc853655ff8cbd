package code

import (
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// A pick is x[i] of a vector.
type Pick struct {
	From int32 // slot of the vector
	Wide bool  // the index is an int64
	Size int8  // of an element, in bytes
	End  int32 // the instruction after the calls that do the same
}

// isPick returns how many of the instructions that code begins with make a pick here:
// the packing that was put in front of a slice, and the slice; 0 if they do not.
func (e *emitter) isPick(code []form.Instr) int {
	if e.within == nil {
		return 0
	}
	n := 0
	for n < len(code) && n < 2 && e.form.PacksOne(&code[n]) { // of one bound, or of both
		n++
	}
	if n == len(code) || code[n].Pick == 0 || len(code[n].Before) != n {
		return 0
	}
	in := &code[n]
	x, i, out := in.In[0], in.Pick-1, in.Out[0]
	if out < 0 || !e.isScalar(out) || !e.isScalar(i) || x.Mode == form.Move || !e.within.Vector(x.Value) {
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
func (e *emitter) pickAt(code []form.Instr) int {
	n := e.isPick(code) - 1
	if n < 0 {
		return 0
	}
	in := &code[n]
	x, i, out := in.In[0], in.Pick-1, in.Out[0]
	at := len(e.u.Picks)
	e.u.Picks = append(e.u.Picks, Pick{From: e.home(x.Value), Wide: e.form.Values[i].DType == tensor.Int64, Size: int8(e.form.Values[out].DType.Size())})
	e.node = in.Node
	e.add(instr{Op: OpPick, D: e.reg(out), A: e.reg(i), X: int32(at)})
	for k := range n {
		e.instr(&code[k])
	}
	e.add(instr{Op: OpCall, X: e.kernelCall(in)})
	e.u.Picks[at].End = e.here()
	e.after(in)
	return n + 1
}
