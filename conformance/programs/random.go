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

// Options says what programs to draw.
type Options struct {
	Depth int // of blocks in one another
	// Long is a loop of LongTurns turns, each of which makes little that lives on:
	// what the loop takes all in all is many times what it needs at a time.
	Long bool
	// Shares is programs that share what reference variables hold; see [Program.Shares].
	Shares bool
	// Duals is programs of which much can be differentiated.
	Duals bool
	// Wide is loops whose bodies have operations that need nothing of each other.
	Wide bool
	// Fans is nodes of 1 to 130 inputs and outputs.
	Fans bool
}

// LongTurns is the turns of a long loop.
const LongTurns = 100

// Random makes a program.
func Random(src Source, o Options) *Program {
	m := &maker{src: src, p: &Program{}, turns: 1, used: set{}}
	m.parallel = []int{1, 2, 32}[src.Int("parallel_iterations", 0, 2)]
	m.sizes = []int{src.Int("size", 2, 4), src.Int("size", 1, 5)}
	if m.isLong = o.Long; o.Long {
		m.parallel, m.sizes[1] = 1, src.Int("long", 6, 9)
	} else if m.one(12) {
		m.sizes[1] = src.Int("large", 0, 1) * 40 // empty, or beyond the smallest buffers
	}
	m.palette = []tensor.DType{tensor.Int32}
	for range src.Int("types", 1, 3) {
		m.palette = append(m.palette, anyType[src.Int("type", 0, len(anyType)-1)])
	}
	if m.duals = o.Duals; o.Duals {
		m.palette = []tensor.DType{tensor.Int32, tensor.Double, tensor.Double, tensor.Float}
	} else if m.one(3) {
		m.faults = src.Int("faults", 1, 4)
	}
	m.inputs()
	if m.p.Shares = o.Shares; (m.one(3) || o.Shares) && !o.Long {
		m.variables()
	}
	// Without effects and errors nobody may tell where invariants are computed.
	m.p.Strict = m.faults > 0 || len(m.states) > 0 || m.one(2)
	m.p.Loose = m.one(2) && !o.Duals // or nothing would flow back to an array
	m.p.Body = m.within(func() {
		if m.p.Shares {
			m.shareAll()
		}
		switch {
		case o.Fans:
			m.fans(o.Depth)
		case o.Long:
			m.long()
		case o.Wide:
			m.wide()
		default:
			m.block(o.Depth)
		}
		for m.unusedList() {
		}
		for range src.Int("results", 2, 6) {
			v, _ := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor || t.Kind == Shared })
			if t := m.p.Types[v]; m.duals && t.Kind == Tensor && isFloat(t.DType) && m.one(2) { // or most have no second derivative
				v = m.must(m.apply(binaryOp("Mul"), []Type{t}, nil, v, v))
			}
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
	want := set{}
	want.add(m.p.Results...)
	m.p.Body = m.p.Body.live(want, false)
	return m.p
}

// A maker draws a program.
type maker struct {
	src        Source
	p          *Program
	seen       []Var // tensors and lists in sight
	out        *Block
	states     []*state // of the session, in sight
	references int      // variables of the session that are
	palette    []tensor.DType
	sizes      []int
	parallel   int
	turns      int // how often the block being made may run
	faults     int // operations left that may fail
	inner      int // loops around
	begun      int // what was in sight when the block being made began
	used       set // what was picked before
	isLong     bool
	duals      bool // see Options.Duals
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

// unusedList makes a tensor of a list that nothing has used, if there is one.
func (m *maker) unusedList() bool {
	for _, v := range m.seen {
		if t := m.p.Types[v]; t.Kind == List && !m.used[v] {
			m.used[v] = true
			m.apply(listStack, []Type{tensorType(t.DType, slices.Concat([]int{t.Len}, t.Dims)...)}, nil, v)
			return true
		}
	}
	return false
}

func (m *maker) inputs() {
	m.p.Inputs = append(m.p.Inputs, m.fresh(tensorType(tensor.Int32)))
	for range m.src.Int("inputs", 1, 3) {
		m.p.Inputs = append(m.p.Inputs, m.fresh(m.someType()))
	}
	if m.duals { // what loops multiply with, and have from outside
		m.p.Inputs = append(m.p.Inputs, m.fresh(tensorType(tensor.Double, m.sizes[0], m.sizes[0])))
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
		if m.duals { // there is no gradient of what reads a reference at once
			h.Object = Variable
		}
		if m.p.Shares && m.references == 0 {
			h.Object = Reference
		}
		v := Session{Handle: m.fresh(h), Flow: m.fresh(Type{Kind: Flow}), Init: m.array(t)}
		m.p.Variables = append(m.p.Variables, v)
		m.states = append(m.states, &state{v.Handle, v.Flow, h})
		if h.Object == Reference {
			m.references++
		}
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

func (m *maker) someType() Type {
	of := anyType
	if m.duals {
		of = smooth
	}
	return tensorType(m.dtype(of), m.dims(3)...)
}

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
		if k := m.p.Types[v].Kind; k == Tensor || k == List || k == Shared {
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

// int returns a number that nothing else sees.
func (m *maker) int(i int) Var {
	l := &Literal{m.fresh(tensorType(tensor.Int32)), scalarInt(i)}
	m.emit(l)
	return l.To
}

// pick draws a variable in sight; the latest, and those that nothing has used,
// are the likeliest, so that statements build on each other.
func (m *maker) pick(ok func(v Var, t Type) bool) (Var, bool) {
	var fit []Var
	for _, v := range m.seen {
		if ok(v, m.p.Types[v]) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return 0, false
	}
	if m.one(2) {
		fit = rather(fit, func(v Var) bool { return !m.p.Types[v].Scalar() })
	}
	if !m.one(4) {
		fit = rather(fit, func(v Var) bool { return !m.used[v] })
	}
	i := m.src.Int("back", 0, len(fit)-1)
	if m.src.Int("near", 0, 2) > 0 {
		i = min(i, 2)
	}
	m.used[fit[len(fit)-1-i]] = true
	return fit[len(fit)-1-i], true
}

// rather returns those of a list that are liked, if there are any.
func rather(list []Var, like func(Var) bool) []Var {
	var liked []Var
	for _, v := range list {
		if like(v) {
			liked = append(liked, v)
		}
	}
	if len(liked) == 0 {
		return list
	}
	return liked
}

// next returns a value for what goes around in a loop: mostly one that its body made.
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

// value returns a variable that fits a type: one in sight, else one that is made.
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
	switch t.Kind {
	case List:
		return m.newList(t, max(t.Len, 0))
	case Shared:
		return m.unshared(t)
	}
	return m.literal(m.array(t))
}

// newList makes a list of n zeros of t's element type and dimensions.
func (m *maker) newList(t Type, n int) Var {
	return m.must(m.apply(listNew, []Type{{Kind: List, DType: t.DType, Dims: t.Dims, Len: n}}, append([]int{n, int(t.DType)}, t.Dims...)))
}

// count returns an int32 scalar.
func (m *maker) count() Var {
	v, ok := m.pick(func(_ Var, t Type) bool { return t.is(tensor.Int32) })
	if !ok {
		return m.int(m.src.Int("value", 0, 5))
	}
	return v
}

// predicate returns a bool scalar.
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
		if m.faults > 0 && m.one(5) {
			m.drawCheck()
			continue
		}
		kind := m.src.Int("statement", 0, 29)
		if len(m.states) > 0 && m.one(4) {
			if m.p.Shares && m.one(2) {
				m.share()
			} else {
				m.stateful()
			}
			continue
		}
		loops := m.turns*maxTrips <= maxTurns
		switch {
		case kind < 13 || depth == 0 && kind < 29:
			m.expression()
		case kind < 14:
			m.literal(m.array(m.someType()))
		case kind < 19:
			m.choice(depth)
		case kind < 25 && loops:
			m.loop(depth)
		case kind < 26 && loops:
			m.collect(depth)
		case kind < 27 && loops && !m.duals: // through stacks nothing flows back
			m.stack(depth)
		case kind < 28:
			m.call(depth)
		case kind < 29 && m.inner == 0 && !m.duals:
			m.recursion(depth)
		case kind == 29:
			for range 4 {
				m.drawList()
			}
		default:
			m.expression()
		}
	}
}
