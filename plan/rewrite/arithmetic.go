package rewrite

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/sharing"
	"github.com/troupe-go/troupe/tensor"
)

// A rule says which output a node forwards unchanged, to the bit, and through which
// other node if not directly; ok is false where it does not. A signaling NaN, which
// arithmetic makes quiet, stays what it is.
type rule func(w *work, n *graph.Node) (of graph.Output, by *graph.Node, ok bool)

// rules of arithmetic, by operation.
var rules = map[string]rule{
	"Identity": handsOn, "StopGradient": handsOn, "PreventGradient": handsOn, "Snapshot": handsOn,
	"Add": neutral(true, negativeZero), "AddV2": neutral(true, negativeZero),
	"Sub": neutral(false, positiveZero), "Mul": neutral(true, unit),
	"RealDiv": neutral(false, unit), "Div": neutral(false, unit), "FloorDiv": neutral(false, integerUnit),
	"BitwiseOr": neutral(false, positiveZero), "BitwiseXor": neutral(false, positiveZero),
	"LeftShift": neutral(false, positiveZero), "RightShift": neutral(false, positiveZero),
	"Neg": twice, "LogicalNot": twice, "Invert": twice, "Conj": twice,
	"Transpose": transposed, "Reshape": reshaped, "Cast": cast, "AddN": ofOne,
	"Tile": repeated, "Pad": padded, "PadV2": padded,
}

// arithmetic takes out what only hands a value on: products with 1, sums with the zero
// that changes nothing, two negations or transpositions that undo each other, reshapes
// and casts to what is there already.
func arithmetic(w *work) error { return w.apply(rules) }

func (w *work) apply(rules map[string]rule) error {
	shared := sharing.Of(w.Nodes(), w.MaxID(), func(graph.Output) bool { return false }) // feeds are placeholders
	for _, n := range w.Nodes() {
		if err := w.Watch.Steps(2); err != nil {
			return err
		}
		r := rules[n.Type()]
		if r == nil || n.NumOutputs() != 1 || w.IsFed(n) || n.Inputs()[0].DataType().IsRef() {
			continue
		}
		of, by, ok := r(w, n)
		if !ok || of.DataType().IsRef() || shared.Could(of) && !shared.Could(n.Output(0)) { // n takes the value when it acts
			continue
		}
		after := union{nodes: gates(n)}
		if by != nil {
			after.add(gates(by))
		}
		if err := w.handOn(n, of, after.nodes); err != nil {
			return err
		}
	}
	return nil
}

// handOn makes n hand on a value: it goes, or if it waits for something or if its
// value is one side of a Switch, it becomes an Identity.
func (w *work) handOn(n *graph.Node, of graph.Output, after []*graph.Node) error {
	if of.Op.Class() != graph.ClassSwitch && len(after) == 0 && !w.IsTarget(n) && of.DataType() == n.OutputTypes()[0] {
		return w.Replace(n, of)
	}
	if n.Class() == graph.ClassIdentity {
		return nil
	}
	_, err := w.ReplaceByNew(n, graph.OpSpec{Type: "Identity", Input: []graph.Input{of}, ControlDependencies: after})
	return err
}

func handsOn(_ *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	return n.Inputs()[0], nil, true
}

// A number is what a constant scalar is, of whatever type.
type number struct {
	float    bool
	value    float64
	negative bool // minus zero
}

func positiveZero(x number) bool { return x.value == 0 && !x.negative }
func negativeZero(x number) bool { return x.value == 0 && (x.negative || !x.float) }
func unit(x number) bool         { return x.value == 1 }
func integerUnit(x number) bool  { return x.value == 1 && !x.float }

// neutral returns the rule of an operation whose second operand may be neutral, and the
// first one if it commutes. A neutral operand is a constant scalar, so that the result
// has the other's shape.
func neutral(commutes bool, is func(number) bool) rule {
	return func(_ *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
		for k := 1; k >= 0 && (k == 1 || commutes); k-- {
			if x, ok := numberOf(n.Inputs()[k].Op); ok && is(x) {
				return n.Inputs()[1-k], nil, true
			}
		}
		return graph.Output{}, nil, false
	}
}

// numberOf returns the value of a constant scalar; complex numbers are none: in their
// products every part counts.
func numberOf(n *graph.Node) (x number, ok bool) {
	t := constant(n)
	if t == nil || len(t.Shape()) != 0 {
		return x, false
	}
	v := tensor.ValueOf(t)
	switch t.DType() {
	case tensor.Float:
		f := tensor.At0[float32](&v)
		return number{true, float64(f), f == 0 && 1/f < 0}, true
	case tensor.Double:
		f := tensor.At0[float64](&v)
		return number{true, f, f == 0 && 1/f < 0}, true
	case tensor.Int8:
		x.value = float64(tensor.At0[int8](&v))
	case tensor.Int16:
		x.value = float64(tensor.At0[int16](&v))
	case tensor.Int32:
		x.value = float64(tensor.At0[int32](&v))
	case tensor.Int64:
		x.value = float64(tensor.At0[int64](&v))
	case tensor.Uint8:
		x.value = float64(tensor.At0[uint8](&v))
	case tensor.Uint16:
		x.value = float64(tensor.At0[uint16](&v))
	case tensor.Uint32:
		x.value = float64(tensor.At0[uint32](&v))
	case tensor.Uint64:
		x.value = float64(tensor.At0[uint64](&v))
	default:
		return x, false
	}
	return x, true
}

// twice returns the rule of an operation that undoes itself.
func twice(_ *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	m := n.Inputs()[0].Op
	if m.Type() != n.Type() || m.Inputs()[0].DataType() != n.OutputTypes()[0] {
		return graph.Output{}, nil, false
	}
	return m.Inputs()[0], m, true
}

// transposed knows a transposition that changes nothing, alone or after another.
func transposed(w *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	outer := permutation(n)
	if outer == nil {
		return graph.Output{}, nil, false
	}
	of, by := n.Inputs()[0], (*graph.Node)(nil)
	perm := outer
	if m := of.Op; m.Type() == "Transpose" && !m.Inputs()[0].DataType().IsRef() {
		inner := permutation(m)
		if inner == nil || len(inner) != len(outer) {
			return graph.Output{}, nil, false
		}
		perm = make([]int, len(outer))
		for i, p := range outer {
			perm[i] = inner[p]
		}
		of, by = m.Inputs()[0], m
	}
	for i, p := range perm {
		if i != p {
			return graph.Output{}, nil, false
		}
	}
	s, err := w.shape(of)
	return of, by, err == nil && s.Known() && s.Rank() == len(perm)
}

// permutation returns the constant second input of a Transpose; nil if it is none, or
// no permutation.
func permutation(n *graph.Node) []int {
	perm := integers(constant(n.Inputs()[1].Op))
	seen := make([]bool, len(perm))
	for _, p := range perm {
		if p < 0 || p >= len(perm) || seen[p] {
			return nil
		}
		seen[p] = true
	}
	return perm
}

// integers returns the elements of a vector of int32 or int64.
func integers(t *tensor.Tensor) []int {
	if t == nil || len(t.Shape()) != 1 || t.Shape()[0] > 64 {
		return nil
	}
	v := tensor.ValueOf(t)
	out := []int{}
	switch t.DType() {
	case tensor.Int32:
		for _, x := range tensor.Of[int32](&v) {
			out = append(out, int(x))
		}
	case tensor.Int64:
		for _, x := range tensor.Of[int64](&v) {
			out = append(out, int(x))
		}
	default:
		return nil
	}
	return out
}

// reshaped knows a Reshape to the shape that is there.
func reshaped(w *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	of := n.Inputs()[0]
	from, err := w.shape(of)
	if err != nil || !from.Full() || constant(n.Inputs()[1].Op) == nil {
		return of, nil, false
	}
	to, err := w.shape(n.Output(0))
	return of, nil, err == nil && to.Full() && slices.Equal(from.Dims(), to.Dims())
}

func cast(_ *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	return n.Inputs()[0], nil, n.InputTypes()[0] == n.OutputTypes()[0]
}

// ofOne knows a sum of one tensor, of a type that has sums.
func ofOne(w *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	if n.NumInputs() != 1 || n.OutputTypes()[0] == tensor.Variant {
		return n.Inputs()[0], nil, false
	}
	_, err := w.kernel(n)
	return n.Inputs()[0], nil, err == nil
}

// repeated knows a Tile of every dimension once.
func repeated(w *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	times := integers(constant(n.Inputs()[1].Op))
	s, err := w.shape(n.Inputs()[0])
	ok := times != nil && err == nil && s.Known() && s.Rank() == len(times)
	return n.Inputs()[0], nil, ok && !slices.ContainsFunc(times, func(k int) bool { return k != 1 })
}

// padded knows a Pad by nothing.
func padded(w *work, n *graph.Node) (graph.Output, *graph.Node, bool) {
	t := constant(n.Inputs()[1].Op)
	s, err := w.shape(n.Inputs()[0])
	if t == nil || err != nil || !s.Known() || !slices.Equal(t.Shape(), []int64{int64(s.Rank()), 2}) {
		return graph.Output{}, nil, false
	}
	v := tensor.ValueOf(t)
	for _, b := range tensor.Bytes(&v) {
		if b != 0 {
			return graph.Output{}, nil, false
		}
	}
	if n.NumInputs() > 2 {
		if fill, err := w.shape(n.Inputs()[2]); err != nil || !fill.Known() || fill.Rank() != 0 {
			return graph.Output{}, nil, false // to be refused
		}
	}
	return n.Inputs()[0], nil, true
}
