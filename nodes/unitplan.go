package nodes

import "github.com/troupe-go/troupe/nodes/kind"

// A planner makes the unit of a frame and all frames below it, or finds that
// it cannot be made.
type planner struct {
	p        *Program
	in       [][]source
	top      int32     // the frame that the unit is for
	children [][]int32 // frames below each frame
	entersOf [][]int32 // Enter nodes of each frame
	alive    *liveness
	conds    []cond    // by node: when it acts
	calls    []cond    // by frame: when it is entered
	loopPred []source  // by frame: what its LoopCond is, followed back
	order    [][]int32 // by frame: nodes, and frames below as -1-frame, sources first

	u      *unit
	slots  []int32          // by node: first input slot, -1 without
	reg    map[int32]int32  // loop Merge → its variable
	moves  map[move]int32   // input of a Merge that needs a move → slot
	pred   map[source]int32 // predicate → slot
	enter  map[int32]int32  // Enter → slot of its value
	exit   map[int32]int32  // Exit → slot of its value
	direct map[int32]int32  // Exit of a loop variable as it is → the variable
	loopOf []int32          // by frame: its loop
	reason string           // why no unit can be made
}

// A move is an input of a Merge.
type move struct {
	node, input int32
}

// plan makes the unit of a frame; nil with the reason if it cannot be made.
func (p *Program) plan(top int32) (*unit, string) {
	b := &planner{
		p: p, in: p.sources, top: top,
		children: make([][]int32, len(p.statics)),
		entersOf: make([][]int32, len(p.statics)),
		alive:    newLiveness(),
		conds:    make([]cond, len(p.nodes)),
		calls:    make([]cond, len(p.statics)),
		loopPred: make([]source, len(p.statics)),
		order:    make([][]int32, len(p.statics)),
	}
	for f := 1; f < len(p.statics); f++ {
		parent := p.statics[f].Parent
		b.children[parent] = append(b.children[parent], int32(f))
	}
	for i := range p.nodes {
		if n := &p.nodes[i]; n.kind == kind.Enter {
			b.entersOf[n.aux] = append(b.entersOf[n.aux], int32(i))
		}
	}
	if top != 0 && !b.sort(int32(p.statics[top].Parent)) || !b.analyse(top) {
		return nil, b.reason
	}
	u := b.emit()
	if top == 0 && len(p.statics) == 1 && u != nil {
		p.flow = b.order[0]
	}
	return u, b.reason
}

// no notes why no unit can be made.
func (b *planner) no(reason string, node int32) bool {
	if b.reason == "" {
		b.reason = reason + " at " + b.p.name(node)
	}
	return false
}

// analyse orders a frame's nodes and finds under which condition each acts.
func (b *planner) analyse(f int32) bool {
	if !b.sort(f) {
		return false
	}
	p := b.p
	if f != 0 {
		found := false
		for _, i := range p.members[f] {
			if p.nodes[i].kind == kind.LoopCond {
				if found {
					return b.no("a second LoopCond", i)
				}
				found = true
				b.loopPred[f] = b.base(b.in[i][0])
			}
		}
		if !found {
			return b.no("a frame without LoopCond", p.members[f][0])
		}
		if !b.variables(f) {
			return false
		}
	}
	for _, i := range b.order[f] {
		if i < 0 {
			if !b.call(-1 - i) {
				return false
			}
		} else if !b.node(f, i) {
			return false
		}
	}
	return true
}

// variables checks that a frame has loop variables, without which no second
// iteration would begin, and that nothing else waits for what comes but once.
func (b *planner) variables(f int32) bool {
	for _, i := range b.entersOf[f] {
		if n := &b.p.nodes[i]; n.flags&flagConstant == 0 && !b.feedsVars(n) {
			return b.no("an Enter that more than loop variables wait for", i)
		}
	}
	for _, i := range b.p.members[f] {
		if b.isVar(f, i) {
			return true
		}
	}
	return b.no("a frame without variables", b.entersOf[f][0])
}

// call finds when a frame is entered: when its loop variables are, which must
// all be under one condition. Its constants may come under a wider one. Where
// they come alone, in the last iteration of an outer loop, tokens would find
// every node dead that waits for a variable; so there must be no other.
func (b *planner) call(f int32) bool {
	p := b.p
	c, first := always, true
	for _, i := range b.entersOf[f] {
		if p.nodes[i].flags&flagConstant != 0 {
			continue
		}
		if first {
			c, first = b.conds[i], false
		} else if c != b.conds[i] {
			return b.no("a frame of which only a part is entered", i)
		}
	}
	if first {
		return b.no("a frame without variables", b.entersOf[f][0])
	}
	b.calls[f] = c
	alone := int32(-1)
	for _, i := range b.entersOf[f] {
		switch e := b.conds[i]; {
		case e == c:
		case b.alive.and(c, e) != c:
			return b.no("a frame of which only a part is entered", i)
		default:
			alone = i
		}
	}
	if !b.analyse(f) {
		return false
	}
	if alone >= 0 && !b.allVary(f) {
		return b.no("a frame whose constants may come alone and be used", alone)
	}
	return true
}

// allVary says whether every node of a frame waits for a loop variable, or for
// what does.
func (b *planner) allVary(f int32) bool {
	p := b.p
	vary := make(map[int32]bool, len(b.order[f]))
	for _, i := range b.order[f] {
		if i < 0 { // entered by something that varies
			for _, e := range b.entersOf[-1-i] {
				if p.nodes[e].flags&flagConstant == 0 && vary[e] {
					vary[i] = true
				}
			}
		} else if b.isVar(f, i) {
			vary[i] = true
		} else {
			for _, s := range b.in[i] {
				n := &p.nodes[s.node]
				if n.kind == kind.Exit && vary[-1-n.frame] || vary[s.node] {
					vary[i] = true
					break
				}
			}
		}
		// An inner loop's constant may be one here too: it uses nothing by itself.
		if !vary[i] && (i < 0 || p.nodes[i].kind != kind.Enter && p.nodes[i].kind != kind.Forward) {
			return false
		}
	}
	return true
}

// node finds when a node acts.
func (b *planner) node(f, i int32) bool {
	p := b.p
	n := &p.nodes[i]
	c := always
	for _, s := range b.in[i] {
		if n.kind == kind.Merge {
			continue // it does not mind dead control edges; its data is looked at below
		}
		c = b.alive.and(c, b.edge(s))
	}
	switch n.kind {
	case kind.Kernel, kind.Const, kind.NoOp, kind.Forward:
	case kind.Async, kind.SwitchN:
		return b.no("a node that the token engine must play", i)
	case kind.Trigger:
		if f != 0 {
			return b.no("a ControlTrigger in a loop", i)
		}
		c = always
	case kind.Arg, kind.Retval:
		if f != 0 {
			return b.no("a feed or fetch in a loop", i)
		}
	case kind.Switch:
		if n.flags&flagDeref != 0 {
			return b.no("a reference that is read by control flow", i)
		}
	case kind.Enter:
		if n.flags&flagDeref != 0 {
			return b.no("a reference that is read by control flow", i)
		}
	case kind.LoopCond:
		if f == 0 || c != always || n.flags&flagDeref != 0 {
			return b.no("an unusual LoopCond", i)
		}
	case kind.Next:
		if f == 0 || n.flags&flagDeref != 0 || !b.only(c, f, true) {
			return b.no("a NextIteration that is not live just when the loop goes on", i)
		}
		if !b.feedsVars(n) {
			return b.no("a NextIteration that more than loop variables wait for", i)
		}
	case kind.Exit:
		if f == 0 || n.flags&flagDeref != 0 || !b.only(c, f, false) {
			return b.no("an Exit that is not live just when the loop ends", i)
		}
	case kind.Merge:
		var ok bool
		if c, ok = b.merge(f, i); !ok {
			return false
		}
	}
	b.conds[i] = c
	return true
}

// feedsVars says whether only Merges wait for an Enter or NextIteration.
func (b *planner) feedsVars(n *node) bool {
	for _, pt := range b.p.ports[n.ports : n.ports+2] {
		for _, e := range b.p.edges[pt.lo:pt.hi] {
			if b.p.nodes[e.node].kind != kind.Merge || e.slot < 0 {
				return false
			}
		}
	}
	return true
}

// only says whether a condition is just that the loop of frame f goes on, or ends.
func (b *planner) only(c cond, f int32, on bool) bool {
	if c <= always || len(b.alive.conds[c]) != 1 {
		return false
	}
	side, found := b.alive.side(c, b.loopPred[f])
	return found && side == on
}

// merge finds when a Merge acts.
func (b *planner) merge(f, i int32) (cond, bool) {
	p := b.p
	n := &p.nodes[i]
	if n.flags&flagDeref != 0 {
		return never, b.no("a reference that is read by control flow", i)
	}
	if pt := p.ports[n.ports+1]; pt.lo != pt.hi {
		return never, b.no("a Merge whose index is used", i)
	}
	enters, nexts := 0, 0
	for _, s := range b.in[i][:n.nin] {
		switch from := &p.nodes[s.node]; {
		case from.kind == kind.Next && from.frame == f:
			nexts++
		case from.kind == kind.Enter:
			if from.flags&flagConstant != 0 {
				return never, b.no("a Merge of a constant Enter", i)
			}
			enters++
		}
	}
	if enters+nexts > 0 {
		if enters != 1 || nexts != 1 || len(b.in[i]) != 2 {
			return never, b.no("a loop variable that is not one Enter and one NextIteration", i)
		}
		return always, true
	}
	conds := make([]cond, n.nin)
	for k, s := range b.in[i][:n.nin] {
		conds[k] = b.edge(s)
	}
	c, ok := b.alive.merge(conds)
	if !ok {
		return never, b.no("a Merge whose inputs do not exclude each other", i)
	}
	return c, true
}

// edge is when what comes along an edge is live.
func (b *planner) edge(s source) cond {
	n := &b.p.nodes[s.node]
	switch {
	case n.kind == kind.Enter:
		return always
	case n.kind == kind.Exit:
		return b.calls[n.frame]
	case n.kind == kind.Switch && s.port >= 0:
		return b.alive.with(b.conds[s.node], b.base(b.in[s.node][1]), s.port == 1)
	}
	return b.conds[s.node]
}

// base follows a value back through what only hands it on, within its frame.
func (b *planner) base(s source) source {
	for {
		n := &b.p.nodes[s.node]
		switch n.kind {
		case kind.Forward, kind.LoopCond, kind.Switch:
			if n.flags&flagDeref != 0 {
				return s
			}
			s = b.in[s.node][0]
		default:
			return s
		}
	}
}

// sort orders the nodes of a frame and the frames just below it, sources first.
func (b *planner) sort(f int32) bool {
	p := b.p
	members := p.members[f]
	kids := b.children[f]
	at := make(map[int32]int, len(kids)) // frame → position
	for k, g := range kids {
		at[g] = len(members) + k
	}
	total := len(members) + len(kids)
	waits := make([]int32, total)
	after := make([][]int32, total)
	need := func(before, node int) {
		after[before] = append(after[before], int32(node))
		waits[node]++
	}
	position := func(s source) int { // of where an edge comes from; -1: from outside the frame
		n := &p.nodes[s.node]
		switch {
		case n.kind == kind.Exit:
			return at[n.frame]
		case n.kind == kind.Enter:
			return -1
		}
		return int(n.local)
	}
	for k, i := range members {
		for _, s := range b.in[i] {
			if p.nodes[s.node].kind == kind.Next && p.nodes[s.node].frame == f {
				continue
			}
			if from := position(s); from >= 0 {
				need(from, k)
			}
		}
		if n := &p.nodes[i]; n.kind == kind.Enter {
			need(k, at[n.aux])
		}
	}
	queue := make([]int32, 0, total)
	for k, w := range waits {
		if w == 0 {
			queue = append(queue, int32(k))
		}
	}
	for head := 0; head < len(queue); head++ {
		for _, k := range after[queue[head]] {
			if waits[k]--; waits[k] == 0 {
				queue = append(queue, k)
			}
		}
	}
	if len(queue) < total {
		return b.no("an order that depends on the loop itself", members[0])
	}
	b.order[f] = make([]int32, total)
	for x, k := range queue {
		if int(k) < len(members) {
			b.order[f][x] = members[k]
		} else {
			b.order[f][x] = -1 - kids[int(k)-len(members)]
		}
	}
	return true
}

// cluster orders the nodes of a frame once more: those that act under the same
// condition follow each other as far as the edges allow, so that a condition is
// tested once.
func (b *planner) cluster(list []int32) []int32 {
	// The conditions seen, in order of first use, with what is left of each.
	var conds []cond
	byCond := map[cond][]int32{}
	for _, i := range list {
		c := b.condOf(i)
		if _, ok := byCond[c]; !ok {
			conds = append(conds, c)
		}
		byCond[c] = append(byCond[c], i)
	}
	if len(conds) <= 1 {
		return list
	}
	inside := make(map[int32]bool, len(list))
	for _, i := range list {
		inside[i] = true
	}
	done := make(map[int32]bool, len(list))
	out := make([]int32, 0, len(list))
	for len(out) < len(list) {
		before := len(out)
		for _, c := range conds {
			rest := byCond[c][:0]
			for _, i := range byCond[c] {
				ready := true
				for _, s := range b.needs(i) {
					if inside[s] && !done[s] {
						ready = false
						break
					}
				}
				if ready {
					done[i] = true
					out = append(out, i)
				} else {
					rest = append(rest, i)
				}
			}
			byCond[c] = rest
		}
		if len(out) == before {
			return list // cannot happen: list is in order
		}
	}
	return out
}

// condOf is when an entry of an order acts.
func (b *planner) condOf(i int32) cond {
	if i < 0 {
		return b.calls[-1-i]
	}
	return b.conds[i]
}

// needs lists the entries of an order that must come before i.
func (b *planner) needs(i int32) []int32 {
	var all []int32
	add := func(node int32, f int32) {
		for _, s := range b.in[node] {
			n := &b.p.nodes[s.node]
			switch {
			case n.kind == kind.Next && n.frame == f, n.kind == kind.Enter && n.aux == f:
			case n.kind == kind.Exit:
				all = append(all, -1-n.frame)
			default:
				all = append(all, s.node)
			}
		}
	}
	if i >= 0 {
		add(i, b.p.nodes[i].frame)
		return all
	}
	return b.entersOf[-1-i]
}
