package code

import (
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// Where values lie: every one has a slot of its own, or that of the value that it
// becomes. One that is used once, as a kernel's input, lies where the kernel wants
// it; other inputs are gathered before the call.

// An area is where a kernel's inputs and outputs lie.
type area struct {
	in, out int32
}

func (e *emitter) fresh(n int32) int32 {
	at := int32(e.u.Slots)
	e.u.Slots += int(n)
	return at
}

// root returns the value whose slot v has.
func (e *emitter) root(v int32) int32 {
	for e.form.Values[v].Into >= 0 {
		v = e.form.Values[v].Into
	}
	return v
}

// home returns the slot of a value outside of islands.
func (e *emitter) home(v int32) int32 {
	r := e.root(v)
	if e.slot[r] < 0 {
		e.slot[r] = e.fresh(1)
		if x := &e.form.Values[r]; x.Const >= 0 {
			e.preset(e.slot[r], x)
		}
	}
	return e.slot[r]
}

func (e *emitter) preset(slot int32, x *form.Value) {
	e.u.Presets = append(e.u.Presets, preset{slot, e.form.Flow.Consts[x.Const]})
}

// lone reports whether a use of a value is its only one and may have it in place.
func (e *emitter) lone(u form.Use) bool {
	x := &e.form.Values[u.Value]
	if x.Uses != 1 || u.Read || x.Into >= 0 || e.target[u.Value] || e.slot[u.Value] >= 0 {
		return false
	}
	switch x.Role {
	case form.RoleLocal, form.RoleParam:
		return u.Mode == form.Move
	case form.RoleShared:
		return x.Const < 0
	}
	return false
}

// allot gives slots to what kernels are called with and to what they make.
func (e *emitter) allot() {
	var scratch int32
	e.calls(e.form.Body, func(in *form.Instr) {
		e.credit.Spend(1 + len(in.In))
		a := area{in: -1}
		for _, u := range in.In {
			if e.form.Values[u.Value].Const >= 0 && !u.Read || e.lone(u) {
				a.in = e.fresh(int32(len(in.In)))
				break
			}
		}
		if a.in < 0 {
			scratch = max(scratch, int32(len(in.In)))
		} else {
			for k, u := range in.In {
				if x := &e.form.Values[u.Value]; x.Const >= 0 && !u.Read {
					e.preset(a.in+int32(k), x)
				} else if e.lone(u) {
					e.slot[u.Value] = a.in + int32(k)
				}
			}
		}
		if len(in.Out) > 1 {
			a.out = e.fresh(int32(len(in.Out)))
			for o, v := range in.Out {
				if v >= 0 {
					e.slot[v] = a.out + int32(o)
				}
			}
		}
		e.areas[in.Number] = a
	})
	e.scratch = e.fresh(scratch)
	for _, p := range e.form.Params {
		x := param{Slot: e.home(p.Value), Node: p.Node, Feed: -1}
		if e.form.Frame == 0 {
			x.Feed = e.form.Flow.Nodes[p.Node].Aux
		}
		e.u.Params = append(e.u.Params, x)
	}
}

// calls does something for every Call of a block and those within it. What one
// call makes may lie in the area of a later one, so a block's calls come last
// first.
func (e *emitter) calls(b *form.Block, do func(*form.Instr)) {
	if b == nil {
		return
	}
	for i := len(b.Code) - 1; i >= 0; i-- {
		in := &b.Code[i]
		switch {
		case in.Op == form.Call:
			do(in)
		case in.Loop != nil:
			e.calls(in.Loop.Tail, do)
			e.calls(in.Loop.Body, do)
			e.calls(in.Loop.Head, do)
		}
		e.calls(in.Else, do)
		e.calls(in.Then, do)
	}
}
