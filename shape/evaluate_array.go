package shape

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// evalShape returns the shape of an input or, of a resource, of what is behind it.
func evalShape(e *evaluation) *value {
	s := e.inShape(e.index)
	if types := e.node.InputTypes(); e.index < len(types) && types[e.index].Base() == tensor.Resource {
		s = Shape{}
		if _, handles := produced(e.node, e.index); len(handles) == 1 {
			s = handles[0].Shape
		}
	}
	if !s.Known() {
		return nil
	}
	v := newValue(e.outType(), []int64{int64(s.Rank())}, s.Rank())
	if v == nil || v.ints == nil {
		return nil
	}
	for i, d := range s.Dims() {
		if v.ints[i] = max(d, 0); d == Unknown || wrap(v.dtype, d) != d {
			v.forget(i)
		}
	}
	return v
}

// loosely makes what is worked out count for shapes only.
func loosely(eval evalFunc) evalFunc {
	return func(e *evaluation) *value {
		v := eval(e)
		if v != nil {
			v.loose = true
		}
		return v
	}
}

func evalRank(e *evaluation) *value {
	s := e.inShape(0)
	if !s.Known() {
		return nil
	}
	return e.one(int64(s.Rank()))
}

func evalSize(e *evaluation) *value {
	s := e.inShape(0)
	n, err := s.NumElements()
	if err != nil || !s.Full() || wrap(e.outType(), n) != n {
		return nil
	}
	return e.one(n)
}

// one returns an integer scalar of the output's type.
func (e *evaluation) one(x int64) *value {
	v := newValue(e.outType(), nil, 1)
	if v == nil || v.ints == nil {
		return nil
	}
	v.ints[0] = x
	return v
}

// join returns the elements of inputs lo to hi-1, one after the other. Each must
// have that rank; or if it is negative the same shape, and nothing is taken from
// those that are known in part.
func (e *evaluation) join(lo, hi, rank int) (joined *value, part []int64) {
	if hi-lo > maxElements {
		return nil, nil
	}
	var dims []int64
	v := newValue(e.outType(), nil, 0)
	if v == nil {
		return nil, nil
	}
	anything := false
	for i := lo; i < hi; i++ {
		x := e.operand(i)
		if rank < 0 && !x.whole() {
			x = e.unknown(i)
		}
		if x == nil || x.dtype != v.dtype || v.len()+x.len() > maxElements {
			return nil, nil
		}
		if rank >= 0 && len(x.dims) != rank || rank < 0 && i > lo && !slices.Equal(dims, x.dims) {
			return nil, nil
		}
		dims = x.dims
		v.loose, v.packed = v.loose || x.loose, v.packed || x.packed
		for k := range x.len() {
			v.known = append(v.known, x.knows(k))
			anything = anything || x.knows(k)
		}
		v.ints, v.floats = append(v.ints, x.ints...), append(v.floats, x.floats...)
	}
	if !anything && v.len() > 0 {
		return nil, nil
	}
	return v.settle(), dims
}

// evalPack is for parts packed in front.
func evalPack(e *evaluation) *value {
	n := e.node.NumInputs()
	v, dims := e.join(0, n, -1)
	if v == nil {
		return nil
	}
	if axis := e.attrInt("axis"); axis != 0 && (axis != -1 || len(dims) > 0) {
		return nil
	}
	v = v.shaped(slices.Insert(slices.Clone(dims), 0, int64(n)))
	v.packed = true
	return v
}

// evalConcat is for vectors.
func evalConcat(e *evaluation) *value {
	n := e.node.NumInputs()
	if n < 2 {
		return nil
	}
	var v *value
	if e.node.Def().Name == "Concat" {
		v, _ = e.join(1, n, 1)
	} else {
		v, _ = e.join(0, n-1, 1)
	}
	if v == nil {
		return nil
	}
	return v.shaped([]int64{int64(v.len())})
}

func evalConcatOffset(e *evaluation) *value {
	axis, ok := e.full(0).scalar()
	mine := e.full(e.index + 1)
	if !ok || mine == nil || mine.ints == nil {
		return nil
	}
	if axis < 0 {
		axis += int64(mine.len())
	}
	if axis < 0 || axis >= int64(mine.len()) {
		return nil
	}
	v := newValue(mine.dtype, mine.dims, mine.len())
	for i := range e.index {
		x := e.full(i + 1)
		if x == nil || len(x.ints) != mine.len() {
			return nil
		}
		v.ints[axis] = wrap(v.dtype, v.ints[axis]+x.ints[axis])
	}
	return v
}

// evalStridedSlice is for vectors.
func evalStridedSlice(e *evaluation) *value {
	x := e.in(0)
	begin, end, strides := e.full(1), e.full(2), e.full(3)
	if x == nil || len(x.dims) != 1 || begin == nil || end == nil || strides == nil {
		return nil
	}
	spec := StridedSpec{
		Begin: begin.ints, End: end.ints, Strides: strides.ints,
		BeginMask: e.attrInt("begin_mask"), EndMask: e.attrInt("end_mask"), EllipsisMask: e.attrInt("ellipsis_mask"),
		NewAxisMask: e.attrInt("new_axis_mask"), ShrinkMask: e.attrInt("shrink_axis_mask"),
	}
	s, err := spec.Apply(Of(x.dims...))
	if err != nil || len(s.Dims) != 1 {
		return nil
	}
	d := s.Dims[0]
	at := make([]int, max(d.Count, 0))
	for k := range at {
		at[k] = int(d.Begin + int64(k)*d.Stride)
	}
	v := x.pick(at, s.Shape.Dims())
	if from, _ := e.node.Producer(0); v != nil && !x.whole() {
		v.loose = x.loose || from.Def().Name != "Shape"
	}
	return v
}

// evalSlice is for vectors.
func evalSlice(e *evaluation) *value {
	x := e.in(0)
	begin, ok := e.full(1).scalar()
	size, ok2 := e.full(2).scalar()
	if x == nil || len(x.dims) != 1 || !ok || !ok2 {
		return nil
	}
	n := int64(x.len())
	if size == -1 {
		size = n - begin
	}
	if begin < 0 || size < 0 || begin > n || size > n-begin {
		return nil
	}
	return x.pick(span(int(begin), int(size)), []int64{size})
}

// span is n indices from lo on.
func span(lo, n int) []int {
	at := make([]int, n)
	for k := range at {
		at[k] = lo + k
	}
	return at
}

// evalUnpack takes the input apart in front.
func evalUnpack(e *evaluation) *value {
	x := e.in(0)
	if x == nil || len(x.dims) == 0 {
		return nil
	}
	axis := e.attrInt("axis")
	if axis != 0 && axis != -int64(len(x.dims)) || int64(e.index) >= x.dims[0] {
		return nil
	}
	n := x.len() / int(x.dims[0])
	return x.pick(span(e.index*n, n), x.dims[1:])
}

// evalSplit is for vectors.
func evalSplit(e *evaluation) *value {
	x := e.in(1)
	parts := int(e.attrInt("num_split"))
	if x == nil || len(x.dims) != 1 || parts <= 0 || x.len()%parts != 0 || e.index >= parts {
		return nil
	}
	n := x.len() / parts
	return x.pick(span(e.index*n, n), []int64{int64(n)})
}

// evalGather is for elements of a vector.
func evalGather(e *evaluation) *value {
	x, indices := e.in(0), e.full(1)
	if x == nil || len(x.dims) != 1 || indices == nil || indices.ints == nil || e.attrInt("batch_dims") != 0 {
		return nil
	}
	at := make([]int, indices.len())
	for k, i := range indices.ints {
		if i < 0 || i >= int64(x.len()) {
			return nil
		}
		at[k] = int(i)
	}
	return x.pick(at, indices.dims)
}

// evalReverse is for vectors.
func evalReverse(e *evaluation) *value {
	x, axes := e.in(0), e.full(1)
	if x == nil || len(x.dims) != 1 || axes == nil || axes.len() != 1 {
		return nil
	}
	at := span(0, x.len())
	slices.Reverse(at)
	return x.pick(at, x.dims)
}

// evalReshape is for operations that keep the elements as they are.
func evalReshape(e *evaluation) *value {
	x := e.in(0)
	if x == nil {
		return nil
	}
	dims, ok := e.outShape(x.len())
	if !ok {
		return nil
	}
	return x.shaped(dims)
}

// evalRange is for integers.
func evalRange(e *evaluation) *value {
	start, ok := e.full(0).scalar()
	limit, ok2 := e.full(1).scalar()
	delta, ok3 := e.full(2).scalar()
	if !ok || !ok2 || !ok3 {
		return nil
	}
	n, err := RangeSize(start, limit, delta)
	if err != nil || n > maxElements {
		return nil
	}
	v := newValue(e.outType(), []int64{n}, int(n))
	if v == nil || v.ints == nil {
		return nil
	}
	for k := range v.ints {
		v.ints[k] = start + int64(k)*delta
	}
	return v
}

func evalFill(e *evaluation) *value {
	x := e.in(1)
	if x == nil || x.len() != 1 {
		return nil
	}
	shapes := e.node.OutputShapes()
	if len(shapes) == 0 || !shapes[0].Full() {
		return nil
	}
	n, err := shapes[0].NumElements()
	if err != nil || n > maxElements {
		return nil
	}
	return x.pick(make([]int, n), shapes[0].Dims())
}

// evalLike fills the shape of the input with a number.
func evalLike(x int64) evalFunc {
	return func(e *evaluation) *value {
		s := e.inShape(0)
		n, err := s.NumElements()
		if err != nil || n == Unknown || n > maxElements {
			return nil
		}
		v := newValue(e.outType(), s.Dims(), int(n))
		if v == nil {
			return nil
		}
		for k := range v.ints {
			v.ints[k] = x
		}
		for k := range v.floats {
			v.floats[k] = float64(x)
		}
		return v
	}
}

// evalListDiff returns the elements of input 0 that input 1 has not, or where they
// were.
func evalListDiff(e *evaluation) *value {
	x, y := e.full(0), e.full(1)
	if x == nil || y == nil || x.ints == nil || y.ints == nil {
		return nil
	}
	out := []int64{}
	for i, a := range x.ints {
		switch {
		case slices.Contains(y.ints, a):
		case e.index == 0:
			out = append(out, a)
		default:
			out = append(out, int64(i))
		}
	}
	return vector(e.outType(), out)
}

func evalInvert(e *evaluation) *value {
	x := e.full(0)
	if x == nil || x.ints == nil || len(x.dims) != 1 {
		return nil
	}
	out := make([]int64, x.len())
	for i := range out {
		out[i] = -1
	}
	for i, a := range x.ints {
		if a < 0 || a >= int64(len(out)) || out[a] >= 0 {
			return nil
		}
		out[a] = int64(i)
	}
	return vector(x.dtype, out)
}

func evalBroadcastArgs(e *evaluation) *value {
	a, b := e.shapeValue(0), e.shapeValue(1)
	s, err := broadcast(a, b)
	if err != nil || !s.Full() {
		return nil
	}
	return vector(e.outType(), s.Dims())
}

// evalBroadcastGradientArgs returns the axes along which the gradient of one input
// of an elementwise operation is summed.
func evalBroadcastGradientArgs(e *evaluation) *value {
	a, b := e.shapeValue(0), e.shapeValue(1)
	whole, err := broadcast(a, b)
	if err != nil || !whole.Full() {
		return nil
	}
	mine := a
	if e.index == 1 {
		mine = b
	}
	axes := []int64{}
	if Equal(a, b) {
		return vector(e.outType(), axes)
	}
	skip := whole.Rank() - mine.Rank()
	for i := range whole.Rank() {
		if i < skip || mine.Dim(i-skip) == 1 {
			axes = append(axes, int64(i))
		}
	}
	return vector(e.outType(), axes)
}

// shapeValue is input i read as a shape, of unknown rank unless all of it is
// known.
func (e *evaluation) shapeValue(i int) Shape {
	v := e.full(i)
	if v == nil || v.ints == nil || len(v.dims) != 1 {
		return Shape{}
	}
	s, err := FromVector(v.ints)
	if err != nil || !s.Full() {
		return Shape{}
	}
	return s
}
