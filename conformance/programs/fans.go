package programs

import "slices"

// maxFan is the most inputs or outputs of a node that is drawn for their number: more
// than a word, and than two, have bits.
const maxFan = 130

// fanSizes are the numbers next to which a limit is likely.
var fanSizes = []int{1, 7, 8, 9, 31, 32, 33, 62, 63, 64, 65, 66, 127, 128, 129, 130}

// width draws how many inputs or outputs a node has.
func (m *maker) width() int {
	if m.one(2) {
		return fanSizes[m.src.Int("width", 0, len(fanSizes)-1)]
	}
	return m.src.Int("width", 1, maxFan)
}

// fan emits an operation of up to maxFan inputs, outputs or both. Of its outputs only a
// few are in sight.
func (m *maker) fan() {
	n := m.width()
	switch m.src.Int("fan", 0, 8) {
	case 0:
		x, ok := m.pick(func(_ Var, t Type) bool { return m.small(t) && slices.Contains(numbers, t.DType) })
		if !ok {
			m.fan1(n)
			return
		}
		m.apply(addN, []Type{m.p.Types[x]}, nil, m.several(x, n)...)
	case 1:
		m.fan1(n)
	case 2: // tensors of any types
		args := make([]Var, n)
		for i := range args {
			args[i], _ = m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor })
		}
		m.some(identityN, m.typesOf(args), nil, args...)
	case 3:
		m.fanLoop(n)
	case 4:
		m.fanChoice(n)
	case 5:
		m.fanCall(n)
	default:
		m.fanOut(m.fan1(n), n)
	}
}

// small reports whether a tensor is small enough to be had a hundred times.
func (m *maker) small(t Type) bool {
	return t.Kind == Tensor && t.known() && len(t.Dims) < 3 && t.size() > 0 && t.size() <= 16
}

// several is n variables of the type of x, which is among them.
func (m *maker) several(x Var, n int) []Var {
	t := m.p.Types[x]
	var fit []Var
	for _, v := range m.seen {
		if u := m.p.Types[v]; u.Kind == t.Kind && u.DType == t.DType && slices.Equal(u.Dims, t.Dims) && u.Len == t.Len {
			fit = append(fit, v)
		}
	}
	fit = append(fit, x)
	list := make([]Var, n)
	for i := range list {
		list[i] = fit[m.src.Int("of", 0, len(fit)-1)]
	}
	return list
}

// fan1 emits an operation that makes one tensor of n, along the first axis.
func (m *maker) fan1(n int) Var {
	x, ok := m.pick(func(_ Var, t Type) bool { return m.small(t) })
	if !ok {
		x = m.literal(m.array(tensorType(m.dtype(anyType), m.sizes[0])))
	}
	t := m.p.Types[x]
	args := m.several(x, n)
	if len(t.Dims) > 0 && n > 1 && m.one(2) { // the rows of all
		rows := slices.Clone(t.Dims)
		rows[0] *= n
		return m.must(m.apply(concat, []Type{tensorType(t.DType, rows...)}, []int{0}, args...))
	}
	return m.must(m.apply(pack, []Type{tensorType(t.DType, slices.Insert(slices.Clone(t.Dims), 0, n)...)}, []int{0}, args...))
}

// fanOut emits an operation that makes n tensors of the rows of x, whose number n divides.
func (m *maker) fanOut(x Var, n int) {
	t := m.p.Types[x]
	rows := t.Dims[0]
	part := func(n int) Type {
		dims := slices.Clone(t.Dims)
		dims[0] = n
		return tensorType(t.DType, dims...)
	}
	switch m.src.Int("fan out", 0, 2) {
	case 0:
		if rows == n {
			m.some(unpack, slices.Repeat([]Type{tensorType(t.DType, t.Dims[1:]...)}, n), []int{0}, x)
			return
		}
		fallthrough
	case 1:
		m.some(split, slices.Repeat([]Type{part(rows / n)}, n), []int{0, n}, x)
	default:
		params, types, left := []int{0}, []Type{}, rows
		for i := range n {
			k := left
			if i < n-1 {
				k = min(left, m.src.Int("rows", 0, 2))
			}
			left -= k
			params, types = append(params, k), append(types, part(k))
		}
		m.some(splitV, types, params, x)
	}
}

// some emits an Apply of whose outputs at most three come in sight.
func (m *maker) some(op *Op, to []Type, params []int, args ...Var) {
	a := &Apply{Op: op, Args: args, Params: params, To: m.freshes(to)}
	m.emit(a)
	m.see(m.few(a.To)...)
}

// few returns one to three of a list.
func (m *maker) few(list []Var) []Var {
	few := make([]Var, m.src.Int("few", 1, 3))
	for i := range few {
		few[i] = list[m.src.Int("which", 0, len(list)-1)]
	}
	slices.Sort(few)
	return slices.Compact(few)
}

// fanLoop emits a loop that carries n tensors around. Most change places.
func (m *maker) fanLoop(n int) {
	if m.turns*2 > maxTurns {
		m.fan1(n)
		return
	}
	x, ok := m.pick(func(_ Var, t Type) bool { return m.small(t) })
	if !ok {
		m.fan1(n)
		return
	}
	init := m.several(x, n)
	by := m.src.Int("places", 0, n-1)
	st := m.loopCarrying(2, m.int(2), init, func(c []Var) []Var {
		m.expression()
		next := make([]Var, n)
		for i := range next {
			next[i] = c[(i+by)%n]
		}
		next[0] = m.several(c[0], 1)[0]
		return next
	})
	m.see(m.few(st)...)
}

// loopCarrying is loopOf for variables that do not come in sight at its end.
func (m *maker) loopCarrying(trips int, bound Var, init []Var, body func(c []Var) []Var) []Var {
	seen := m.seen
	out := m.loopOf(trips, bound, init, m.typesOf(init), m.noTest, func(c []Var) []Var { return body(c[1:]) })
	m.seen = seen
	return out[1:]
}

// fanChoice emits a choice among n branches, by number, or of n values.
func (m *maker) fanChoice(n int) {
	x, ok := m.pick(func(_ Var, t Type) bool { return m.small(t) })
	if !ok {
		m.fan1(n)
		return
	}
	st := &Choice{Multi: m.one(2)}
	branches, values := 2, n
	if st.Multi {
		st.Index, branches, values = m.count(), n, m.src.Int("values", 1, 2)
	} else {
		st.Index = m.predicate()
	}
	for i := range branches {
		var outs []Var
		st.Blocks = append(st.Blocks, m.within(func() {
			if i < 2 || m.one(8) {
				states := m.states
				m.states = nil
				m.expression()
				m.states = states
			}
			outs = m.several(x, values)
		}))
		st.Outs = append(st.Outs, outs)
	}
	st.To = m.freshes(slices.Repeat([]Type{m.p.Types[x]}, values))
	m.emit(st)
	m.see(m.few(st.To)...)
}

// fanCall emits the call of a function of n results.
func (m *maker) fanCall(n int) {
	st := &Call{}
	states := m.states
	m.states = nil
	st.Body = m.within(func() {
		m.expression()
		x, _ := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor })
		st.Outs = m.several(x, n)
	})
	m.states = states
	st.To = m.freshes(m.typesOf(st.Outs))
	m.emit(st)
	m.see(m.few(st.To)...)
}

// fans makes nodes of many inputs and outputs, outside of loops and in one.
func (m *maker) fans(depth int) {
	m.literal(m.array(tensorType(m.dtype(anyType), m.sizes[0], 2)))
	some := func() {
		for range m.src.Int("fans", 1, 4) {
			if m.one(3) {
				m.expression()
			} else {
				m.fan()
			}
		}
	}
	if m.one(3) {
		some()
	}
	turns, around := maxTrips, func(t Type) bool { return t.Kind == Tensor }
	if m.isLong {
		turns, around = LongTurns, func(t Type) bool { return m.small(t) }
	}
	m.loopAround(turns, m.int(turns), around, some)
	if depth > 1 && !m.isLong {
		m.block(1)
	}
}
