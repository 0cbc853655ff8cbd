package shape

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// What a node puts out is worked out before the graph runs, as far as the
// shapes of other nodes depend on it: arithmetic on small tensors of integers,
// some of whose elements may be unknown, as those of the shape [2,?] are. What is
// known in part goes as far as in TensorFlow: through casts, packs, concatenations
// and slices up to where a shape is made of it. All other operations must know
// all of their inputs.

// An evaluator evaluates the inputs of one node after the other. Its work is
// bounded by the number of nodes that have been inferred, whatever the graph.
type evaluator struct {
	node   Node // whose inputs are asked for
	credit int  // elements that may still be worked out, less creditOfGraph
	memo   map[output]*value
}

const (
	creditOfGraph = 1 << 16
	creditOfNode  = 64
	// maxElements is the size of the largest value that is worked out;
	// constants may be of any size.
	maxElements = 1024
	// maxDepth is the length of the longest chain of nodes that is followed.
	maxDepth = 256
)

type output struct {
	node  Node
	index int
}

// A value is a tensor of integers, booleans or floats. It is immutable.
type value struct {
	dtype  tensor.DType
	dims   []int64
	ints   []int64   // the elements of an integer or bool tensor
	floats []float64 // the elements of a float tensor
	known  []bool    // which elements are known; nil: all
	loose  bool      // it counts for a shape only: it was cut from what is known in part
	packed bool      // numbers packed one by one: as a shape, negative ones are unknown
}

// whole reports whether v is known for every purpose.
func (v *value) whole() bool { return v != nil && v.known == nil && !v.loose }

// An evalFunc computes an output of a node, nil if it cannot.
type evalFunc func(e *evaluation) *value

// An evaluation is the evaluation of one output of one node.
type evaluation struct {
	*evaluator
	node  Node
	index int // of the output
	depth int // how far the node is from the one whose shape is asked for
}

// constant returns the value of input i, nil if it is not known.
func (e *evaluator) constant(i int) *tensor.Tensor {
	from, out := e.node.Producer(i)
	for range maxDepth {
		switch {
		case from == nil:
			return nil
		case from.Def().Name == "Const":
			return constTensor(from)
		}
		if b, ok := from.(Bound); ok {
			if t := b.Bound(out); t != nil {
				return t
			}
		}
		in, ok := passes(from, out)
		if !ok || !e.pay(1) {
			break
		}
		from, out = from.Producer(in)
	}
	if v := e.value(from, out, 0); v.whole() {
		return v.tensor()
	}
	return nil
}

// shape is input i read as a shape: of unknown rank if nothing is known of it.
func (e *evaluator) shape(i int) Shape {
	from, out := e.node.Producer(i)
	v := e.value(from, out, 0)
	if v == nil || len(v.dims) != 1 || v.ints == nil || len(v.ints) > tensor.MaxRank {
		return Shape{}
	}
	dims := make([]int64, len(v.ints))
	for k, d := range v.ints {
		dims[k] = Unknown
		switch {
		case !v.knows(k):
		case d >= 0:
			dims[k] = d
		case d != Unknown && !v.packed:
			return Shape{}
		}
	}
	return Of(dims...)
}

// part returns what is known of the elements of input i, a vector of integers.
func (e *evaluator) part(i int) (elements []int64, known []bool) {
	from, out := e.node.Producer(i)
	v := e.value(from, out, 0)
	if v == nil || len(v.dims) != 1 || v.ints == nil {
		return nil, nil
	}
	known = make([]bool, len(v.ints))
	for k := range known {
		known[k] = v.knows(k)
	}
	return v.ints, known
}

// passes reports which input a node puts out unchanged as that output, if it does.
func passes(n Node, output int) (input int, ok bool) {
	switch n.Def().Name {
	case "Identity", "IdentityN", "StopGradient", "PreventGradient", "Snapshot", "GuaranteeConst":
		return output, output < n.NumInputs()
	}
	return 0, false
}

func constTensor(n Node) *tensor.Tensor {
	if v := n.Attrs().Find("value"); v != nil {
		return v.Tensor
	}
	return nil
}

// value computes an output of a node, nil if it cannot. Nodes that put out
// what they take pass on only what is known of all of it.
func (e *evaluator) value(n Node, index, depth int) *value {
	asked := n
	for n != nil && depth <= maxDepth {
		in, ok := passes(n, index)
		if !ok || !e.pay(1) {
			break
		}
		n, index = n.Producer(in)
		depth++
	}
	if n == nil || index < 0 || depth > maxDepth {
		return nil
	}
	eval := evaluators[n.Def().Name]
	if b, ok := n.(Bound); ok {
		if t := b.Bound(index); t != nil {
			eval = func(*evaluation) *value { return valueOf(t) }
		}
	}
	if eval == nil {
		return nil
	}
	v := e.result(eval, n, index, depth)
	if n != asked && !v.whole() {
		return nil
	}
	return v
}

// result returns the result of eval, which is worked out once for each output.
func (e *evaluator) result(eval evalFunc, n Node, index, depth int) *value {
	key := output{n, index}
	if v, ok := e.memo[key]; ok {
		return v
	}
	if !e.pay(1) {
		return nil
	}
	v := eval(&evaluation{e, n, index, depth})
	if v != nil && v.len() > maxElements {
		v = nil
	}
	if v != nil {
		e.pay(v.len())
	}
	if e.memo == nil {
		e.memo = map[output]*value{}
	}
	e.memo[key] = v
	return v
}

// pay takes from the credit, if it is not used up.
func (e *evaluator) pay(work int) bool {
	if e.credit <= -creditOfGraph {
		return false
	}
	e.credit -= work
	return true
}

// in returns the value of input i, nil if nothing is known of its elements.
func (e *evaluation) in(i int) *value {
	if i < 0 || i >= e.node.NumInputs() {
		return nil
	}
	from, out := e.node.Producer(i)
	return e.value(from, out, e.depth+1)
}

// full returns the value of input i if all of it is known, else nil.
func (e *evaluation) full(i int) *value {
	if v := e.in(i); v.whole() {
		return v
	}
	return nil
}

// whole returns an evaluation that needs all of all inputs.
func whole(eval evalFunc) evalFunc {
	return func(e *evaluation) *value {
		for i := range e.node.NumInputs() {
			if e.full(i) == nil {
				return nil
			}
		}
		return eval(e)
	}
}

// operand returns the value of input i; one of unknown elements if only its shape
// is known.
func (e *evaluation) operand(i int) *value {
	if v := e.in(i); v != nil {
		return v
	}
	return e.unknown(i)
}

// unknown returns a value of unknown elements of the shape of input i, if that is
// known.
func (e *evaluation) unknown(i int) *value {
	s := e.inShape(i)
	n, err := s.NumElements()
	if err != nil || n == Unknown || n > maxElements {
		return nil
	}
	types := e.node.InputTypes()
	if i >= len(types) {
		return nil
	}
	v := newValue(types[i].Base(), s.Dims(), int(n))
	if v != nil && n > 0 {
		v.known = make([]bool, n)
	}
	return v
}

// inShape returns the shape of input i.
func (e *evaluation) inShape(i int) Shape {
	if i < 0 || i >= e.node.NumInputs() {
		return Shape{}
	}
	s, _ := produced(e.node, i)
	return s
}

// outShape returns the dimensions of the output, if all are known and make that many
// elements.
func (e *evaluation) outShape(elements int) ([]int64, bool) {
	shapes := e.node.OutputShapes()
	if e.index >= len(shapes) || !shapes[e.index].Full() {
		return nil, false
	}
	n, err := shapes[e.index].NumElements()
	return shapes[e.index].Dims(), err == nil && n == int64(elements)
}

// outType returns the type of the output.
func (e *evaluation) outType() tensor.DType {
	if types := e.node.OutputTypes(); e.index < len(types) {
		return types[e.index].Base()
	}
	return tensor.Invalid
}

func (e *evaluation) attrInt(name string) int64 {
	if v := e.node.Attrs().Find(name); v != nil {
		return v.I
	}
	return 0
}

// newValue is n zeros of that type, nil if values do not have the type.
func newValue(dt tensor.DType, dims []int64, n int) *value {
	v := &value{dtype: dt, dims: dims}
	switch dt {
	case tensor.Float, tensor.Double:
		v.floats = make([]float64, n)
	case tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Bool:
		v.ints = make([]int64, n)
	default:
		return nil
	}
	return v
}

// vector returns a value of rank 1 that holds ints itself.
func vector(dt tensor.DType, ints []int64) *value {
	v := newValue(dt, []int64{int64(len(ints))}, 0)
	if v == nil || v.ints == nil {
		return nil
	}
	v.ints = ints
	return v
}

func (v *value) len() int { return max(len(v.ints), len(v.floats)) }

func (v *value) knows(i int) bool { return v.known == nil || v.known[i] }

// scalar reports whether v is one known integer, and which.
func (v *value) scalar() (int64, bool) {
	if v == nil || len(v.ints) != 1 || !v.knows(0) {
		return 0, false
	}
	return v.ints[0], true
}

// shaped is v with other dimensions of as many elements.
func (v *value) shaped(dims []int64) *value {
	w := *v
	w.dims = dims
	return &w
}

// pick returns a value of the elements of v at these indices, which exist.
func (v *value) pick(at []int, dims []int64) *value {
	w := newValue(v.dtype, dims, len(at))
	if w == nil {
		return nil
	}
	w.packed = v.packed
	for k, i := range at {
		w.copy(k, v, i)
	}
	return w.settle()
}

// copy makes element k what element i of v is.
func (w *value) copy(k int, v *value, i int) {
	if w.ints != nil {
		w.ints[k] = v.ints[i]
	} else {
		w.floats[k] = v.floats[i]
	}
	if !v.knows(i) {
		w.forget(k)
	}
}

// forget makes element k unknown.
func (w *value) forget(k int) {
	if w.known == nil {
		w.known = make([]bool, w.len())
		for i := range w.known {
			w.known[i] = true
		}
	}
	w.known[k] = false
}

// settle keeps the invariant that known is nil if all elements are.
func (w *value) settle() *value {
	if w.known != nil && !slices.Contains(w.known, false) {
		w.known = nil
	}
	return w
}

// tensor is v as a tensor, nil if v is nil or an element is unknown.
func (v *value) tensor() *tensor.Tensor {
	if v == nil || v.known != nil {
		return nil
	}
	switch v.dtype {
	case tensor.Int8:
		return tensorOf(v, func(x int64) int8 { return int8(x) })
	case tensor.Int16:
		return tensorOf(v, func(x int64) int16 { return int16(x) })
	case tensor.Int32:
		return tensorOf(v, func(x int64) int32 { return int32(x) })
	case tensor.Int64:
		return tensorOf(v, func(x int64) int64 { return x })
	case tensor.Uint8:
		return tensorOf(v, func(x int64) uint8 { return uint8(x) })
	case tensor.Uint16:
		return tensorOf(v, func(x int64) uint16 { return uint16(x) })
	case tensor.Uint32:
		return tensorOf(v, func(x int64) uint32 { return uint32(x) })
	case tensor.Bool:
		return tensorOf(v, func(x int64) bool { return x != 0 })
	case tensor.Float:
		return filled(v, v.floats, func(x float64) float32 { return float32(x) })
	case tensor.Double:
		return filled(v, v.floats, func(x float64) float64 { return x })
	}
	return nil
}

func tensorOf[T tensor.Element](v *value, to func(int64) T) *tensor.Tensor {
	return filled(v, v.ints, to)
}

func filled[T tensor.Element, S any](v *value, from []S, to func(S) T) *tensor.Tensor {
	data := make([]T, len(from))
	for i, x := range from {
		data[i] = to(x)
	}
	t, err := tensor.FromSlice(data, v.dims...)
	if err != nil {
		return nil
	}
	return t
}

// valueOf returns a tensor as a value, nil if it is too large or of a type that
// values do not have.
func valueOf(t *tensor.Tensor) *value {
	if t == nil || t.NumElements() > maxElements {
		return nil
	}
	v := newValue(t.DType(), t.Dims(), 0)
	if v == nil {
		return nil
	}
	switch t.DType() {
	case tensor.Float:
		v.floats = convert(elements[float32](t), func(x float32) float64 { return float64(x) })
	case tensor.Double:
		v.floats = elements[float64](t)
	case tensor.Bool:
		v.ints = convert(elements[bool](t), truth)
	default:
		v.ints, _ = integers(t)
	}
	return v
}

func convert[T, S any](from []T, f func(T) S) []S {
	to := make([]S, len(from))
	for i, x := range from {
		to[i] = f(x)
	}
	return to
}

func truth(x bool) int64 {
	if x {
		return 1
	}
	return 0
}

// wrap is x as an integer of that type keeps it.
func wrap(dt tensor.DType, x int64) int64 {
	switch dt {
	case tensor.Int8:
		return int64(int8(x))
	case tensor.Int16:
		return int64(int16(x))
	case tensor.Int32:
		return int64(int32(x))
	case tensor.Uint8:
		return int64(uint8(x))
	case tensor.Uint16:
		return int64(uint16(x))
	case tensor.Uint32:
		return int64(uint32(x))
	case tensor.Bool:
		return truth(x != 0)
	}
	return x
}

// round is x as a float of that type keeps it.
func round(dt tensor.DType, x float64) float64 {
	if dt == tensor.Float {
		return float64(float32(x))
	}
	return x
}

// truncate is x as an integer of that type, ok false if it does not fit.
func truncate(dt tensor.DType, x float64) (y int64, ok bool) {
	if !(math.Abs(x) < 1<<53) {
		return 0, false
	}
	y = int64(x)
	return y, wrap(dt, y) == y
}
