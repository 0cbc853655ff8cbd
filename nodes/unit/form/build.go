package form

import (
	"github.com/troupe-go/troupe/nodes/kind"
)

// A builder writes the form of a frame that was analysed.
type builder struct {
	*analysis
	form  *Form
	local []int32 // by value of the analysis: its number in the form, plus 1
	used  []int32 // entries of local that are not 0
	loop  *Loop   // being written
	uses  []Use   // room for inputs
	outs  []int32 // room for outputs
	idle  []*writer
	// starts are nodes that may wait and are started together with others.
	starts map[int32]bool
}

// build writes the form; nil with a reason if an order does not allow it.
func (b *builder) build() *Form {
	b.form = &Form{Flow: b.f, conds: b.conds, Frame: b.top, Values: make([]Value, 0, b.made(b.top))}
	if b.local == nil {
		b.local = make([]int32, len(b.same))
	}
	if n := cap(b.form.Values); cap(b.used) < n {
		b.used = make([]int32, 0, n)
	}
	defer func() {
		for _, v := range b.used {
			b.local[v] = 0
		}
		b.used = b.used[:0]
	}()
	b.loop = nil
	if b.top == 0 {
		for _, i := range b.f.Frames[0].Members {
			if b.f.Nodes[i].Kind == kind.Arg {
				b.form.Params = append(b.form.Params, Param{b.number(b.first[i]), i})
			}
		}
		body, ok := b.block(b.order[0], always)
		if !ok {
			return nil
		}
		b.form.Body = body
		return b.form
	}
	for _, e := range b.enters[b.top] {
		b.form.Params = append(b.form.Params, Param{b.number(b.first[e]), e})
	}
	in, ok := b.while(b.top)
	if !ok {
		return nil
	}
	b.form.Body = &Block{Code: []Instr{in}}
	for _, i := range b.f.Frames[b.top].Members {
		if b.f.Nodes[i].Kind == kind.Exit {
			b.form.Results = append(b.form.Results, Result{i, b.use(b.same[b.first[i]])})
		}
	}
	return b.form
}

// made returns how many values the nodes of a frame, and of those below it, make at
// most.
func (b *builder) made(f int32) int {
	n := 0
	for _, i := range b.f.Frames[f].Members {
		switch x := &b.f.Nodes[i]; x.Kind {
		case kind.Kernel, kind.Async, kind.Const, kind.Arg, kind.Merge:
			n += int(x.Outs)
		}
	}
	for _, g := range b.children[f] {
		n += b.made(g)
	}
	if f == b.top {
		n += len(b.enters[f])
	}
	b.credit.Spend(1 + n)
	return n
}

// roomFor is room for n inputs.
func (b *builder) roomFor(n int) []Use {
	if len(b.uses) < n {
		b.uses = make([]Use, max(n, min(256, len(b.f.Nodes))))
	}
	in := b.uses[:n:n]
	b.uses = b.uses[n:]
	return in
}

// roomOut is room for n outputs.
func (b *builder) roomOut(n int) []int32 {
	if len(b.outs) < n {
		b.outs = make([]int32, max(n, min(256, len(b.f.Nodes))))
	}
	out := b.outs[:n:n]
	b.outs = b.outs[n:]
	return out
}

// number returns the form's number of a value.
func (b *builder) number(v int32) int32 {
	if n := b.local[v]; n != 0 {
		return n - 1
	}
	s := b.sourceOf(v)
	n := &b.f.Nodes[s.Node]
	x := Value{Source: s, DType: b.f.dtype(s), Loop: b.loop, When: b.when[s.Node], Const: -1, Into: -1}
	switch n.Kind {
	case kind.Arg:
		x.Role = RoleShared
	case kind.Const:
		x.Role, x.Const, x.Loop = RoleShared, n.Aux, nil
	case kind.Enter:
		if n.Aux == b.top {
			x.Role = RoleParam
		}
	case kind.Merge:
		x.Role = roleJoined
		if b.isVar(n.Frame, s.Node) {
			x.Role = roleVariable
		}
	}
	b.form.Values = append(b.form.Values, x)
	b.used = append(b.used, v)
	b.local[v] = int32(len(b.form.Values))
	return b.local[v] - 1
}

// sourceOf returns the output that makes a value.
func (b *builder) sourceOf(v int32) Source {
	lo, hi := 0, len(b.f.Nodes)
	for lo+1 < hi { // the last node whose first value is not above v, of those with outputs
		mid := (lo + hi) / 2
		if b.first[mid] <= v {
			lo = mid
		} else {
			hi = mid
		}
	}
	return Source{int32(lo), v - b.first[lo]}
}

// use returns a value, to be used.
func (b *builder) use(v int32) Use {
	n := b.number(v)
	b.form.Values[n].Uses++
	return Use{Value: n}
}

// useInput returns what comes to input k of node i.
func (b *builder) useInput(i int32, k int) Use {
	u := b.use(b.value(b.f.In[i][k]))
	u.Read = b.f.reads(i, k)
	return u
}

// block writes steps in an order that keeps those under one condition together
// as far as their edges allow. All act under conditions that imply base.
func (b *builder) block(steps []step, base cond) (*Block, bool) {
	out := &Block{When: base}
	if len(steps) == 0 {
		return out, true
	}
	w := b.writer(base, out)
	defer func() { b.idle = append(b.idle, w) }()
	list, n := b.scheduleInTurns(steps, base), 0
	for _, e := range list {
		if e.step < 0 || e.input < 0 && b.when[e.step] == base && b.f.Nodes[e.step].Kind <= kind.Async {
			n++
		}
	}
	out.Code = make([]Instr, 0, n)
	for _, e := range list {
		if !w.entry(e) {
			return nil, false
		}
	}
	return out, true
}

// A writer appends instructions to the block of their condition, opening and
// closing conditionals.
type writer struct {
	b      *builder
	base   cond
	open   []literal // the conditionals that are open, without those of base
	conds  []cond    // with each of them
	blocks []*Block
	lits   []literal // scratch
}

// writer makes the writer of a block.
func (b *builder) writer(base cond, out *Block) *writer {
	w := &writer{}
	if last := len(b.idle) - 1; last >= 0 {
		w = b.idle[last]
		b.idle = b.idle[:last]
	}
	*w = writer{b: b, base: base, open: w.open[:0], conds: w.conds[:0], blocks: append(w.blocks[:0], out), lits: w.lits}
	return w
}

// under makes the block of a condition the current one.
func (w *writer) under(c cond) {
	t := w.b.conds
	w.lits = t.literals(w.lits[:0], c)
	want := w.lits[:0]
	for _, l := range w.lits {
		if _, found := t.side(w.base, l.rank); !found {
			want = append(want, l)
		}
	}
	shared := 0
	for shared < len(want) && shared < len(w.open) && want[shared] == w.open[shared] {
		shared++
	}
	w.open, w.conds, w.blocks = w.open[:shared], w.conds[:shared], w.blocks[:shared+1]
	for _, l := range want[shared:] {
		at := w.blocks[len(w.blocks)-1]
		before := w.base
		if len(w.conds) > 0 {
			before = w.conds[len(w.conds)-1]
		}
		inner := &Block{When: t.with(before, l)}
		p := t.preds[l.rank]
		// The other side of the conditional just before is its Else.
		if n := len(at.Code); n > 0 && p.sides == 2 {
			if last := &at.Code[n-1]; last.Op == If && last.Else == nil && last.Side == 1-l.side &&
				last.Rank == l.rank {
				last.Else = inner
				w.push(l, inner)
				continue
			}
		}
		at.Code = append(at.Code, Instr{Op: If, Node: p.steer, Side: l.side, Rank: l.rank, In: []Use{w.b.use(p.value)}, Then: inner})
		w.push(l, inner)
	}
}

func (w *writer) push(l literal, b *Block) {
	w.open, w.conds, w.blocks = append(w.open, l), append(w.conds, b.When), append(w.blocks, b)
}

func (w *writer) emit(c cond, in Instr) {
	w.under(c)
	at := w.blocks[len(w.blocks)-1]
	at.Code = append(at.Code, in)
}

// entry writes one entry of a schedule.
func (w *writer) entry(e entry) bool {
	b := w.b
	b.credit.Spend(8)
	if g, ok := e.step.frame(); ok {
		w.under(b.calls[g])
		in, ok := b.while(g)
		if ok {
			w.emit(b.calls[g], in)
		}
		return ok
	}
	i := int32(e.step)
	n := &b.f.Nodes[i]
	c := b.when[i]
	if e.input == awaits {
		w.emit(w.base, Instr{Op: Await, Node: i})
		return true
	}
	switch n.Kind {
	case kind.Kernel, kind.Async:
		in := Instr{Op: Call, Node: i, Number: int32(b.form.Calls), Starts: n.Kind == kind.Async && b.starts[i]}
		b.form.Calls++
		if data := b.f.data(i); len(data) > 0 {
			in.In = b.roomFor(len(data))
			for k := range data {
				in.In[k] = b.useInput(i, k)
			}
		}
		if n.Outs > 0 {
			in.Out = b.roomOut(int(n.Outs))
			for o := range in.Out {
				in.Out[o] = b.number(b.first[i] + int32(o))
			}
		}
		w.emit(c, in)
	case kind.Retval:
		w.emit(c, Instr{Op: Fetch, Node: i, Side: n.Aux, In: []Use{b.useInput(i, 0)}})
	case kind.Forward, kind.Switch, kind.SwitchN, kind.Enter:
		if b.f.reads(i, 0) {
			w.emit(c, Instr{Op: Read, Node: i, In: []Use{b.useInput(i, 0)}, Out: []int32{b.number(b.first[i])}})
		}
	case kind.Merge:
		if e.input < 0 {
			return true // its inputs have made it
		}
		from := b.f.In[i][e.input]
		w.emit(b.edge(from), Instr{Op: Join, Node: i, In: []Use{b.useInput(i, int(e.input))}, Out: []int32{b.number(b.first[i])}})
		if b.indexed[i] {
			w.emit(b.edge(from), Instr{Op: Index, Node: i, Side: e.input, Out: []int32{b.number(b.first[i] + 1)}})
		}
	}
	return true
}

// while writes a loop.
func (b *builder) while(f int32) (Instr, bool) {
	l := &Loop{Frame: f, Number: int32(len(b.form.Loops)), Outer: b.loop, Node: b.conds.preds[b.test[f]].steer}
	if l.Depth = 1; l.Outer != nil {
		l.Depth += l.Outer.Depth
	}
	b.form.Loops = append(b.form.Loops, l)
	vars := 0
	for _, i := range b.f.Frames[f].Members {
		if b.isVar(f, i) {
			vars++
		}
	}
	l.Vars = make([]Variable, 0, vars)
	outer := b.loop
	test := b.conds.preds[b.test[f]].value

	inits := b.roomFor(vars)[:0] // of the variables, from outside
	for _, i := range b.f.Frames[f].Members {
		if b.isVar(f, i) {
			for _, s := range b.f.In[i] {
				if b.f.Nodes[s.Node].Kind == kind.Enter {
					inits = append(inits, b.use(b.value(s)))
				}
			}
		}
	}
	b.loop = l
	l.rank, l.When, l.From = b.test[f], b.calls[f], int32(len(b.form.Values))
	defer func() { b.loop, l.To = outer, int32(len(b.form.Values)) }()
	for _, i := range b.f.Frames[f].Members {
		if b.isVar(f, i) {
			l.Vars = append(l.Vars, Variable{Value: b.number(b.first[i]), Init: inits[len(l.Vars)]})
		}
	}
	var parts [3][]step // head, body, tail
	room := make([]step, 2*len(b.order[f]))
	parts[0], parts[1] = room[:0:len(b.order[f])], room[len(b.order[f]):len(b.order[f])]
	part := func(s step) int {
		c, ok := b.when[max(int32(s), 0)], true
		if g, inner := s.frame(); inner {
			c = b.calls[g]
		}
		if c == never {
			return -1
		}
		side, ok := b.conds.side(c, b.test[f])
		switch {
		case !ok:
			return 0
		case side == 1:
			return 1
		}
		return 2
	}
	// Nothing before the test may need what comes after it. A ControlTrigger acts
	// whatever was dead, so it stands for an order in each part: late are those
	// that wait for something after the test.
	var late map[step]bool
	for _, s := range b.order[f] {
		p := part(s)
		if p < 0 {
			continue
		}
		waits := false
		b.needs(entry{s, -1}, func(need step) { waits = waits || part(need) > 0 || late[need] })
		switch {
		case b.isTrigger(s):
			if late == nil {
				late = map[step]bool{}
			}
			late[s] = waits
			for k := range parts {
				parts[k] = append(parts[k], s)
			}
			continue
		case p == 0 && waits:
			return Instr{}, b.no("an order that does not follow the loop's test", b.f.Frames[f].Members[0])
		}
		parts[p] = append(parts[p], s)
	}
	rank := b.test[f]
	var ok bool
	if l.Head, ok = b.block(parts[0], always); !ok {
		return Instr{}, false
	}
	l.Test = b.use(test)
	if l.Body, ok = b.block(parts[1], b.conds.extend(always, literal{rank, 1})); !ok {
		return Instr{}, false
	}
	at := 0
	for _, i := range b.f.Frames[f].Members {
		if b.isVar(f, i) {
			for _, s := range b.f.In[i] {
				if b.f.Nodes[s.Node].Kind == kind.Next {
					l.Vars[at].Next = b.use(b.value(s))
				}
			}
			at++
		}
	}
	if l.Tail, ok = b.block(parts[2], b.conds.extend(always, literal{rank, 0})); !ok {
		return Instr{}, false
	}
	return Instr{Op: While, Node: l.Node, Loop: l}, true
}
