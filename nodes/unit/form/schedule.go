package form

import (
	"github.com/troupe-go/troupe/nodes/kind"
)

// An entry of a schedule is a step, or one of the inputs of a Merge, which is
// taken where it is live.
type entry struct {
	step  step
	input int32 // -1: the step itself
}

// needs calls yield with the steps that must come before an entry.
func (a *analysis) needs(e entry, yield func(step)) {
	if f, ok := e.step.frame(); ok {
		for _, enter := range a.enters[f] {
			yield(nodeStep(enter))
		}
		return
	}
	i := int32(e.step)
	f := a.f.Nodes[i].Frame
	in := a.f.In[i]
	if e.input >= 0 {
		in = in[e.input : e.input+1]
	}
	for _, from := range in {
		n := &a.f.Nodes[from.Node]
		if n.Kind == kind.Next && n.Frame == f || n.Kind == kind.Enter && n.Aux == f {
			continue
		}
		yield(a.stepOf(from.Node))
	}
}

// isTrigger reports whether a step is a ControlTrigger, which lives everywhere.
func (a *analysis) isTrigger(s step) bool { return s >= 0 && a.f.Nodes[s].Kind == kind.Trigger }

// schedule orders steps so that those under one condition follow each other as
// far as the edges allow, and a condition is tested once: it takes what is ready
// under the condition it is at, and then goes to one that is near. Steps must be
// in an order that the edges allow.
func (a *analysis) schedule(steps []step, base cond) []entry {
	list := make([]entry, 0, len(steps))
	conds := make([]cond, 0, len(steps))
	flat := true
	for _, s := range steps {
		i, c := int32(s), always
		if f, ok := s.frame(); ok {
			c = a.calls[f]
		} else {
			if c = a.when[i]; a.isTrigger(s) {
				c = base
			}
			if n := &a.f.Nodes[i]; n.Kind == kind.Merge && c != never && !a.isVar(n.Frame, i) {
				for k, from := range a.f.data(i) {
					if c := a.edge(from); c != never {
						list, conds = append(list, entry{s, int32(k)}), append(conds, c)
					}
				}
				flat = false
			}
		}
		if c != never {
			list, conds = append(list, entry{s, -1}), append(conds, c)
			flat = flat && c == base
		}
	}
	a.credit.Spend(2 * len(list))
	if flat {
		return list
	}
	return a.cluster(list, conds, base)
}

// cluster is schedule for entries under several conditions.
func (a *analysis) cluster(list []entry, conds []cond, base cond) []entry {
	at := make(map[step]int32, len(list)) // of the steps themselves
	for k, e := range list {
		if e.input < 0 {
			at[e.step] = int32(k)
		}
	}
	waits := make([]int32, len(list))
	first := make([]int32, len(list)+1)
	each := func(yield func(before, after int32)) {
		for k, e := range list {
			a.needs(e, func(s step) {
				if from, ok := at[s]; ok {
					yield(from, int32(k))
				}
			})
			if e.input >= 0 { // a Merge comes after its inputs
				yield(int32(k), at[e.step])
			}
		}
	}
	each(func(before, after int32) { first[before+1]++; waits[after]++ })
	for k := range list {
		first[k+1] += first[k]
	}
	after := make([]int32, first[len(list)])
	fill := make([]int32, len(list))
	each(func(before, to int32) { after[first[before]+fill[before]] = to; fill[before]++ })
	a.credit.Spend(4 * (len(list) + len(after)))

	ready := map[cond][]int32{}
	var near []cond // those with something ready, oldest first
	wake := func(k int32) {
		c := conds[k]
		if len(ready[c]) == 0 {
			near = append(near, c)
		}
		ready[c] = append(ready[c], k)
	}
	for k, w := range waits {
		if w == 0 {
			wake(int32(k))
		}
	}
	out := make([]entry, 0, len(list))
	for here := base; len(near) > 0; {
		here = a.nearest(&near, here)
		for q := 0; q < len(ready[here]); q++ {
			k := ready[here][q]
			out = append(out, list[k])
			for _, next := range after[first[k]:first[k+1]] {
				if waits[next]--; waits[next] == 0 {
					if conds[next] == here {
						ready[here] = append(ready[here], next)
					} else {
						wake(next)
					}
				}
			}
		}
		ready[here] = ready[here][:0]
	}
	return out
}

// nearest takes the condition out of near that has most in common with here:
// what is within it first, then its other side. It looks at few.
func (a *analysis) nearest(near *[]cond, here cond) cond {
	const few = 16
	list, best, most := *near, 0, int32(-1)
	for k, c := range list[:min(few, len(list))] {
		score := 4 * a.shared(c, here)
		if x, y := a.conds.list[c], a.conds.list[here]; c > always && here > always && x.parent == y.parent && x.rank == y.rank {
			score += 2
		}
		if score > most {
			best, most = k, score
		}
	}
	c := list[best]
	copy(list[1:best+1], list[:best])
	*near = list[1:]
	return c
}

// shared returns how many literals two conditions begin with in common.
func (a *analysis) shared(x, y cond) int32 {
	t := a.conds.list
	for t[x].depth > t[y].depth {
		x = t[x].parent
	}
	for t[y].depth > t[x].depth {
		y = t[y].parent
	}
	for x != y {
		a.credit.Spend(1)
		x, y = t[x].parent, t[y].parent
	}
	return t[x].depth
}
