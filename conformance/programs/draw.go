package programs

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// A drawer emits an operation, or says that there is nothing to apply it to.
type drawer struct {
	weight int
	draw   func(m *maker) bool
}

var drawers []drawer

// drawn is the weights of all drawers together.
var drawn int

func init() {
	drawers = []drawer{
		{30, (*maker).drawBinary},
		{10, (*maker).drawUnary},
		{5, (*maker).drawCast},
		{4, (*maker).drawSelect},
		{2, (*maker).drawAddN},
		{2, (*maker).drawComplex},
		{6, (*maker).drawReduction},
		{2, (*maker).drawArgMax},
		{4, (*maker).drawMatMul},
		{5, (*maker).drawReshape},
		{3, (*maker).drawSqueeze},
		{4, (*maker).drawExpandDims},
		{4, (*maker).drawIdentity},
		{4, (*maker).drawTranspose},
		{2, (*maker).drawTile},
		{2, (*maker).drawFill},
		{3, (*maker).drawShape},
		{4, (*maker).drawSlice},
		{5, (*maker).drawStridedSlice},
		{4, (*maker).drawConcat},
		{4, (*maker).drawPack},
		{4, (*maker).drawSplit},
		{4, (*maker).drawUnpack},
		{3, (*maker).drawGather},
		{2, (*maker).drawRange},
		{3, (*maker).drawCheck},
		{12, (*maker).drawList},
	}
	for _, d := range drawers {
		drawn += d.weight
	}
}

// expression emits an operation.
func (m *maker) expression() {
	if m.duals && m.inner > 0 && m.one(6) && m.weighted() {
		return
	}
	if m.duals && m.one(5) && m.curve() {
		return
	}
	for range 4 {
		w := m.src.Int("expression", 0, drawn-1)
		for _, d := range drawers {
			if w -= d.weight; w < 0 {
				if d.draw(m) {
					return
				}
				break
			}
		}
	}
	m.drawBinary()
}

// among picks a tensor of certain types and of at least that rank.
func (m *maker) among(types []tensor.DType, rank int) (Var, Type, bool) {
	v, ok := m.pick(func(_ Var, t Type) bool {
		return t.Kind == Tensor && len(t.Dims) >= rank && slices.Contains(types, t.DType)
	})
	if !ok {
		return 0, Type{}, false
	}
	return v, m.p.Types[v], true
}

// known is among, of tensors whose dimensions are known, and not 0.
func (m *maker) known(types []tensor.DType, rank int) (Var, Type, bool) {
	v, ok := m.pick(func(_ Var, t Type) bool {
		return t.Kind == Tensor && len(t.Dims) >= rank && slices.Contains(types, t.DType) && t.known() && t.size() > 0
	})
	if !ok {
		return 0, Type{}, false
	}
	return v, m.p.Types[v], true
}

// partner returns a tensor that goes with x element by element.
func (m *maker) partner(x Var, t Type, unlike bool) Var {
	y, ok := m.pick(func(v Var, u Type) bool {
		_, ok := broadcast(t, u, v == x)
		return u.Kind == Tensor && u.DType == t.DType && ok && !(unlike && v == x)
	})
	if ok && !m.one(5) {
		return y
	}
	dims := []int{}
	if len(t.Dims) > 0 && t.known() && m.one(2) {
		dims = slices.Clone(t.Dims[m.src.Int("suffix", 0, len(t.Dims)-1):])
		if m.one(3) {
			dims[0] = 1
		}
	}
	return m.literal(m.array(tensorType(t.DType, dims...)))
}

func (m *maker) drawBinary() bool {
	b := binaries[m.src.Int("binary", 0, len(binaries)-1)]
	if m.one(3) {
		b = binaries[m.src.Int("arithmetic", 0, 4)]
	}
	x, t, ok := m.among(b.types, 0)
	if !ok {
		return false
	}
	y := m.partner(x, t, false)
	switch {
	case b.whole && m.faults > 0 && m.one(3):
		m.faults--
	case b.whole || b.name == "RealDiv": // by something else than 0
		a := m.array(tensorType(t.DType))
		if a.elems[0] == (number{}) {
			a.elems[0] = of(t.DType, 2)
		}
		y = m.literal(a)
	case m.one(2):
		x, y = y, x
	}
	dims, _ := broadcast(m.p.Types[x], m.p.Types[y], x == y)
	m.apply(b.op, []Type{tensorType(b.result(t.DType), dims...)}, nil, x, y)
	return true
}

func (m *maker) drawUnary() bool {
	u := unaries[m.src.Int("unary", 0, len(unaries)-1)]
	x, t, ok := m.among(u.types, 0)
	if !ok {
		return false
	}
	m.apply(u.op, []Type{tensorType(u.result(t.DType), t.Dims...)}, nil, x)
	return true
}

func (m *maker) drawCast() bool {
	x, t, ok := m.among(anyType, 0)
	if !ok {
		return false
	}
	to := m.dtype(anyType)
	m.apply(cast, []Type{tensorType(to, t.Dims...)}, []int{int(to)}, x)
	return true
}

func (m *maker) drawSelect() bool {
	x, t, ok := m.among(anyType, 0)
	if !ok {
		return false
	}
	y := m.partner(x, t, true)
	dims, _ := broadcast(t, m.p.Types[y], x == y)
	all := tensorType(t.DType, dims...)
	c, ok := m.pick(func(v Var, u Type) bool {
		_, ok := broadcast(all, u, false)
		return u.Kind == Tensor && u.DType == tensor.Bool && ok
	})
	if !ok {
		c = m.predicate()
	}
	u := m.p.Types[c]
	old := 0
	if slices.Equal(t.Dims, m.p.Types[y].Dims) && slices.Equal(u.Dims, t.Dims) && t.known() {
		old = m.src.Int("old", 0, 1)
	}
	dims, _ = broadcast(all, u, false)
	m.apply(selects, []Type{tensorType(t.DType, dims...)}, []int{old}, c, x, y)
	return true
}

func (m *maker) drawAddN() bool {
	x, t, ok := m.known(numbers, 0)
	if !ok {
		return false
	}
	args := []Var{x, m.value(t)}
	if m.one(2) {
		args = append(args, m.value(t))
	}
	m.apply(addN, []Type{t}, nil, args...)
	return true
}

func (m *maker) drawComplex() bool {
	x, t, ok := m.among([]tensor.DType{tensor.Float, tensor.Double}, 0)
	if !ok {
		return false
	}
	y := m.partner(x, t, false)
	dims, _ := broadcast(t, m.p.Types[y], x == y)
	m.apply(complexOf, []Type{tensorType(pick(t.DType == tensor.Float, tensor.Complex64, tensor.Complex128), dims...)}, nil, x, y)
	return true
}

// axes draws some of n.
func (m *maker) axes(n int) []int {
	var list []int
	for i := range n {
		if m.one(2) {
			list = append(list, i)
		}
	}
	return list
}

func (m *maker) drawReduction() bool {
	r := reductions[m.src.Int("reduction", 0, len(reductions)-1)]
	x, t, ok := m.among(r.types, 1)
	if !ok {
		return false
	}
	axes, keep := m.axes(len(t.Dims)), m.src.Int("keep", 0, 1)
	m.apply(r.op, []Type{tensorType(t.DType, reduced(t.Dims, axes, keep == 1)...)}, append([]int{keep}, axes...), x)
	return true
}

func (m *maker) drawArgMax() bool {
	x, t, ok := m.known(reals, 1)
	if !ok {
		return false
	}
	axis, short := m.src.Int("axis", 0, len(t.Dims)-1), m.src.Int("short", 0, 1)
	m.apply(argMax, []Type{tensorType(pick(short == 1, tensor.Int32, tensor.Int64), reduced(t.Dims, []int{axis}, false)...)}, []int{axis, short}, x)
	return true
}

var matrixTypes = []tensor.DType{tensor.Float, tensor.Double, tensor.Int32, tensor.Int64}

func (m *maker) drawMatMul() bool {
	x, ok := m.pick(func(_ Var, t Type) bool {
		return t.Kind == Tensor && len(t.Dims) == 2 && slices.Contains(matrixTypes, t.DType)
	})
	if !ok {
		return false
	}
	t := m.p.Types[x]
	ta, tb := m.src.Int("transpose", 0, 1), m.src.Int("transpose", 0, 1)
	inner := t.Dims[1-ta]
	var y Var
	if inner < 0 { // by itself
		y, tb = x, 1-ta
	} else {
		want := []int{inner, -1}
		if tb == 1 {
			want = []int{-1, inner}
		}
		y = m.value(tensorType(t.DType, want...))
	}
	m.apply(matMul, []Type{tensorType(t.DType, t.Dims[ta], m.p.Types[y].Dims[1-tb])}, []int{ta, tb}, x, y)
	return true
}

func (m *maker) drawReshape() bool {
	x, t, ok := m.among(anyType, 0)
	if !ok {
		return false
	}
	n := -1
	if t.known() {
		n = t.size()
	}
	switch m.src.Int("reshape", 0, 3) {
	case 0: // flat
		m.apply(reshape, []Type{tensorType(t.DType, n)}, []int{-1}, x)
	case 1: // like another
		if y, ok := m.pick(func(_ Var, u Type) bool { return u.Kind == Tensor && u.known() && u.size() == n }); ok {
			m.apply(reshapeLike, []Type{tensorType(t.DType, m.p.Types[y].Dims...)}, nil, x, y)
			break
		}
		fallthrough
	case 2: // turned around
		if n < 0 {
			return false
		}
		dims := slices.Clone(t.Dims)
		slices.Reverse(dims)
		m.apply(reshape, []Type{tensorType(t.DType, dims...)}, dims, x)
	default:
		if n < 0 {
			return false
		}
		dims := []int{1, n}
		m.apply(reshape, []Type{tensorType(t.DType, dims...)}, dims, x)
	}
	return true
}

func (m *maker) drawSqueeze() bool {
	x, ok := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor && slices.Contains(t.Dims, 1) })
	if !ok {
		return false
	}
	t := m.p.Types[x]
	axis := slices.Index(t.Dims, 1)
	m.apply(squeeze, []Type{tensorType(t.DType, reduced(t.Dims, []int{axis}, false)...)}, []int{axis}, x)
	return true
}

func (m *maker) drawExpandDims() bool {
	x, ok := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor && len(t.Dims) < 4 })
	if !ok {
		return false
	}
	t := m.p.Types[x]
	axis := m.src.Int("axis", 0, len(t.Dims))
	m.apply(expandDims, []Type{tensorType(t.DType, slices.Insert(slices.Clone(t.Dims), axis, 1)...)}, []int{axis}, x)
	return true
}

func (m *maker) drawIdentity() bool {
	x, _ := m.pick(func(Var, Type) bool { return true })
	if m.one(3) {
		y, _ := m.pick(func(Var, Type) bool { return true })
		if m.p.Types[x].Kind == Tensor && m.p.Types[y].Kind == Tensor {
			m.apply(identityN, m.typesOf([]Var{x, y}), nil, x, y)
			return true
		}
	}
	m.apply(identity, m.typesOf([]Var{x}), nil, x)
	return true
}

func (m *maker) drawTranspose() bool {
	x, t, ok := m.among(anyType, 1)
	if !ok {
		return false
	}
	if m.one(3) {
		m.apply(reverse, []Type{t}, m.axes(len(t.Dims)), x)
		return true
	}
	perm := make([]int, len(t.Dims))
	dims := make([]int, len(perm))
	by := m.src.Int("rotate", 0, len(perm)-1)
	for i := range perm {
		perm[i] = (i + by) % len(perm)
		dims[i] = t.Dims[perm[i]]
	}
	m.apply(transpose, []Type{tensorType(t.DType, dims...)}, perm, x)
	return true
}

func (m *maker) drawTile() bool {
	x, t, ok := m.known(anyType, 1)
	if !ok || t.size() > 64 {
		return false
	}
	dims, by := slices.Clone(t.Dims), make([]int, len(t.Dims))
	for i := range by {
		by[i] = m.src.Int("times", 1, 2)
		dims[i] *= by[i]
	}
	m.apply(tile, []Type{tensorType(t.DType, dims...)}, by, x)
	return true
}

func (m *maker) drawFill() bool {
	x, ok := m.pick(func(_ Var, t Type) bool { return t.Scalar() })
	if !ok {
		return false
	}
	dims := append(m.dims(2), m.sizes[0])
	m.apply(pick(m.one(2), fill, broadcastTo), []Type{tensorType(m.p.Types[x].DType, dims...)}, dims, x)
	return true
}

func (m *maker) drawShape() bool {
	x, t, ok := m.among(anyType, 1)
	if !ok {
		return false
	}
	if m.one(2) {
		m.apply(sizeOf, []Type{tensorType(tensor.Int32)}, nil, x)
	} else {
		m.apply(shapeOf, []Type{tensorType(tensor.Int32, len(t.Dims))}, nil, x)
	}
	return true
}

func (m *maker) drawSlice() bool {
	x, t, ok := m.among(anyType, 1)
	if !ok {
		return false
	}
	begin, size, dims := make([]int, len(t.Dims)), make([]int, len(t.Dims)), slices.Clone(t.Dims)
	for i, d := range dims {
		size[i] = -1
		if d < 0 {
			continue
		}
		begin[i] = m.src.Int("begin", 0, d)
		dims[i] = d - begin[i]
		if m.one(2) {
			size[i] = m.src.Int("size", min(1, dims[i]), dims[i])
			dims[i] = size[i]
		}
	}
	m.apply(slice, []Type{tensorType(t.DType, dims...)}, append(begin, size...), x)
	return true
}

func (m *maker) drawStridedSlice() bool {
	x, t, ok := m.among(anyType, 1)
	if !ok {
		return false
	}
	p := []int{m.src.Int("begin", -2, 3), m.src.Int("end", -2, 5), []int{1, 1, 2, -1}[m.src.Int("stride", 0, 3)], 0}
	dims := slices.Clone(t.Dims)
	if dims[0] > 0 && m.one(2) { // one row
		p[0] = m.src.Int("row", -dims[0], dims[0]-1)
		p[1], p[2], p[3] = p[0]+1, 1, 1
		dims = dims[1:]
	} else if dims[0] >= 0 {
		_, dims[0] = stridden(p, dims[0])
	}
	m.apply(stridedSlice, []Type{tensorType(t.DType, dims...)}, p, x)
	return true
}

func (m *maker) drawConcat() bool {
	x, t, ok := m.among(anyType, 1)
	if !ok || t.known() && t.size() > 64 {
		return false
	}
	axis := m.src.Int("axis", 0, len(t.Dims)-1)
	like := t
	like.Dims = slices.Clone(t.Dims)
	like.Dims[axis] = -1
	y := x
	if !slices.Contains(reduced(t.Dims, []int{axis}, false), -1) {
		y = m.value(like)
	}
	if d := m.p.Types[y].Dims[axis]; t.Dims[axis] >= 0 && d >= 0 {
		like.Dims[axis] = t.Dims[axis] + d
	}
	m.apply(concat, []Type{like}, []int{axis}, x, y)
	return true
}

func (m *maker) drawPack() bool {
	x, ok := m.pick(func(_ Var, t Type) bool { return t.Kind == Tensor && len(t.Dims) < 3 })
	if !ok {
		return false
	}
	t := m.p.Types[x]
	if t.known() && t.size() > 64 {
		return false
	}
	args := []Var{x, x}
	if t.known() {
		args[1] = m.value(t)
	}
	axis := m.src.Int("axis", 0, len(t.Dims))
	m.apply(pack, []Type{tensorType(t.DType, slices.Insert(slices.Clone(t.Dims), axis, len(args))...)}, []int{axis}, args...)
	return true
}

func (m *maker) drawSplit() bool {
	x, t, ok := m.known(anyType, 1)
	if !ok {
		return false
	}
	axis := m.src.Int("axis", 0, len(t.Dims)-1)
	n := t.Dims[axis]
	parts := func(sizes ...int) []Type {
		list := make([]Type, len(sizes))
		for i, s := range sizes {
			list[i] = tensorType(t.DType, t.Dims...)
			list[i].Dims = slices.Clone(t.Dims)
			list[i].Dims[axis] = s
		}
		return list
	}
	if n%2 == 0 && m.one(2) {
		m.apply(split, parts(n/2, n/2), []int{axis, 2}, x)
		return true
	}
	k := m.src.Int("first", 0, n)
	m.apply(splitV, parts(k, n-k), []int{axis, k, n - k}, x)
	return true
}

func (m *maker) drawUnpack() bool {
	x, t, ok := m.known(anyType, 1)
	if !ok {
		return false
	}
	axis := m.src.Int("axis", 0, len(t.Dims)-1)
	if t.Dims[axis] > 5 {
		return false
	}
	m.apply(unpack, slices.Repeat([]Type{tensorType(t.DType, reduced(t.Dims, []int{axis}, false)...)}, t.Dims[axis]), []int{axis}, x)
	return true
}

func (m *maker) drawGather() bool {
	x, t, ok := m.known(anyType, 1)
	if !ok {
		return false
	}
	axis := m.src.Int("axis", 0, len(t.Dims)-1)
	n := t.Dims[axis]
	at, params := m.count(), []int{axis}
	if m.faults > 0 && m.one(3) {
		m.faults--
	} else {
		at = m.must(m.apply(binaryOp("FloorMod"), []Type{tensorType(tensor.Int32)}, nil, at, m.int(n)))
		if len(t.Dims) == 1 && n%2 == 1 { // and not by chance: programs of a seed stay as they are
			params = append(params, 1)
		}
	}
	dims := reduced(t.Dims, []int{axis}, false)
	if m.one(2) {
		rows := newArray(tensor.Int32, []int{2})
		rows.elems[1].i = int64(n - 1)
		at, dims, params = m.literal(rows), slices.Insert(dims, axis, 2), params[:1]
	}
	m.apply(gather, []Type{tensorType(t.DType, dims...)}, params, x, at)
	return true
}

func (m *maker) drawRange() bool {
	n := m.must(m.apply(binaryOp("TruncateMod"), []Type{tensorType(tensor.Int32)}, nil, m.count(), m.int(5)))
	m.apply(rangeOf, []Type{tensorType(tensor.Int32, -1)}, nil, n)
	return true
}

func (m *maker) drawCheck() bool {
	if m.faults == 0 {
		return false
	}
	m.faults--
	x, t, ok := m.among(anyType, 0)
	if !ok {
		return false
	}
	m.apply(check, []Type{t}, nil, x, m.predicate(), m.count())
	return true
}

// drawList emits an operation on a list.
func (m *maker) drawList() bool {
	l, ok := m.pick(func(_ Var, t Type) bool { return t.Kind == List })
	if !ok || m.one(6) {
		v, t, ok := m.known(anyType, 0)
		if !ok || len(t.Dims) > 2 {
			return false
		}
		if len(t.Dims) > 0 && m.one(3) {
			m.apply(listFrom, []Type{{Kind: List, DType: t.DType, Dims: t.Dims[1:], Len: t.Dims[0]}}, nil, v)
			return true
		}
		m.newList(t, max(0, m.src.Int("length", -1, 4)))
		return true
	}
	t := m.p.Types[l]
	elem := tensorType(t.DType, t.Dims...)
	switch m.src.Int("list", 0, 7) {
	case 0:
		m.apply(listLength, []Type{tensorType(tensor.Int32)}, nil, l)
	case 1:
		m.apply(listStack, []Type{tensorType(t.DType, slices.Concat([]int{t.Len}, t.Dims)...)}, nil, l)
	case 2, 6:
		if t.Len > 0 {
			m.apply(listGet, []Type{elem}, nil, l, m.count())
			break
		}
		fallthrough
	case 3, 7:
		if t.Len > 0 {
			at := m.count()
			with := m.apply(listSet, []Type{t}, nil, l, at, m.value(elem))[0]
			if m.one(2) { // the old list is what it was
				old := m.apply(listGet, []Type{elem}, nil, l, at)[0]
				m.apply(pack, []Type{tensorType(t.DType, slices.Concat([]int{2}, t.Dims)...)}, []int{0}, old,
					m.must(m.apply(listGet, []Type{elem}, nil, with, at)))
			}
			break
		}
		fallthrough
	case 4:
		if t.Len > 0 {
			t.Len--
			m.apply(listPop, []Type{t, elem}, nil, l)
			break
		}
		fallthrough
	default:
		if t.Len >= 0 {
			t.Len++
		}
		m.apply(listPush, []Type{t}, nil, l, m.value(elem))
	}
	return true
}
