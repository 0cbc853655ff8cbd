package programs

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// flows returns what was done to the session's variables last.
func (m *maker) flows() []Var {
	f := make([]Var, len(m.states))
	for i, s := range m.states {
		f[i] = s.flow
	}
	return f
}

func (m *maker) setFlows(f []Var) {
	for i, s := range m.states {
		s.flow = f[i]
	}
}

func (m *maker) choice(depth int) {
	st := &Choice{Multi: m.one(4)}
	n := 2
	if st.Multi {
		st.Index = m.count()
		n = m.src.Int("branches", 1, 3)
	} else {
		st.Index = m.predicate()
	}
	if st.Multi { // a reference goes only through a Switch of two sides
		states := m.states
		m.states = slices.DeleteFunc(slices.Clone(states), isReference)
		defer func() { m.states = states }()
	}
	before := m.flows()
	var after [][]Var
	var types []Type
	results := m.src.Int("values", 1, 2)
	for i := range n {
		var outs []Var
		st.Blocks = append(st.Blocks, m.within(func() {
			m.setFlows(before)
			if !m.one(5) {
				m.block(depth - 1)
			}
			for k := range results {
				if i == 0 {
					v, _ := m.pick(func(Var, Type) bool { return true })
					outs, types = append(outs, v), append(types, m.p.Types[v])
					continue
				}
				loose := types[k]
				loose.Len, loose.Dims = -1, slices.Repeat([]int{-1}, len(loose.Dims))
				v, ok := m.pick(func(_ Var, t Type) bool { return t.fits(loose) })
				if !ok {
					v = m.value(types[k])
				}
				outs, types[k] = append(outs, v), common(types[k], m.p.Types[v])
			}
		}))
		st.Outs = append(st.Outs, outs)
		after = append(after, m.flows())
	}
	for k, s := range m.states { // those that a block changes go through it
		s.flow = before[k]
		for i := range n {
			if after[i][k] != before[k] {
				types = append(types, Type{Kind: Flow})
				for j := range n {
					st.Outs[j] = append(st.Outs[j], after[j][k])
				}
				s.flow = -1
				break
			}
		}
	}
	st.To = m.freshes(types)
	next := results
	for _, s := range m.states {
		if s.flow < 0 {
			s.flow = st.To[next]
			next++
		}
	}
	if m.one(4) {
		w := m.fresh(tensorType(tensor.Int32))
		st.Which = &w
	}
	m.emit(st)
	m.see(st.To...)
	if st.Which != nil {
		m.see(*st.Which)
	}
}

// common returns what two types of one kind and rank have in common.
func common(a, b Type) Type {
	if a.Len != b.Len {
		a.Len = -1
	}
	a.Dims = slices.Clone(a.Dims)
	for i := range a.Dims {
		if a.Dims[i] != b.Dims[i] {
			a.Dims[i] = -1
		}
	}
	return a
}

// loopOf emits a loop that turns bound times, of which trips is the most. It carries a counter, which
// is the first that test, which reports whether to go on in spite of it, and body
// are given, and what begins as init; body gives the next values.
func (m *maker) loopOf(trips int, bound Var, init []Var, types []Type, test func() (Var, bool), body func(c []Var) []Var) []Var {
	states := m.states
	if len(states) > 0 && m.one(3) {
		m.states = nil // not in sight of the body
	}
	st := &Loop{Init: append([]Var{m.int(0)}, init...), Parallel: m.parallel}
	types = append([]Type{tensorType(tensor.Int32)}, types...)
	for _, s := range m.states {
		st.Init, types = append(st.Init, s.flow), append(types, Type{Kind: Flow})
	}
	st.Carried = m.freshes(types)
	own := st.Carried[:1+len(init)]
	m.turns *= trips
	m.inner++
	st.Test = m.within(func() {
		m.see(own...)
		st.Going = m.must(m.apply(binaryOp("Less"), []Type{tensorType(tensor.Bool)}, nil, own[0], bound))
		if more, ok := test(); ok {
			st.Going = m.must(m.apply(binaryOp("LogicalAnd"), []Type{tensorType(tensor.Bool)}, nil, st.Going, more))
		}
	})
	st.Body = m.within(func() {
		m.see(own...)
		m.setFlows(st.Carried[len(own):])
		st.Next = append(st.Next, m.must(m.apply(binaryOp("AddV2"), []Type{tensorType(tensor.Int32)}, nil, own[0], m.int(1))))
		st.Next = append(st.Next, body(own)...)
		st.Next = append(st.Next, m.flows()...)
	})
	m.inner--
	m.turns /= trips
	st.To = m.freshes(types)
	m.emit(st)
	m.setFlows(st.To[len(own):])
	m.states = states
	m.see(st.To...)
	return st.To[:len(own)]
}

func (m *maker) noTest() (Var, bool) { return 0, false }

// trips returns how often a loop turns: sometimes a negative number.
func (m *maker) trips() Var {
	by := binaryOp(pick(m.one(4), "TruncateMod", "FloorMod"))
	return m.must(m.apply(by, []Type{tensorType(tensor.Int32)}, nil, m.count(), m.int(maxTrips+1)))
}

func (m *maker) loop(depth int) {
	bound := m.trips()
	m.loopAround(maxTrips, bound, func(t Type) bool { return true }, func() { m.block(depth - 1) })
}

// long makes a loop of many turns over tensors.
func (m *maker) long() {
	dims := []int{m.sizes[1], m.sizes[0], m.sizes[1]}[m.src.Int("from", 0, 1):]
	m.literal(m.array(tensorType(m.dtype(anyType), dims...)))
	if m.one(2) {
		m.newList(tensorType(m.dtype(anyType), dims...), m.src.Int("length", 1, 2))
	}
	around := func(t Type) bool { return t.Kind == List && t.Len > 0 || t.Kind == Tensor && len(t.Dims) > 0 }
	m.loopAround(LongTurns, m.int(LongTurns), around, func() {
		for range m.src.Int("statements", 3, 9) {
			switch m.src.Int("statement", 0, 9) {
			case 0:
				m.choice(1)
			case 1:
				m.throughStack()
			default:
				m.expression()
			}
		}
	})
}

// wide makes a loop over tensors. In each turn operations come in groups, of which
// none needs another of the same group.
func (m *maker) wide() {
	for range 2 {
		m.literal(m.array(tensorType(m.dtype(anyType), m.sizes[1], m.sizes[0])))
	}
	around := func(t Type) bool { return t.Kind == Tensor && len(t.Dims) > 0 }
	m.loopAround(maxTrips, m.int(maxTrips), around, func() {
		for range m.src.Int("groups", 1, 4) {
			before := m.seen
			var made []Var
			for range m.src.Int("group", 2, 4) {
				m.seen = before[:len(before):len(before)]
				m.expression()
				made = append(made, m.seen[len(before):]...)
			}
			m.seen = append(before, made...)
		}
	})
}

// loopAround makes a loop that carries what may go around.
func (m *maker) loopAround(trips int, bound Var, around func(Type) bool, body func()) {
	var init []Var
	var types []Type
	for range m.src.Int("carried", 1, 3) {
		v, _ := m.pick(func(_ Var, t Type) bool { return around(t) })
		t := m.p.Types[v]
		if len(t.Dims) > 0 && t.Kind == Tensor && m.one(3) { // its shape may change
			t.Dims = slices.Clone(t.Dims)
			t.Dims[m.src.Int("axis", 0, len(t.Dims)-1)] = -1
		}
		if t.Kind == List && trips < LongTurns { // it may grow
			t.Len = -1
		}
		init, types = append(init, v), append(types, t)
	}
	test := m.noTest
	if trips < LongTurns && m.one(3) {
		test = func() (Var, bool) {
			if m.one(3) {
				m.expression()
			}
			return m.predicate(), true
		}
	}
	m.loopOf(trips, bound, init, types, test, func(c []Var) []Var {
		body()
		next := make([]Var, len(types))
		for i, t := range types {
			next[i] = m.next(t)
			if u := m.p.Types[next[i]]; m.duals && u.Kind == Tensor && isFloat(u.DType) && u.known() && m.one(2) {
				next[i] = m.bend(next[i], 2)
			}
			if axis := slices.Index(t.Dims, -1); axis >= 0 && t.Kind == Tensor && m.one(2) {
				next[i] = m.grow(next[i], c[1+i], t, axis)
			}
			if t.Kind == List && t.Len < 0 && m.one(2) {
				next[i] = m.must(m.apply(listPush, []Type{t}, nil, next[i], m.value(tensorType(t.DType, t.Dims...))))
			}
		}
		return next
	})
}

// grow puts two tensors together along an axis, or cuts one.
func (m *maker) grow(a, b Var, t Type, axis int) Var {
	n := 0
	for _, d := range t.Dims {
		if d < 0 {
			n++
		}
	}
	switch {
	case m.one(3) && axis == 0:
		return m.must(m.apply(stridedSlice, []Type{t}, []int{m.src.Int("begin", 0, 1), m.src.Int("end", -1, 2), 1, 0}, a))
	case n == 1:
		if more := slices.Clone(t.Dims); m.one(2) {
			more[axis] = m.src.Int("more", 0, 2)
			b = m.literal(m.array(tensorType(t.DType, more...)))
		}
		return m.must(m.apply(concat, []Type{t}, []int{axis}, a, b))
	}
	return a
}

func (m *maker) call(depth int) {
	states := m.states
	// No function takes a reference.
	m.states = slices.DeleteFunc(slices.Clone(states), isReference)
	defer func() { m.states = states }()
	before := m.flows()
	st := &Call{}
	st.Body = m.within(func() {
		m.block(depth - 1)
		for range m.src.Int("values", 1, 2) {
			v, _ := m.pick(func(Var, Type) bool { return true })
			st.Outs = append(st.Outs, v)
		}
	})
	results := len(st.Outs)
	for i, s := range m.states {
		if s.flow != before[i] {
			st.Outs = append(st.Outs, s.flow)
		}
	}
	st.To = m.freshes(m.typesOf(st.Outs))
	for i, s := range m.states {
		if s.flow != before[i] {
			s.flow = st.To[results]
			results++
		}
	}
	m.emit(st)
	m.see(st.To...)
}

// recursion makes a function that calls itself up to three deep. Nothing in it
// fails, and it does not see the session's variables.
func (m *maker) recursion(depth int) {
	states, faults := m.states, m.faults
	m.states, m.faults = nil, 0
	m.turns *= 4
	m.inner++
	st := &Recursion{Args: []Var{m.must(m.apply(binaryOp("TruncateMod"), []Type{tensorType(tensor.Int32)}, nil, m.count(), m.int(4)))}}
	for range m.src.Int("arguments", 1, 2) {
		v, _ := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor })
		st.Args = append(st.Args, v)
	}
	types := m.typesOf(st.Args)
	st.Params = m.freshes(types)
	results := func() []Var {
		outs := make([]Var, len(types)-1)
		for i := range outs {
			outs[i] = m.next(types[i+1])
		}
		return outs
	}
	st.Base = m.within(func() {
		m.see(st.Params...)
		m.expression()
		st.BaseOuts = results()
	})
	m.within(func() {
		m.see(st.Params...)
		st.Before = m.within(func() {
			st.Again = append(st.Again, m.must(m.apply(binaryOp("Sub"), types[:1], nil, st.Params[0], m.int(1))))
			m.block(depth - 1)
			st.Again = append(st.Again, results()...)
		})
		st.Inner = m.freshes(types[1:])
		st.After = m.within(func() {
			m.see(st.Inner...)
			m.expression()
			st.AfterOuts = results()
		})
	})
	st.To = m.freshes(types[1:])
	m.states, m.faults = states, faults
	m.turns /= 4
	m.inner--
	m.emit(st)
	m.see(st.To...)
}
