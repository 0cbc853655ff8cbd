package form

import (
	"slices"

	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
)

// Operations that may wait. A unit runs its operations in one order, and while one
// of them waits, the unit is parked. That is right where nothing runs later than
// the edges say because it stands behind one that waits for something else. So of the
// operations of a frame that may wait, those that can be live together have an order by
// edges, or they are started together, and everything is run before all of them that it
// does not need: each step has a turn, the number of waiting operations one after another
// that come before it, and steps are played by their turns, those that may wait last.

// maxWaits bounds the steps of a frame that may wait.
const maxWaits = 64

// Waits reports whether an instruction may wait.
func (f *Form) Waits(in *Instr) bool {
	return in.Op == Call && f.Flow.Nodes[in.Node].Kind == kind.Async
}

// Guarded reports whether what an instruction makes is taken for a scalar before it is
// there: what a kernel that may wait brings, such as a queue's element, may have any shape, and mostly
// is a scalar where its type is that of one.
func (f *Form) Guarded(in *Instr) bool {
	if in.Op != Call || in.Starts || len(in.Out) != 1 || !f.Waits(in) {
		return false
	}
	out := f.Flow.output(Source{in.Node, 0})
	return machine(f.Flow.dtype(Source{in.Node, 0})) && out.Shape().NumDimensions() <= 0 // -1: not known
}

// stepWaits reports whether a step is an operation that may wait, or a frame with one.
func (a *analysis) stepWaits(s step) bool {
	if g, ok := s.frame(); ok {
		return a.waits[g] && a.calls[g] != never
	}
	return a.f.Nodes[s].Kind == kind.Async && a.when[s] != never
}

// condOf returns when a step acts.
func (a *analysis) condOf(s step) cond {
	if g, ok := s.frame(); ok {
		return a.calls[g]
	}
	return a.when[s]
}

// turnAt returns where the turn of a step is kept.
func (a *analysis) turnAt(s step) *int32 {
	if g, ok := s.frame(); ok {
		return &a.turns[len(a.f.Nodes)+int(g)]
	}
	return &a.turns[s]
}

// place returns the place of a step in its frame, as sort numbers them.
func (a *analysis) place(s step) int32 {
	if g, ok := s.frame(); ok {
		return a.placed[g]
	}
	return a.local[s]
}

// named returns a node that a step is named by in messages.
func (a *analysis) named(s step) int32 {
	if g, ok := s.frame(); ok {
		return a.enters[g][0]
	}
	return int32(s)
}

// inTurns finds the turns of the steps of a frame in which something may wait, and
// whether they can be played by them.
func (a *analysis) inTurns(f int32) bool {
	if a.turns == nil {
		a.turns = make([]int32, len(a.f.Nodes)+len(a.f.Frames))
	}
	members := a.f.Frames[f].Members
	total := len(members) + len(a.children[f])
	var waits []step
	before := make([]uint64, total) // by place: the waiting steps that come before, by their places in waits
	own := make([]uint64, total)    // likewise: the step itself, if it waits
	for _, s := range a.order[f] {
		at, turn := a.place(s), int32(0)
		a.needs(entry{s, -1}, func(need step) {
			k := a.place(need)
			before[at] |= before[k] | own[k]
			t := *a.turnAt(need)
			if own[k] != 0 {
				t++
			}
			turn = max(turn, t)
		})
		*a.turnAt(s) = turn
		if a.stepWaits(s) {
			if len(waits) == maxWaits {
				return a.no("too many kernels that may wait", a.named(s))
			}
			own[at] = 1 << len(waits)
			waits = append(waits, s)
		}
	}
	a.credit.Spend(total * (2 + len(waits)))
	test := slices.IndexFunc(members, func(i int32) bool { return a.f.Nodes[i].Kind == kind.LoopCond })
	for k, s := range waits {
		side, inside := a.conds.side(a.condOf(s), a.test[f])
		switch {
		case inside && side == 0:
			return a.no("a kernel that may wait where the loop ends", a.named(s))
		case !inside && before[test]&(1<<k) == 0:
			return a.no("a test that does not follow a kernel that may wait", a.named(s))
		}
	}
	for _, s := range a.order[f] {
		if _, inner := s.frame(); !inner && a.f.Nodes[s].Kind > kind.Async || a.condOf(s) == never {
			continue
		}
		at, turn := a.place(s), *a.turnAt(s)
		for k, w := range waits {
			if before[at]&(1<<k) != 0 || w == s || a.conds.disjoint(a.condOf(s), a.condOf(w)) {
				continue
			}
			switch {
			case own[at] != 0 && before[a.place(w)]&own[at] == 0 && turn == *a.turnAt(w):
				if s < 0 || w < 0 {
					return a.no("a loop that may wait, without an order to a kernel that may", a.named(s))
				}
			case turn > *a.turnAt(w):
				return a.no("a kernel that would stand behind another that may wait", a.named(s))
			}
		}
	}
	if a.f.Frames[f].Parallel > 1 && !a.oneByOne(f, waits, before, own, int32(test)) {
		return a.no("iterations that need not wait for each other, and a kernel that may", a.named(waits[0]))
	}
	return true
}

// oneByOne reports whether edges let iterations of a frame act one after another, of
// which several may be alive: the test, and whatever comes before it and could fail or
// be seen, follows everything that may wait in the iteration before.
func (a *analysis) oneByOne(f int32, waits []step, before, own []uint64, test int32) bool {
	carried := make([]uint64, len(before)) // the waiting steps of the iteration before that come before
	for _, s := range a.order[f] {
		at := a.place(s)
		if i := int32(s); s >= 0 && a.isVar(f, i) {
			for _, from := range a.f.In[i] {
				if a.f.Nodes[from.Node].Kind == kind.Next {
					carried[at] = before[a.local[from.Node]] | own[a.local[from.Node]]
				}
			}
			continue
		}
		a.needs(entry{s, -1}, func(need step) { carried[at] |= carried[a.place(need)] })
	}
	all := ^uint64(0) >> (64 - len(waits))
	if carried[test] != all {
		return false
	}
	for _, s := range a.order[f] {
		_, inner := s.frame()
		if !inner && a.f.Nodes[s].Kind > kind.Async {
			continue
		}
		if _, after := a.conds.side(a.condOf(s), a.test[f]); !after && carried[a.place(s)] != all && (inner || !a.harmless(s)) {
			return false
		}
	}
	return true
}

// harmless reports whether a step's node is [Harmless].
func (a *analysis) harmless(s step) bool {
	d := a.f.Nodes[s].Def
	return d != nil && Harmless(d.Type(), d.InputTypes())
}

// Harmless reports whether an operation's kernel, for these types of inputs, is arithmetic
// that does not fail on scalars.
func Harmless(op string, inputs []tensor.DType) bool {
	if len(inputs) == 0 {
		return false
	}
	scalar := scalarOps[opOf{op, inputs[0]}]
	return scalar != 0 && !scalar.Asks()
}

// awaits is the input of an entry that waits for what was started before it.
const awaits int32 = -2

// meet reports whether steps may wait and can be live together, and notes that they are
// started together.
func (b *builder) meet(steps []step) bool {
	together := false
	for i, s := range steps {
		for _, other := range steps[:i] {
			together = together || b.stepWaits(s) && !b.conds.disjoint(b.condOf(s), b.condOf(other))
		}
	}
	for _, s := range steps {
		if together && s >= 0 {
			if b.starts == nil {
				b.starts = map[int32]bool{}
			}
			b.starts[int32(s)] = true
		}
	}
	return together
}

// scheduleInTurns is schedule for steps of one frame, of which some may wait.
func (b *builder) scheduleInTurns(steps []step, base cond) []entry {
	f := int32(0)
	if g, inner := steps[0].frame(); inner {
		f = b.f.Frames[g].Parent
	} else {
		f = b.f.Nodes[steps[0]].Frame
	}
	if !b.waits[f] {
		return b.schedule(steps, base)
	}
	turn := func(s step) int32 {
		t := 2 * *b.turnAt(s)
		if b.stepWaits(s) {
			t++
		}
		return t
	}
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(x, y step) int { return int(turn(x) - turn(y)) })
	var list []entry
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && turn(steps[n]) == turn(steps[0]) {
			n++
		}
		list = append(list, b.schedule(steps[:n], base)...)
		if b.meet(steps[:n]) {
			list = append(list, entry{steps[0], awaits})
		}
		steps = steps[n:]
	}
	return list
}
