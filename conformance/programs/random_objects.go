package programs

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

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
		x := m.apply(arrayRead, []Type{elem}, nil, handle, at, flow)[0]
		if m.duals && slices.Contains(numbers, elem.DType) && m.one(2) {
			again := m.apply(arrayRead, []Type{elem}, nil, handle, at, flow)[0]
			m.apply(binaryOp("Mul"), []Type{elem}, nil, x, again)
		}
	}
	if m.one(3) {
		whole := m.value(tensorType(of.DType, slices.Concat([]int{n}, of.Dims)...))
		flow = m.apply(arrayScatter, []Type{{Kind: Flow}}, nil, handle, whole, flow)[0]
	} else {
		flow = m.loopOf(n, m.int(n), []Var{flow}, []Type{{Kind: Flow}}, m.noTest, func(c []Var) []Var {
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
		m.loopOf(n, m.int(n), []Var{m.value(elem)}, []Type{elem}, m.noTest, func(c []Var) []Var {
			x := m.apply(arrayRead, []Type{elem}, nil, handle, c[0], flow)[0]
			m.block(depth - 1)
			return []Var{m.combine(x, c[1], elem)}
		})
	default:
		read(flow)
	}
}

// combine returns an operation on two values of a type.
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
	to := m.loopOf(maxTrips, bound, []Var{new[1], v}, []Type{{Kind: Flow}, elem}, m.noTest, func(c []Var) []Var {
		m.block(depth - 1)
		p := m.apply(stackPush, []Type{elem, {Kind: Flow}}, []int{m.src.Int("swap", 0, 1)}, new[0], m.next(elem), c[1])
		return []Var{p[1], pick(m.one(2), p[0], m.next(elem))}
	})
	m.loopOf(maxTrips, to[0], []Var{to[1], to[2]}, []Type{{Kind: Flow}, elem}, m.noTest, func(c []Var) []Var {
		p := m.apply(stackPop, []Type{elem, {Kind: Flow}}, nil, new[0], c[1])
		next := p[0]
		if elem.known() {
			next = m.combine(p[0], c[2], elem)
		}
		return []Var{p[1], next}
	})
}

// stateful emits an operation on a variable of the session.
func (m *maker) stateful() {
	s := m.states[m.src.Int("variable", 0, len(m.states)-1)]
	t := tensorType(s.of.DType, s.of.Dims...)
	both := []Type{t, {Kind: Flow}}
	switch k := m.src.Int("stateful", 0, 5); k {
	case 0:
		s.flow = m.apply(varRead, both, nil, s.handle, s.flow)[1]
	case 1, 2:
		s.flow = m.apply(varPlus, both, []int{k - 1}, s.handle, m.value(t), s.flow)[1]
	case 3:
		s.flow = m.apply(varAssign, both[1:], nil, s.handle, m.value(t), s.flow)[0]
	case 4:
		s.flow = m.apply(varAdd, both[1:], nil, s.handle, m.value(t), s.flow)[0]
	default:
		s.flow = m.apply(varSub, both[1:], nil, s.handle, m.value(t), s.flow)[0]
	}
}

// throughStack pushes a tensor and pops it.
func (m *maker) throughStack() {
	v, _ := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor })
	t := m.p.Types[v]
	new := m.apply(stackNew, []Type{{Kind: Handle, Object: Stack, DType: t.DType, Dims: t.Dims, Len: -1}, {Kind: Flow}}, nil)
	seen := m.seen
	pushed := m.apply(stackPush, []Type{t, {Kind: Flow}}, []int{0}, new[0], v, new[1])
	m.seen = seen // nothing but the Pop wants the Push
	m.apply(stackPop, []Type{t, {Kind: Flow}}, nil, new[0], pushed[1])
}
