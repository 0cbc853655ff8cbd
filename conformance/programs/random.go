package programs

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// A Source draws numbers: rapid's in tests that shrink, or a seeded one.
type Source interface {
	// Int draws from lo to hi, both included.
	Int(label string, lo, hi int) int
}

// Random makes a program of blocks nested to at most depth; scalars wants few
// tensors of more than one element, and no references.
func Random(src Source, depth int, scalars bool) *Program {
	m := &maker{src: src, p: &Program{}, turns: 1, used: set{}}
	m.scalars = scalars
	m.parallel = []int{1, 2, 32}[src.Int("parallel_iterations", 0, 2)]
	m.sizes = []int{src.Int("size", 2, 4), src.Int("size", 1, 5)}
	if m.one(12) {
		m.sizes[1] = src.Int("large", 0, 1) * 40 // empty, or beyond the smallest buffers
	}
	m.palette = []tensor.DType{tensor.Int32}
	for range src.Int("types", 1, 3) {
		m.palette = append(m.palette, anyType[src.Int("type", 0, len(anyType)-1)])
	}
	if m.one(3) {
		m.faults = src.Int("faults", 1, 2)
	}
	m.inputs()
	if m.one(3) && !scalars {
		m.variables()
	}
	// Without effects and errors nobody may tell where invariants are computed.
	m.p.Strict = m.faults > 0 || len(m.states) > 0 || m.one(2)
	m.p.Body = m.within(func() {
		m.block(depth)
		for range src.Int("results", 2, 6) {
			v, _ := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor })
			if !slices.Contains(m.p.Inputs, v) && !slices.Contains(m.p.Results, v) {
				m.p.Results = append(m.p.Results, v)
			}
		}
		if len(m.p.Results) == 0 {
			m.p.Results = append(m.p.Results, m.must(m.apply(identity, []Type{m.p.Types[m.p.Inputs[0]]}, nil, m.p.Inputs[0])))
		}
		for _, s := range m.states {
			v := m.apply(varRead, []Type{tensorType(s.of.DType, s.of.Dims...), {Kind: Flow}}, nil, s.handle, s.flow)
			m.p.Results = append(m.p.Results, v[0])
		}
	})
	// What nothing needs is not there: it could fail unseen.
	m.p.Body = m.p.Part(m.p.Results, nil).Body
	return m.p
}

// A maker draws a program.
type maker struct {
	src      Source
	p        *Program
	seen     []Var // tensors and lists in sight
	out      *Block
	states   []*state // of the session, in sight
	palette  []tensor.DType
	sizes    []int
	parallel int
	turns    int // how often the block being made may run
	faults   int // operations left that may fail
	inner    int // loops around
	begun    int // what was in sight when the block being made began
	used     set // what was picked before
	scalars  bool
}

// A state is a variable of the session, and what was done to it last.
type state struct {
	handle, flow Var
	of           Type
}

func isReference(s *state) bool { return s.of.Object == Reference }

const (
	// maxTrips bounds the turns of one loop, so that nested loops stay short.
	maxTrips = 5
	// maxTurns bounds how often the innermost block of a program may run.
	maxTurns = 100
)

// one says yes one time in n.
func (m *maker) one(n int) bool { return m.src.Int("one in", 1, n) == n }

func (m *maker) inputs() {
	m.p.Inputs = append(m.p.Inputs, m.fresh(tensorType(tensor.Int32)))
	for range m.src.Int("inputs", 1, 3) {
		m.p.Inputs = append(m.p.Inputs, m.fresh(m.someType()))
	}
	m.seen = append(m.seen, m.p.Inputs...)
}

func (m *maker) variables() {
	for range m.src.Int("variables", 1, 2) {
		t := m.someType()
		if t.DType == tensor.Bool {
			t.DType = tensor.Int32
		}
		h := Type{Kind: Handle, DType: t.DType, Dims: t.Dims, Object: ObjectKind(m.src.Int("reference", 0, 1))}
		v := Session{Handle: m.fresh(h), Flow: m.fresh(Type{Kind: Flow}), Init: m.array(t)}
		m.p.Variables = append(m.p.Variables, v)
		m.states = append(m.states, &state{v.Handle, v.Flow, h})
	}
}

func (m *maker) fresh(t Type) Var {
	m.p.Types = append(m.p.Types, t)
	return Var(len(m.p.Types) - 1)
}

func (m *maker) freshes(types []Type) []Var {
	vs := make([]Var, len(types))
	for i, t := range types {
		vs[i] = m.fresh(t)
	}
	return vs
}

func (m *maker) typesOf(vars []Var) []Type {
	ts := make([]Type, len(vars))
	for i, v := range vars {
		ts[i] = m.p.Types[v]
	}
	return ts
}

// dims draws known dimensions of at most that rank.
func (m *maker) dims(rank int) []int {
	var d []int
	if m.scalars {
		return nil
	}
	for range m.src.Int("rank", 0, rank) {
		d = append(d, m.sizes[m.src.Int("dim", 0, 1)])
	}
	return d
}

func (m *maker) dtype(of []tensor.DType) tensor.DType {
	for _, i := range []int{m.src.Int("palette", 0, len(m.palette)-1), m.src.Int("palette", 0, len(m.palette)-1)} {
		if slices.Contains(of, m.palette[i]) {
			return m.palette[i]
		}
	}
	return of[m.src.Int("type", 0, len(of)-1)]
}

func (m *maker) someType() Type { return tensorType(m.dtype(anyType), m.dims(3)...) }

// array draws a value of small numbers.
func (m *maker) array(t Type) *Array {
	a := newArray(t.DType, t.Dims)
	x := m.src.Int("value", -4, 8)
	for i := range a.elems {
		y := float64((x+5*i+4)%13 - 4)
		switch {
		case t.DType == tensor.Bool:
			a.elems[i] = truth(int(y)&1 == 1)
		case isUnsigned(t.DType):
			a.elems[i] = of(t.DType, max(y, -y))
		case isInt(t.DType):
			a.elems[i] = of(t.DType, y)
		default:
			a.elems[i] = of(t.DType, y/2)
			if isComplex(t.DType) {
				a.elems[i].im = float64(i%3) - 1
			}
		}
	}
	return a
}

// within makes a block; what it declares is out of sight afterwards.
func (m *maker) within(f func()) Block {
	var b Block
	outer, seen, begun := m.out, m.seen, m.begun
	m.out, m.seen, m.begun = &b, slices.Clone(seen), len(seen)
	f()
	m.out, m.seen, m.begun = outer, seen, begun
	return b
}

func (m *maker) emit(s Stmt) { *m.out = append(*m.out, s) }

// see brings tensors and lists among the variables in sight.
func (m *maker) see(vars ...Var) {
	for _, v := range vars {
		if k := m.p.Types[v].Kind; k == Tensor || k == List {
			m.seen = append(m.seen, v)
		}
	}
}

// apply emits an Apply.
func (m *maker) apply(op *Op, to []Type, params []int, args ...Var) []Var {
	a := &Apply{Op: op, Args: args, Params: params, To: m.freshes(to)}
	m.emit(a)
	m.see(a.To...)
	return a.To
}

func (m *maker) must(vars []Var) Var { return vars[0] }

func (m *maker) literal(a *Array) Var {
	l := &Literal{m.fresh(tensorType(a.Type, a.Dims...)), a}
	m.emit(l)
	m.see(l.To)
	return l.To
}

// int is a number that nothing else sees.
func (m *maker) int(i int) Var {
	l := &Literal{m.fresh(tensorType(tensor.Int32)), scalarInt(i)}
	m.emit(l)
	return l.To
}

// pick draws a variable in sight; the latest, and those that nothing has used,
// are the likeliest, so that statements build on each other.
func (m *maker) pick(ok func(v Var, t Type) bool) (Var, bool) {
	var fit, unused []Var
	for _, v := range m.seen {
		if ok(v, m.p.Types[v]) {
			if fit = append(fit, v); !m.used[v] {
				unused = append(unused, v)
			}
		}
	}
	if len(fit) == 0 {
		return 0, false
	}
	if len(unused) > 0 && !m.one(4) {
		fit = unused
	}
	i := m.src.Int("back", 0, len(fit)-1)
	if m.src.Int("near", 0, 2) > 0 {
		i = min(i, 2)
	}
	m.used[fit[len(fit)-1-i]] = true
	return fit[len(fit)-1-i], true
}

// next is a value for what goes around in a loop: mostly one that its body made.
func (m *maker) next(t Type) Var {
	if all := m.seen; !m.one(4) {
		m.seen = all[m.begun:]
		v, ok := m.pick(func(_ Var, u Type) bool { return u.fits(t) })
		m.seen = all
		if ok {
			return v
		}
	}
	return m.value(t)
}

// value is a variable that fits a type: one in sight, else one that is made.
func (m *maker) value(t Type) Var {
	if v, ok := m.pick(func(_ Var, u Type) bool { return u.fits(t) }); ok && !m.one(10) {
		return v
	}
	t.Dims = slices.Clone(t.Dims)
	for i, d := range t.Dims {
		if d < 0 {
			t.Dims[i] = m.sizes[0]
		}
	}
	if t.Kind == List {
		n := max(t.Len, 0)
		zero := m.literal(newArray(t.DType, t.Dims))
		return m.must(m.apply(listNew, []Type{{Kind: List, DType: t.DType, Dims: t.Dims, Len: n}}, []int{n}, zero))
	}
	return m.literal(m.array(t))
}

// count is an int32 scalar.
func (m *maker) count() Var {
	v, ok := m.pick(func(_ Var, t Type) bool { return t.is(tensor.Int32) })
	if !ok {
		return m.int(m.src.Int("value", 0, 5))
	}
	return v
}

// predicate is a bool scalar.
func (m *maker) predicate() Var {
	if v, ok := m.pick(func(_ Var, t Type) bool { return t.is(tensor.Bool) }); ok && m.one(3) {
		return v
	}
	to := []Type{tensorType(tensor.Bool)}
	switch m.src.Int("predicate", 0, 3) {
	case 0: // of a tensor
		if v, ok := m.pick(func(_ Var, t Type) bool {
			return t.Kind == Tensor && len(t.Dims) > 0 && t.known() && slices.Contains(reals, t.DType)
		}); ok {
			t := m.p.Types[v]
			zero := m.literal(m.array(tensorType(t.DType)))
			less := m.apply(binaryOp("Less"), []Type{tensorType(tensor.Bool, t.Dims...)}, nil, v, zero)[0]
			axes := make([]int, len(t.Dims))
			for i := range axes {
				axes[i] = i
			}
			return m.must(m.apply(pick(m.one(2), reductions[4].op, reductions[5].op), to, append([]int{0}, axes...), less))
		}
	case 1:
		return m.must(m.apply(binaryOp("LessEqual"), to, nil, m.count(), m.int(m.src.Int("value", -2, 6))))
	}
	return m.must(m.apply(binaryOp("Less"), to, nil, m.count(), m.count()))
}

func binaryOp(name string) *Op {
	return binaries[slices.IndexFunc(binaries, func(b *binary) bool { return b.name == name })].op
}

// block makes statements.
func (m *maker) block(depth int) {
	for range m.src.Int("statements", 1, 5) {
		kind := m.src.Int("statement", 0, 29)
		if len(m.states) > 0 && m.one(4) {
			m.stateful()
			continue
		}
		loops := m.turns*maxTrips <= maxTurns
		switch {
		case kind < 13 || depth == 0:
			m.expression()
		case kind < 14:
			m.literal(m.array(m.someType()))
		case kind < 19:
			m.choice(depth)
		case kind < 25 && loops:
			m.loop(depth)
		case kind < 26 && loops:
			m.collect(depth)
		case kind < 27 && loops:
			m.stack(depth)
		case kind < 28:
			m.call(depth)
		case kind < 29 && m.inner == 0:
			m.recursion(depth)
		default:
			m.expression()
		}
	}
}

// flows is what was done to the session's variables last.
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

// common is what two types of one kind and rank have in common.
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

// loopOf emits a loop that turns limit times at most. It carries a counter, which
// is the first that test, which says whether to go on in spite of it, and body
// are given, and what begins as init; body gives the next values.
func (m *maker) loopOf(limit, trips int, bound Var, init []Var, types []Type, test func() (Var, bool), body func(c []Var) []Var) []Var {
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

// trips is how often a loop turns: sometimes a negative number.
func (m *maker) trips() Var {
	by := binaryOp(pick(m.one(4), "TruncateMod", "FloorMod"))
	return m.must(m.apply(by, []Type{tensorType(tensor.Int32)}, nil, m.count(), m.int(maxTrips+1)))
}

func (m *maker) loop(depth int) {
	bound := m.trips()
	var init []Var
	var types []Type
	for range m.src.Int("carried", 1, 3) {
		v, _ := m.pick(func(Var, Type) bool { return true })
		t := m.p.Types[v]
		if len(t.Dims) > 0 && t.Kind == Tensor && m.one(3) { // its shape may change
			t.Dims = slices.Clone(t.Dims)
			t.Dims[m.src.Int("axis", 0, len(t.Dims)-1)] = -1
		}
		if t.Kind == List {
			t.Len = -1
		}
		init, types = append(init, v), append(types, t)
	}
	test := m.noTest
	if m.one(3) {
		test = func() (Var, bool) {
			if m.one(3) {
				m.expression()
			}
			return m.predicate(), true
		}
	}
	m.loopOf(maxTrips, maxTrips, bound, init, types, test, func(c []Var) []Var {
		m.block(depth - 1)
		next := make([]Var, len(types))
		for i, t := range types {
			next[i] = m.next(t)
			if axis := slices.Index(t.Dims, -1); axis >= 0 && t.Kind == Tensor && m.one(2) {
				next[i] = m.grow(next[i], c[1+i], t, axis)
			}
			if t.Kind == List && m.one(2) {
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

// collect makes a loop that writes an array, or one that reads it.
func (m *maker) collect(depth int) {
	n := m.src.Int("size", 1, 3)
	of := Type{Kind: Handle, Object: TensorArray, Len: n}
	if v, ok := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor && t.known() && len(t.Dims) < 3 }); ok {
		of.DType, of.Dims = m.p.Types[v].DType, m.p.Types[v].Dims
	}
	elem := tensorType(of.DType, of.Dims...)
	new := m.apply(arrayNew, []Type{of, {Kind: Flow}}, []int{n})
	handle, flow := new[0], new[1]
	read := func(flow Var) {
		at := m.apply(binaryOp("FloorMod"), []Type{tensorType(tensor.Int32)}, nil, m.count(), m.int(n))[0]
		m.apply(arrayRead, []Type{elem}, nil, handle, at, flow)
	}
	if m.one(3) {
		whole := m.value(tensorType(of.DType, slices.Concat([]int{n}, of.Dims)...))
		flow = m.apply(arrayScatter, []Type{{Kind: Flow}}, nil, handle, whole, flow)[0]
	} else {
		flow = m.loopOf(n, n, m.int(n), []Var{flow}, []Type{{Kind: Flow}}, m.noTest, func(c []Var) []Var {
			m.block(depth - 1)
			return m.apply(arrayWrite, []Type{{Kind: Flow}}, nil, handle, c[0], m.next(elem), c[1])
		})[1]
	}
	switch m.src.Int("read", 0, 2) {
	case 0:
		rows := make([]int, m.src.Int("rows", 1, n))
		for i := range rows {
			rows[i] = m.src.Int("row", 0, n-1)
		}
		m.apply(arrayGather, []Type{tensorType(of.DType, slices.Concat([]int{len(rows)}, of.Dims)...)}, rows, handle, flow)
	case 1:
		m.loopOf(n, n, m.int(n), []Var{m.value(elem)}, []Type{elem}, m.noTest, func(c []Var) []Var {
			x := m.apply(arrayRead, []Type{elem}, nil, handle, c[0], flow)[0]
			m.block(depth - 1)
			return []Var{m.combine(x, c[1], elem)}
		})
	default:
		read(flow)
	}
}

// combine is an operation on two values of a type.
func (m *maker) combine(x, y Var, t Type) Var {
	if t.DType == tensor.Bool {
		return m.must(m.apply(binaryOp("LogicalOr"), []Type{t}, nil, x, y))
	}
	return m.must(m.apply(binaryOp([]string{"AddV2", "Sub"}[m.src.Int("op", 0, 1)]), []Type{t}, nil, x, y))
}

// stack makes a loop that pushes and one that pops, as gradients of loops do.
func (m *maker) stack(depth int) {
	v, _ := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor })
	elem := m.p.Types[v]
	of := Type{Kind: Handle, Object: Stack, DType: elem.DType, Dims: elem.Dims, Len: -1}
	new := m.apply(stackNew, []Type{of, {Kind: Flow}}, nil)
	bound := m.trips()
	to := m.loopOf(maxTrips, maxTrips, bound, []Var{new[1], v}, []Type{{Kind: Flow}, elem}, m.noTest, func(c []Var) []Var {
		m.block(depth - 1)
		p := m.apply(stackPush, []Type{elem, {Kind: Flow}}, []int{m.src.Int("swap", 0, 1)}, new[0], m.next(elem), c[1])
		return []Var{p[1], pick(m.one(2), p[0], m.next(elem))}
	})
	m.loopOf(maxTrips, maxTrips, to[0], []Var{to[1], to[2]}, []Type{{Kind: Flow}, elem}, m.noTest, func(c []Var) []Var {
		p := m.apply(stackPop, []Type{elem, {Kind: Flow}}, nil, new[0], c[1])
		next := p[0]
		if elem.known() {
			next = m.combine(p[0], c[2], elem)
		}
		return []Var{p[1], next}
	})
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
