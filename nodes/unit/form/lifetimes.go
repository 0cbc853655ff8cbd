package form

// lifetimes decides for every use whether the value is given up by it, and
// where values are dropped that nobody uses any more. It goes through the form
// from its end to its beginning and keeps the set of values that are live: still
// needed further on. The last to use a value moves it.
//
//   - Before a conditional, what either side needs is live; what only one side
//     needs is dropped at the beginning of the other.
//   - Values from outside a loop that it uses stay live in all of it; they are
//     dropped after it, if nobody needs them.
//   - A loop's variables are made by its beginning and by every iteration's end.
//
// The same walk finds which values may be written straight to the register of
// the value that they become: a Merge's, a loop variable's, its first one's. It
// must not be live where they are made (Value.Into).
func (f *Form) lifetimes(c *Credit) {
	n := len(f.Values)
	flags := make([]bool, 3*n)
	l := &lifetimes{form: f, credit: c, live: flags[:n], seen: flags[n : 2*n], full: flags[2*n:], log: make([]int32, 0, 2*n)}
	for i := len(f.Results) - 1; i >= 0; i-- {
		l.keep(&f.Results[i].Use)
	}
	l.block(f.Body)
	for _, p := range f.Params {
		if v := p.Value; f.Values[v].Role == RoleParam && !l.live[v] {
			f.Body.Drop = append(f.Body.Drop, v)
		}
	}
}

type lifetimes struct {
	await  *Instr // the next one after what is looked at
	form   *Form
	credit *Credit
	within *Loop // of the instruction that is looked at
	live   []bool
	log    []int32 // values whose liveness was changed, each time
	seen   []bool  // scratch
	full   []bool  // scratch
}

func (l *lifetimes) set(v int32, live bool) {
	if l.live[v] != live {
		l.live[v] = live
		l.log = append(l.log, v)
	}
}

// revert goes back to how it was when the log had that length, and answers the
// values of which that changed something.
func (l *lifetimes) revert(mark int) []int32 {
	var changed []int32
	for _, v := range l.log[mark:] {
		l.seen[v] = !l.seen[v]
	}
	for _, v := range l.log[mark:] {
		if l.seen[v] {
			l.seen[v] = false
			l.live[v] = !l.live[v]
			changed = append(changed, v)
		}
	}
	l.credit.Spend(len(l.log) - mark)
	l.log = l.log[:mark]
	return changed
}

// use is the last use of a value that is not live yet.
func (l *lifetimes) use(u *Use) {
	switch v := &l.form.Values[u.Value]; {
	case v.Role == RoleShared || l.live[u.Value]:
		u.Mode = Borrow
	default:
		u.Mode = Move
		l.set(u.Value, true)
	}
}

// keep is use for what takes hold of the value.
func (l *lifetimes) keep(u *Use) {
	if l.use(u); u.Mode == Borrow {
		u.Mode = Copy
	}
}

// made is the place where a value is made.
func (l *lifetimes) made(v int32) {
	for x := v; l.form.Values[x].Into >= 0; x = l.form.Values[x].Into {
		if l.live[l.form.Values[x].Into] {
			l.form.Values[x].Into = -1
			break
		}
	}
	l.set(v, false)
}

// becomes notes that a value may be written to the register of another.
func (l *lifetimes) becomes(v, into int32) {
	if x := &l.form.Values[v]; x.Into < 0 && !l.form.Off.Has(Coalesce) {
		x.Into = into
	}
}

func (l *lifetimes) block(b *Block) {
	for i := len(b.Code) - 1; i >= 0; i-- {
		l.instr(b, &b.Code[i])
	}
}

func (l *lifetimes) instr(b *Block, in *Instr) {
	l.credit.Spend(2 + len(in.In) + len(in.Out))
	switch in.Op {
	case Await:
		l.await = in
	case If:
		l.conditional(b, in)
		return
	case While:
		l.loop(in)
		return
	}
	for o, v := range in.Out {
		if len(in.Out) > 1 { // the outputs of a kernel lie side by side
			l.form.Values[v].Into = -1
		}
		if !l.live[v] && l.form.Values[v].Uses == 0 {
			in.Out[o] = -1
		} else {
			if !l.live[v] { // used, but on no way from here
				at := in
				if in.Starts { // it comes later
					at = l.await
				}
				at.Drop = append(at.Drop, v)
			}
			l.made(v)
		}
	}
	switch in.Op {
	case Fetch:
		l.keep(&in.In[0])
		return
	case Join:
		u := &in.In[0]
		l.keep(u)
		// What is made under the condition of the move is made for it alone.
		if x := &l.form.Values[u.Value]; u.Mode == Move && x.Role == RoleLocal && x.Loop == l.within && x.When == b.When && in.Out[0] >= 0 {
			l.becomes(u.Value, in.Out[0])
		}
		return
	}
	for i := len(in.In) - 1; i >= 0; i-- {
		u := &in.In[i]
		l.use(u)
		if u.Read && u.Mode == Move && l.form.Flow.shared(l.form.Values[u.Value].Source) {
			// It may be a value that is owned, and what is read lies elsewhere.
			u.Mode = Borrow
			in.Drop = append(in.Drop, u.Value)
			l.apart(in.Out, u.Value)
		}
	}
	// A value that stands twice in one instruction is given up after it, since
	// the kernel must not write over what it reads.
	for i := range in.In {
		switch u := &in.In[i]; {
		case u.Mode == Borrow:
			l.seen[u.Value] = true
		case u.Mode == Move && l.seen[u.Value]:
			u.Mode = Borrow
			in.Drop = append(in.Drop, u.Value)
			l.apart(in.Out, u.Value)
		}
	}
	for i := range in.In {
		l.seen[in.In[i].Value] = false
	}
}

// apart makes sure that what an instruction makes is not written to the register
// of a value that is dropped after it.
func (l *lifetimes) apart(made []int32, v int32) {
	vals := l.form.Values
	for _, o := range made {
		for x := o; x >= 0 && vals[x].Into >= 0; x = vals[x].Into {
			if vals[x].Into == v {
				vals[x].Into = -1
			}
		}
	}
}

func (l *lifetimes) conditional(b *Block, in *Instr) {
	mark := len(l.log)
	l.block(in.Then)
	then := l.revert(mark)
	var other []int32
	if in.Else != nil {
		l.block(in.Else)
		other = l.revert(mark)
	}
	needed := func(v int32, here, there bool) { // live at the beginning of one side or the other
		if here && !there && !l.live[v] {
			if in.Else == nil {
				in.Else = &Block{When: l.without(b, in)}
			}
			in.Else.Drop = append(in.Else.Drop, v)
		} else if there && !here && !l.live[v] {
			in.Then.Drop = append(in.Then.Drop, v)
		}
	}
	l.join(then, other, func(v int32, here, there bool) {
		if !l.onlyWhere(v, in) {
			needed(v, here, there)
		}
	})
	l.use(&in.In[0])
}

// join makes live what was live on one of two ways, of which each changed the
// liveness of some values, and tells of each of them.
func (l *lifetimes) join(here, there []int32, tell func(v int32, here, there bool)) {
	for _, v := range here {
		l.seen[v] = true
	}
	for _, v := range there {
		l.full[v] = true
	}
	for _, list := range [][]int32{here, there} {
		for _, v := range list {
			if !l.seen[v] && !l.full[v] {
				continue // told already
			}
			h, t := l.live[v] != l.seen[v], l.live[v] != l.full[v]
			l.seen[v], l.full[v] = false, false
			tell(v, h, t)
			l.set(v, h || t)
		}
	}
}

// without returns the condition of the side of a conditional that has no block yet.
func (l *lifetimes) without(b *Block, in *Instr) cond {
	t := l.form.conds
	if t.preds[in.Rank].sides == 2 {
		return t.with(b.When, literal{in.Rank, 1 - in.Side})
	}
	return b.When
}

// onlyWhere reports whether a value is there on one side of a conditional alone.
func (l *lifetimes) onlyWhere(v int32, in *Instr) bool {
	t := l.form.conds
	_, found := t.side(l.when(v), in.Rank)
	return found
}

// when returns the condition under which a value is there, relative to the frame
// that the walk is in.
func (l *lifetimes) when(v int32) cond {
	x := &l.form.Values[v]
	if x.Loop == l.within {
		return x.When
	}
	for w := x.Loop; w != nil; w = w.Outer {
		if w.Outer == l.within {
			return w.When
		}
	}
	return always // from outside
}

func (l *lifetimes) loop(in *Instr) {
	w := in.Loop
	l.within = w
	defer func() { l.within = w.Outer }()
	// What comes from outside stays.
	outside := l.form.outside(in)
	for _, v := range outside {
		if !l.live[v] {
			in.Drop = append(in.Drop, v)
			l.set(v, true)
		}
	}
	mark := len(l.log)
	l.block(w.Tail)
	tail := l.revert(mark)

	// At the end of an iteration only the next values of the variables are
	// needed of what the loop makes.
	for v := w.From; v < w.To; v++ {
		l.set(v, false)
	}
	for i := range w.Vars { // those that stay as they are need no move
		if x := &w.Vars[i]; x.Next.Value == x.Value {
			l.use(&x.Next)
		}
	}
	for i := len(w.Vars) - 1; i >= 0; i-- {
		x := &w.Vars[i]
		if x.Next.Value == x.Value {
			continue
		}
		l.keep(&x.Next)
		if n := &l.form.Values[x.Next.Value]; x.Next.Mode == Move && n.Loop == w && n.Role != roleVariable {
			l.becomes(x.Next.Value, x.Value)
		}
	}
	l.block(w.Body)
	body := l.revert(mark)
	rank := w.rank
	l.join(body, tail, func(v int32, body, tail bool) {
		if v >= w.From && v < w.To {
			if _, after := l.form.conds.side(l.when(v), rank); after {
				return // made after the test
			}
		}
		switch {
		case tail && !body:
			w.Body.Drop = append(w.Body.Drop, v)
		case body && !tail:
			w.Tail.Drop = append(w.Tail.Drop, v)
		}
	})
	l.use(&w.Test)
	l.block(w.Head)
	for _, x := range w.Vars {
		if !l.live[x.Value] {
			w.Head.Drop = append(w.Head.Drop, x.Value)
		}
	}
	for v := w.From; v < w.To; v++ {
		l.set(v, false) // what is made under a condition is live where it does not hold
	}
	for i := len(w.Vars) - 1; i >= 0; i-- {
		x := &w.Vars[i]
		l.keep(&x.Init)
		if n := &l.form.Values[x.Init.Value]; x.Init.Mode == Move && n.Loop == w.Outer && n.Role == RoleLocal && n.When == w.When {
			l.becomes(x.Init.Value, x.Value)
		}
	}
}

// outside lists the values that a loop uses and does not make.
func (f *Form) outside(in *Instr) []int32 {
	var list []int32
	known := map[int32]bool{}
	w := in.Loop
	add := func(u *Use) {
		v := u.Value
		if (v < w.From || v >= w.To) && f.Values[v].Role != RoleShared && !known[v] {
			known[v] = true
			list = append(list, v)
		}
	}
	eachUse(w.Head, add)
	add(&w.Test)
	eachUse(w.Body, add)
	for i := range w.Vars {
		add(&w.Vars[i].Next)
	}
	eachUse(w.Tail, add)
	return list
}

// uses lists the values that stand in a loop, as often as they do.
func (f *Form) uses(in *Instr) (list []int32) {
	eachUse(&Block{Code: []Instr{*in}}, func(u *Use) { list = append(list, u.Value) })
	return list
}

// eachUse calls do for every use in a block and those within it.
func eachUse(b *Block, do func(*Use)) {
	if b == nil {
		return
	}
	for i := range b.Code {
		in := &b.Code[i]
		for k := range in.In {
			do(&in.In[k])
		}
		eachUse(in.Then, do)
		eachUse(in.Else, do)
		if w := in.Loop; w != nil {
			for k := range w.Vars {
				do(&w.Vars[k].Init)
				do(&w.Vars[k].Next)
			}
			do(&w.Test)
			eachUse(w.Head, do)
			eachUse(w.Body, do)
			eachUse(w.Tail, do)
		}
	}
}
