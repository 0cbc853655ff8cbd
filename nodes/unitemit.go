package nodes

import "github.com/troupe-go/troupe/nodes/kind"

// emit writes the unit's code; nil if the order of a loop does not fall into
// what comes before its test, what comes after it, and what comes at its end.
func (b *planner) emit() *unit {
	p := b.p
	b.u = &unit{frame: b.top, enters: map[int32]int32{}}
	b.slots = make([]int32, len(p.nodes))
	for i := range b.slots {
		b.slots[i] = -1
	}
	b.reg, b.moves, b.pred = map[int32]int32{}, map[move]int32{}, map[source]int32{}
	b.enter, b.exit = map[int32]int32{}, map[int32]int32{}
	b.direct = map[int32]int32{}
	b.loopOf = make([]int32, len(p.statics))
	b.allot(b.top, -1)
	b.u.keep = make([]bool, b.u.slots)
	// Where values go has to be known before the first instruction is written,
	// for a loop's results are slots of their own.
	if b.top == 0 {
		for _, i := range p.members[0] {
			if n := &p.nodes[i]; n.kind == kind.Arg {
				b.u.args = append(b.u.args, argument{n.aux, b.port(from{source: source{i, 0}})})
			}
		}
		if !b.list(b.order[0], always) {
			return nil
		}
	} else {
		if !b.loop(b.top) {
			return nil
		}
		for _, i := range b.entersOf[b.top] {
			b.u.enters[i] = b.enter[i]
		}
	}
	b.u.stale = len(b.u.loops) > 0 || len(b.pred) > 0
	return b.u
}

// slot makes n slots and answers the first.
func (b *planner) slot(n int32) int32 {
	at := b.u.slots
	b.u.slots += int(n)
	return int32(at)
}

// allot gives slots to all that reads in a frame and the frames below.
func (b *planner) allot(f, outer int32) {
	p := b.p
	if f != 0 {
		l := int32(len(b.u.loops))
		b.u.loops = append(b.u.loops, loop{frame: f, outer: outer})
		b.loopOf[f] = l
		outer = l
		b.predicate(b.loopPred[f])
		first := int32(len(b.u.vars))
		for _, i := range p.members[f] {
			if b.isVar(f, i) {
				b.reg[i] = int32(len(b.u.vars))
				b.u.vars = append(b.u.vars, loopVar{reg: b.slot(1), next: -1})
			}
		}
		b.u.loops[l].vars = [2]int32{first, int32(len(b.u.vars))}
		for _, i := range b.entersOf[f] {
			b.enter[i] = b.slot(1)
		}
		for _, i := range p.members[f] {
			if p.nodes[i].kind != kind.Exit {
				continue
			}
			v, ok := b.reg[b.base(b.in[i][0]).node]
			if ok {
				b.direct[i] = v
			}
			if !ok || f == b.top {
				b.exit[i] = b.slot(1)
			}
		}
	}
	for _, i := range b.order[f] { // so that slots lie in memory as they are used
		if i < 0 || b.conds[i] == never {
			continue
		}
		n := &p.nodes[i]
		for _, x := range b.literals(b.conds[i]) {
			b.predicate(x.pred)
		}
		switch n.kind {
		case kind.Kernel, kind.Retval:
			b.slots[i] = b.slot(n.nin)
		case kind.Forward:
			if n.flags&flagDeref != 0 {
				b.slots[i] = b.slot(1)
			}
		case kind.Merge:
			if _, isVar := b.reg[i]; !isVar {
				for k, s := range b.in[i][:n.nin] {
					if c := b.edge(s); c != never {
						for _, x := range b.literals(c) {
							b.predicate(x.pred)
						}
						if !b.exact(s) {
							b.moves[move{i, int32(k)}] = b.slot(1)
						}
					}
				}
			}
		}
	}
	for _, g := range b.children[f] {
		for _, x := range b.literals(b.calls[g]) {
			b.predicate(x.pred)
		}
		b.allot(g, outer)
	}
}

func (b *planner) literals(c cond) []literal {
	if c == never {
		return nil
	}
	return b.alive.conds[c]
}

// predicate gives a predicate a slot.
func (b *planner) predicate(s source) int32 {
	at, ok := b.pred[s]
	if !ok {
		at = b.slot(1)
		b.pred[s] = at
	}
	return at
}

// isVar says whether node i of frame f is a Merge that carries a loop variable.
func (b *planner) isVar(f, i int32) bool {
	if b.p.nodes[i].kind != kind.Merge || f == 0 {
		return false
	}
	for _, s := range b.in[i][:b.p.nodes[i].nin] {
		if from := &b.p.nodes[s.node]; from.kind == kind.Next && from.frame == f {
			return true
		}
	}
	return false
}

// exact says whether a value is made just when it is live at this place: by an
// instruction that runs under the same condition.
func (b *planner) exact(s source) bool {
	n := &b.p.nodes[s.node]
	switch n.kind {
	case kind.Kernel:
		return true
	case kind.Exit:
		return true
	case kind.Forward:
		return n.flags&flagDeref != 0 || b.exact(b.in[s.node][0]) && b.edge(b.in[s.node][0]) == b.conds[s.node]
	case kind.Merge:
		_, isVar := b.reg[s.node]
		return !isVar
	}
	return false
}

// A from is where a value comes from while it is followed to its readers.
type from struct {
	source
	lasting bool // it is put in place once, for all iterations
	late    bool // it is made after the loop's test, so it may go to a variable's register
}

// port makes the range of slots that a value goes to.
func (b *planner) port(f from) port {
	lo := int32(len(b.u.dests))
	b.follow(f)
	return port{lo, int32(len(b.u.dests))}
}

func (b *planner) to(slot int32, f from) {
	b.u.dests = append(b.u.dests, slot)
	if f.lasting {
		b.u.keep[slot] = true
	}
}

// follow finds the slots of all that reads a value, through the nodes that only
// say where it goes.
func (b *planner) follow(f from) {
	p := b.p
	if at, ok := b.pred[f.source]; ok {
		b.to(at, f)
	}
	n := &p.nodes[f.node]
	pt := p.ports[n.ports+f.port]
	for _, e := range p.edges[pt.lo:pt.hi] {
		to := &p.nodes[e.node]
		if b.conds[e.node] == never && to.kind != kind.Exit {
			continue
		}
		input := e.slot - to.in
		if to.kind == kind.Exit {
			input = 0
		}
		on := func(o int32) {
			g := f
			g.source = source{e.node, o}
			b.follow(g)
		}
		switch to.kind {
		case kind.Kernel, kind.Retval:
			b.to(b.slots[e.node]+input, f)
		case kind.Forward:
			if at := b.slots[e.node]; at >= 0 {
				b.to(at, f)
			} else {
				on(0)
			}
		case kind.LoopCond:
			on(0)
		case kind.Switch:
			if input == 0 {
				on(0)
				on(1)
			}
		case kind.Merge:
			if at, ok := b.moves[move{e.node, input}]; ok {
				b.to(at, f)
			} else {
				on(0)
			}
		case kind.Next:
			b.next(e.node, f)
		case kind.Enter:
			b.to(b.enter[e.node], f)
		case kind.Exit:
			if _, ok := b.direct[e.node]; !ok {
				b.to(b.exit[e.node], f)
			}
		}
	}
}

// next brings a value to the loop variables that a NextIteration feeds.
func (b *planner) next(i int32, f from) {
	n := &b.p.nodes[i]
	pt := b.p.ports[n.ports]
	for _, e := range b.p.edges[pt.lo:pt.hi] {
		v := &b.u.vars[b.reg[e.node]]
		if f.late {
			b.to(v.reg, f)
			continue
		}
		if v.next < 0 {
			v.next = b.slot(1)
			b.u.keep = append(b.u.keep, false)
		}
		b.to(v.next, f)
	}
}

// ports makes the ports of all outputs of a node.
func (b *planner) ports(i int32, late bool) (first int32) {
	ports := make([]port, b.p.nodes[i].nout)
	for o := range ports {
		ports[o] = b.port(from{source: source{i, int32(o)}, late: late})
	}
	first = int32(len(b.u.ports))
	b.u.ports = append(b.u.ports, ports...)
	return first
}

// list writes the code of entries that act under base or a narrower condition.
func (b *planner) list(entries []int32, base cond) bool {
	open := base
	var guards []int
	shut := func() {
		for _, g := range guards {
			b.u.code[g].target = int32(len(b.u.code))
		}
		guards = guards[:0]
	}
	under := func(c cond, node int32) {
		if c == open {
			return
		}
		shut()
		open = c
		for _, x := range b.literals(c) {
			if _, known := b.alive.side(base, x.pred); known {
				continue
			}
			guards = append(guards, len(b.u.code))
			b.u.code = append(b.u.code, instr{op: opGuard, side: x.side, node: b.switchOn(b.p.nodes[node].frame, x.pred), in: b.pred[x.pred]})
		}
	}
	const poll = 256 // instructions between two looks at the context
	for _, i := range b.cluster(entries) {
		c := b.condOf(i)
		if c == never {
			continue
		}
		if len(b.u.code)%poll == poll-1 && b.top == 0 {
			b.u.code = append(b.u.code, instr{op: opPoll})
		}
		late := base != always // in a loop's body, after the test
		if i < 0 {
			under(c, b.entersOf[-1-i][0])
			if !b.loop(-1 - i) {
				return false
			}
			continue
		}
		n := &b.p.nodes[i]
		in := instr{node: i, nin: n.nin, nout: n.nout, in: b.slots[i], deref: n.flags&flagDeref != 0, kernel: n.kernel, aux: n.aux}
		switch n.kind {
		case kind.Kernel:
			in.op, in.out = opKernel, b.ports(i, late)
			if n.nout == 1 {
				if pt := b.u.ports[in.out]; pt.hi-pt.lo == 1 {
					in.direct, in.aux = true, b.u.dests[pt.lo]
				}
			}
		case kind.NoOp, kind.Trigger:
			in.op = opNoOp
		case kind.Retval:
			in.op = opFetch
		case kind.Forward:
			if b.slots[i] < 0 {
				continue
			}
			in.op, in.out = opMove, b.ports(i, late)
		case kind.Const:
			pt := b.port(from{source: source{i, 0}, lasting: true})
			for _, d := range b.u.dests[pt.lo:pt.hi] {
				b.u.preset = append(b.u.preset, preset{d, b.p.consts[n.aux]})
			}
			continue
		case kind.Merge:
			b.merging(i, under, late)
			continue
		default:
			continue
		}
		under(c, i)
		b.u.code = append(b.u.code, in)
	}
	shut()
	return true
}

// merging writes the moves of a Merge.
func (b *planner) merging(i int32, under func(cond, int32), late bool) {
	n := &b.p.nodes[i]
	for k, s := range b.in[i][:n.nin] {
		at, ok := b.moves[move{i, int32(k)}]
		if !ok {
			continue
		}
		under(b.edge(s), i)
		first := int32(len(b.u.ports))
		b.u.ports = append(b.u.ports, port{})
		b.u.ports[first] = b.port(from{source: source{i, 0}, late: late})
		b.u.code = append(b.u.code, instr{op: opMove, node: i, in: at, nin: 1, nout: 1, out: first})
	}
}

// loop writes the code of a loop.
func (b *planner) loop(f int32) bool {
	p, l := b.p, b.loopOf[f]
	going := b.alive.of([]literal{{b.loopPred[f], true}})
	ended := b.alive.of([]literal{{b.loopPred[f], false}})
	var head, body, tail []int32
	part := map[int32]int{}
	for _, i := range b.order[f] {
		c := b.condOf(i)
		if c == never {
			continue
		}
		side, found := b.alive.side(c, b.loopPred[f])
		where := 0
		switch {
		case !found:
			head = append(head, i)
		case side:
			body = append(body, i)
			where = 1
		default:
			tail = append(tail, i)
			where = 2
		}
		part[i] = where
		for _, s := range b.needs(i) {
			if w, ok := part[s]; ok && w != where && w != 0 {
				b.no("an order that does not follow the loop's test", p.members[f][0])
				return false
			}
		}
	}
	b.u.code = append(b.u.code, instr{op: opLoop, aux: l})
	var enters []hop
	for _, i := range b.entersOf[f] {
		constant := p.nodes[i].flags&flagConstant != 0
		h := hop{slot: b.enter[i]}
		if constant {
			h.to = b.port(from{source: source{i, 0}, lasting: true})
		} else {
			h.to = b.initial(i)
		}
		enters = append(enters, h)
	}
	top := int32(len(b.u.code))
	b.u.code = append(b.u.code, instr{op: opIterate, aux: l})
	for _, i := range p.members[f] {
		if v, ok := b.reg[i]; ok {
			b.u.vars[v].to = b.port(from{source: source{i, 0}})
		}
	}
	if !b.list(head, always) {
		return false
	}
	test := len(b.u.code)
	b.u.code = append(b.u.code, instr{op: opTest, aux: l, node: b.switchOn(f, b.loopPred[f]), in: b.pred[b.loopPred[f]]})
	if !b.list(body, going) {
		return false
	}
	b.u.code = append(b.u.code, instr{op: opLatch, aux: l, target: top})
	b.u.code[test].target = int32(len(b.u.code))
	if !b.list(tail, ended) {
		return false
	}
	var exits []hop
	for _, i := range p.members[f] {
		if p.nodes[i].kind != kind.Exit {
			continue
		}
		h := hop{slot: b.exit[i]}
		v, direct := b.direct[i]
		if direct {
			h = hop{slot: b.u.vars[v].reg, copy: true}
		}
		if f == b.top {
			b.u.exits = append(b.u.exits, exit{i, b.exit[i]})
			if direct {
				lo := int32(len(b.u.dests))
				b.u.dests = append(b.u.dests, b.exit[i])
				h.to = port{lo, lo + 1}
				exits = append(exits, h)
			}
			continue
		}
		late := false
		if parent := int32(p.statics[f].Parent); parent != 0 && b.calls[f] > always {
			side, found := b.alive.side(b.calls[f], b.loopPred[parent])
			late = found && side
		}
		h.to = b.port(from{source: source{i, 0}, late: late})
		exits = append(exits, h)
	}
	b.u.loops[l].enters, b.u.loops[l].exits = enters, exits
	b.u.code = append(b.u.code, instr{op: opLeave, aux: l})
	return true
}

// initial is where an Enter that is not constant brings its value: registers of
// loop variables.
func (b *planner) initial(i int32) port {
	lo := int32(len(b.u.dests))
	pt := b.p.ports[b.p.nodes[i].ports]
	for _, e := range b.p.edges[pt.lo:pt.hi] {
		b.u.dests = append(b.u.dests, b.u.vars[b.reg[e.node]].reg)
	}
	return port{lo, int32(len(b.u.dests))}
}

// switchOn is a Switch of frame f that pred steers, for messages.
func (b *planner) switchOn(f int32, pred source) int32 {
	for _, i := range b.p.members[f] {
		if b.p.nodes[i].kind == kind.Switch && b.base(b.in[i][1]) == pred {
			return i
		}
	}
	return b.p.members[f][0]
}
