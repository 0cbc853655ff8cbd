package form

import (
	"github.com/troupe-go/troupe/nodes/kind"
)

// An analysis finds of the nodes of a frame and of all frames below it whether
// they can be played as one, under which condition each is live, and whose
// value it forwards.
//
// Values are numbered: output o of node i is first[i]+o. Most nodes of control
// flow make none of their own: same[v] is the value that v is another name for.
type analysis struct {
	f        *Flow
	credit   *Credit
	conds    *conditions
	children [][]int32 // frames just below each frame
	enters   [][]int32 // Enters of each frame
	first    []int32   // by node: its first value
	same     []int32   // by value
	when     []cond    // by node: when it acts
	calls    []cond    // by frame: when it is entered
	test     []int32   // by frame: the rank of the loop's predicate, -1 before it is known
	local    []int32   // by node: its place among its frame's members
	indexed  []bool    // by node: a Merge whose second output somebody uses
	order    [][]step  // by frame: sources first
	placed   []int32   // by frame: its place behind the members of the frame around it
	waits    []bool    // by frame: something in it, or in a frame below it, may wait
	turns    []int32   // by node, then by frame: see inTurns; nil: nothing waits

	spare, following []int32 // scratch of sort

	top    int32  // the frame that the unit is for
	reason string // why none can be made
}

// A step is a node of a frame, or a frame below it as a whole.
type step int32

func nodeStep(i int32) step  { return step(i) }
func frameStep(f int32) step { return step(-1 - f) }

// frame returns the frame that a step stands for; ok is false for a node.
func (s step) frame() (f int32, ok bool) { return int32(-1 - s), s < 0 }

func newAnalysis(f *Flow, c *Credit) *analysis {
	n, frames := len(f.Nodes), len(f.Frames)
	lists, conds, numbers := make([][]int32, 2*frames), make([]cond, n+frames), make([]int32, 2*n+2*frames+1)
	a := &analysis{
		f: f, credit: c, conds: newConditions(c),
		children: lists[:frames],
		enters:   lists[frames:],
		first:    numbers[:n+1],
		when:     conds[:n],
		local:    numbers[n+1 : 2*n+1],
		indexed:  make([]bool, n),
		calls:    conds[n:],
		test:     numbers[2*n+1 : 2*n+1+frames],
		order:    make([][]step, frames),
		placed:   numbers[2*n+1+frames:],
		waits:    make([]bool, frames),
	}
	for i := range f.Nodes {
		c.Spend(1)
		a.first[i+1] = a.first[i] + f.Nodes[i].Outs
		if f.Nodes[i].Kind == kind.Enter {
			a.enters[f.Nodes[i].Aux] = append(a.enters[f.Nodes[i].Aux], int32(i))
		}
	}
	a.same = make([]int32, a.first[n])
	for k := range f.Frames {
		if p := f.Frames[k].Parent; p >= 0 {
			a.children[p] = append(a.children[p], int32(k))
		}
		c.Spend(len(f.Frames[k].Members))
		for at, i := range f.Frames[k].Members {
			a.local[i] = int32(at)
		}
	}
	return a
}

// sized is n numbers, in place of a slice that nobody needs any more.
func sized(old []int32, n int) []int32 {
	if cap(old) < n {
		return make([]int32, n)
	}
	return old[:n]
}

// value returns what an input or output carries, followed back to where it is made.
func (a *analysis) value(s Source) int32 { return a.same[a.first[s.Node]+s.Port] }

// run analyses a frame; false with a reason if it cannot be a unit.
func (a *analysis) run(top int32) bool {
	a.top, a.reason = top, ""
	a.conds.reset()
	if top != 0 {
		a.calls[top] = always
		for _, e := range a.enters[top] {
			a.when[e] = always
			a.own(e)
		}
	}
	return a.frame(top, 0)
}

// no notes why no unit can be made.
func (a *analysis) no(reason string, node int32) bool {
	if a.reason == "" {
		a.reason = reason
		if node >= 0 {
			a.reason += " at " + a.f.Name(node)
		}
	}
	return false
}

// own makes the outputs of a node values of their own.
func (a *analysis) own(i int32) {
	for v := a.first[i]; v < a.first[i+1]; v++ {
		a.same[v] = v
	}
}

// maxNesting bounds the loops within one another.
const maxNesting = 64

// frame orders a frame's nodes and finds under which condition each acts.
func (a *analysis) frame(f int32, nesting int) bool {
	if nesting > maxNesting {
		return a.no("loops nested too deep", a.enters[f][0])
	}
	if !a.sort(f) {
		return false
	}
	a.test[f], a.waits[f] = -1, false
	if f != 0 && !a.variables(f) {
		return false
	}
	for _, s := range a.order[f] {
		if a.credit.Spend(4); a.credit.Spent() {
			return a.no("too much to work out", -1)
		}
		if g, ok := s.frame(); ok {
			if !a.call(g, nesting) {
				return false
			}
		} else if !a.node(f, int32(s)) {
			return false
		}
	}
	if f != 0 && a.test[f] < 0 {
		return a.no("a frame without LoopCond", a.f.Frames[f].Members[0])
	}
	return !a.waits[f] || a.inTurns(f)
}

// variables checks that a frame has loop variables, without which no second
// iteration would begin.
func (a *analysis) variables(f int32) bool {
	for _, i := range a.f.Frames[f].Members {
		if a.isVar(f, i) {
			return true
		}
	}
	if len(a.enters[f]) == 0 {
		return a.no("a frame that nothing enters", -1)
	}
	return a.no("a frame without variables", a.enters[f][0])
}

// isVar reports whether node i of frame f is a Merge that carries a loop variable.
func (a *analysis) isVar(f, i int32) bool {
	if f == 0 || a.f.Nodes[i].Kind != kind.Merge {
		return false
	}
	for _, s := range a.f.In[i] {
		if from := &a.f.Nodes[s.Node]; s.Port >= 0 && from.Kind == kind.Next && from.Frame == f {
			return true
		}
	}
	return false
}

// call finds when a frame is entered: when its loop variables are, which must
// all be under one condition. Its constants may come under a wider one. Where
// they come alone, in the last iteration of an outer loop, tokens would find
// every node dead that waits for a variable; so there must be no other.
func (a *analysis) call(f int32, nesting int) bool {
	c, first := always, true
	for _, i := range a.enters[f] {
		switch {
		case a.f.Nodes[i].Constant:
		case first:
			c, first = a.when[i], false
		case c != a.when[i]:
			return a.no("a frame of which only a part is entered", i)
		}
	}
	if first {
		return a.no("a frame without variables", a.enters[f][0])
	}
	a.calls[f] = c
	alone := int32(-1)
	for _, i := range a.enters[f] {
		switch e := a.when[i]; {
		case e == c:
		case !a.conds.implies(c, e):
			return a.no("a frame of which only a part is entered", i)
		default:
			alone = i
		}
	}
	if !a.frame(f, nesting+1) {
		return false
	}
	if parent := a.f.Frames[f].Parent; a.waits[f] && c != never {
		a.waits[parent] = true
	}
	if alone >= 0 && !a.allVary(f) {
		return a.no("a frame whose constants may come alone and be used", alone)
	}
	return true
}

// allVary reports whether every node of a frame waits for a loop variable, or for
// what does.
func (a *analysis) allVary(f int32) bool {
	vary := make(map[step]bool, len(a.order[f]))
	for _, s := range a.order[f] {
		g, inner := s.frame()
		i := int32(s)
		switch {
		case inner: // entered by something that varies
			for _, e := range a.enters[g] {
				if !a.f.Nodes[e].Constant && vary[nodeStep(e)] {
					vary[s] = true
				}
			}
		case a.isVar(f, i):
			vary[s] = true
		default:
			for _, from := range a.f.In[i] {
				if vary[a.stepOf(from.Node)] {
					vary[s] = true
					break
				}
			}
		}
		// An inner loop's constant may be one here too: it uses nothing by itself.
		if k := a.f.Nodes[max(i, 0)].Kind; !vary[s] && (inner || k != kind.Enter && k != kind.Forward) {
			return false
		}
	}
	return true
}

// stepOf returns the step that a node's outputs come from in its consumers' frame.
func (a *analysis) stepOf(i int32) step {
	if n := &a.f.Nodes[i]; n.Kind == kind.Exit {
		return frameStep(n.Frame)
	}
	return nodeStep(i)
}

// node finds when a node acts and whose values it forwards.
func (a *analysis) node(f, i int32) bool {
	n := &a.f.Nodes[i]
	c := always
	if n.Kind != kind.Merge { // which does not mind dead control edges; its data is looked at below
		for _, s := range a.f.In[i] {
			c = a.conds.and(c, a.edge(s))
		}
	}
	if c > always && a.conds.list[c].depth > maxDepth {
		return a.no("conditions nested too deep", i)
	}
	a.own(i)
	data := a.f.data(i)
	switch n.Kind {
	case kind.Kernel, kind.Const, kind.NoOp:
	case kind.Async:
		if !n.Waits || f == 0 || a.top == 0 {
			return a.no("a kernel that may wait", i)
		}
		for k := range data {
			if a.f.reads(i, k) { // nobody holds what is read while the unit is parked
				return a.no("a reference that is read by a kernel that may wait", i)
			}
		}
		a.waits[f] = a.waits[f] || c != never
	case kind.Trigger:
		c = always // though what it waits for is dead
	case kind.Arg, kind.Retval:
		if f != 0 {
			return a.no("a feed or fetch in a loop", i)
		}
	case kind.Forward:
		if !a.f.reads(i, 0) {
			a.same[a.first[i]] = a.value(data[0])
		}
	case kind.Switch, kind.SwitchN:
		if a.f.reads(i, 1) {
			return a.no("a reference that decides", i)
		}
		if n.Outs < 2 {
			return a.no("a Switch of one side", i)
		}
		v := a.first[i] // a reference is read once, for whichever side
		if !a.f.reads(i, 0) {
			v = a.value(data[0])
		}
		for o := range n.Outs {
			a.same[a.first[i]+o] = v
		}
	case kind.Enter:
		if !a.f.reads(i, 0) {
			a.same[a.first[i]] = a.value(data[0])
		}
	case kind.LoopCond:
		if f == 0 || c != always || a.f.reads(i, 0) || a.test[f] >= 0 {
			return a.no("an unusual LoopCond", i)
		}
		a.same[a.first[i]] = a.value(data[0])
		a.test[f] = a.conds.rank(a.value(data[0]), 2, i)
	case kind.Next:
		if f == 0 || a.f.reads(i, 0) || !a.conds.only(c, literal{a.test[f], 1}) {
			return a.no("a NextIteration that is not live just when the loop goes on", i)
		}
		a.same[a.first[i]] = a.value(data[0])
	case kind.Exit:
		if f == 0 || a.f.reads(i, 0) || !a.conds.only(c, literal{a.test[f], 0}) {
			return a.no("an Exit that is not live just when the loop ends", i)
		}
		a.same[a.first[i]] = a.value(data[0])
	case kind.Merge:
		var ok bool
		if c, ok = a.merge(f, i, data); !ok {
			return false
		}
	}
	a.when[i] = c
	return true
}

// merge finds when a Merge acts.
func (a *analysis) merge(f, i int32, data []Source) (cond, bool) {
	enters, nexts := 0, 0
	for k, s := range data {
		if a.f.reads(i, k) {
			return never, a.no("a reference that is merged", i)
		}
		switch from := &a.f.Nodes[s.Node]; {
		case from.Kind == kind.Next && from.Frame == f:
			nexts++
		case from.Kind == kind.Enter:
			if from.Constant {
				return never, a.no("a Merge of a constant Enter", i)
			}
			enters++
		}
	}
	if enters+nexts > 0 {
		if enters != 1 || nexts != 1 || len(a.f.In[i]) != 2 {
			return never, a.no("a loop variable that is not one Enter and one NextIteration", i)
		}
		return always, true
	}
	conds := make([]cond, len(data))
	for k, s := range data {
		conds[k] = a.edge(s)
	}
	c, ok := a.conds.merge(conds)
	if !ok {
		return never, a.no("a Merge whose inputs do not exclude each other", i)
	}
	return c, true
}

// edge is when what comes along an edge is live.
func (a *analysis) edge(s Source) cond {
	n := &a.f.Nodes[s.Node]
	switch {
	case n.Kind == kind.Enter:
		return always
	case n.Kind == kind.Exit:
		return a.calls[n.Frame]
	case s.Port >= 0 && (n.Kind == kind.Switch || n.Kind == kind.SwitchN):
		decides := a.value(a.f.In[s.Node][1])
		sides := int32(2)
		if n.Kind == kind.SwitchN {
			sides = n.Outs
		}
		return a.conds.with(a.when[s.Node], literal{a.conds.rank(decides, sides, s.Node), s.Port})
	}
	return a.when[s.Node]
}

// sort orders the nodes of a frame and the frames just below it, sources first.
func (a *analysis) sort(f int32) bool {
	members, kids := a.f.Frames[f].Members, a.children[f]
	for k, g := range kids {
		a.placed[g] = int32(len(members) + k)
	}
	total := len(members) + len(kids)
	a.spare = sized(a.spare, 4*total+1)
	waits, count := a.spare[:total], a.spare[total:2*total+1] // of those that come after each, then where they begin
	fill, queue := a.spare[2*total+1:3*total+1], a.spare[3*total+1:3*total+1:4*total+1]
	clear(a.spare[:3*total+1])
	// edges calls yield for every pair of positions that have an order.
	edges := func(yield func(before, after int32)) bool {
		for k, i := range members {
			n := &a.f.Nodes[i]
			for _, s := range a.f.In[i] {
				switch from := &a.f.Nodes[s.Node]; {
				case from.Kind == kind.Next && from.Frame == f:
					if n.Kind != kind.Merge || s.Port < 0 {
						return a.no("a NextIteration that more than loop variables wait for", s.Node)
					}
				case from.Kind == kind.Enter:
					if !from.Constant && (n.Kind != kind.Merge || s.Port < 0) {
						return a.no("an Enter that more than loop variables wait for", s.Node)
					}
				case from.Kind == kind.Exit:
					yield(a.placed[from.Frame], int32(k))
				default:
					if from.Kind == kind.Merge && s.Port == 1 {
						a.indexed[s.Node] = true
					}
					yield(a.local[s.Node], int32(k))
				}
			}
			if n.Kind == kind.Enter {
				yield(int32(k), a.placed[n.Aux])
			}
		}
		return true
	}
	if !edges(func(before, after int32) { count[before+1]++; waits[after]++ }) {
		return false
	}
	for k := range total {
		count[k+1] += count[k]
	}
	a.following = sized(a.following, int(count[total]))
	after := a.following
	edges(func(before, to int32) { after[count[before]+fill[before]] = to; fill[before]++ })
	a.credit.Spend(total + len(after))

	for k, w := range waits {
		if w == 0 {
			queue = append(queue, int32(k))
		}
	}
	for head := 0; head < len(queue); head++ {
		k := queue[head]
		for _, next := range after[count[k]:count[k+1]] {
			if waits[next]--; waits[next] == 0 {
				queue = append(queue, next)
			}
		}
	}
	if len(queue) < total {
		return a.no("an order that depends on the loop itself", members[0])
	}
	a.order[f] = make([]step, total)
	for x, k := range queue {
		if int(k) < len(members) {
			a.order[f][x] = nodeStep(members[k])
		} else {
			a.order[f][x] = frameStep(kids[int(k)-len(members)])
		}
	}
	return true
}
