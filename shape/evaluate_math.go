package shape

import (
	"math"

	"github.com/troupe-go/troupe/tensor"
)

// evaluators is what the evaluator can work out, by operation.
var evaluators map[string]evalFunc

func init() { // the functions refer to the table
	evaluators = map[string]evalFunc{
		"Const": func(e *evaluation) *value { return valueOf(constTensor(e.node)) },

		"Shape": evalShape, "ShapeN": loosely(evalShape), "VariableShape": loosely(evalShape), "Rank": evalRank, "Size": evalSize,
		"Pack": evalPack, "Concat": evalConcat, "ConcatV2": evalConcat, "StridedSlice": evalStridedSlice, "Cast": evalCast,
	}
	for op, eval := range map[string]evalFunc{
		"ConcatOffset": evalConcatOffset, "Slice": evalSlice, "Unpack": evalUnpack, "Split": evalSplit,
		"Gather": evalGather, "GatherV2": evalGather, "ReverseV2": evalReverse,
		"ExpandDims": evalReshape, "Squeeze": evalReshape, "Reshape": evalReshape,
		"Range": evalRange, "Fill": evalFill, "ZerosLike": evalLike(0), "OnesLike": evalLike(1),
		"ListDiff": evalListDiff, "InvertPermutation": evalInvert,
		"BroadcastArgs": evalBroadcastArgs, "BroadcastGradientArgs": evalBroadcastGradientArgs,

		"Select": evalSelect, "SelectV2": evalSelect,
		"Add": binary(add, addFloat), "AddV2": binary(add, addFloat), "Sub": binary(sub, subFloat), "Mul": binary(mul, mulFloat),
		"FloorDiv": binary(floorDiv, floorDivFloat), "FloorMod": binary(floorMod, nil),
		"Div": binary(truncateDiv, divFloat), "RealDiv": binary(nil, divFloat),
		"TruncateDiv": binary(truncateDiv, nil), "TruncateMod": binary(truncateMod, nil), "Mod": binary(truncateMod, nil),
		"Maximum": binary(largest, math.Max), "Minimum": binary(smallest, math.Min),
		"Neg":   unary(func(x int64) int64 { return -x }, func(x float64) float64 { return -x }),
		"Abs":   unary(func(x int64) int64 { return max(x, -x) }, math.Abs),
		"Floor": unary(nil, math.Floor), "Ceil": unary(nil, math.Ceil), "Round": unary(nil, math.RoundToEven),
		"Square": unary(func(x int64) int64 { return x * x }, func(x float64) float64 { return x * x }),

		"Equal": compare(func(c int) bool { return c == 0 }), "NotEqual": compare(func(c int) bool { return c != 0 }),
		"Less": compare(func(c int) bool { return c < 0 }), "LessEqual": compare(func(c int) bool { return c <= 0 }),
		"Greater": compare(func(c int) bool { return c > 0 }), "GreaterEqual": compare(func(c int) bool { return c >= 0 }),
		"LogicalAnd": binary(smallest, nil), "LogicalOr": binary(largest, nil),
		"LogicalNot": unary(func(x int64) int64 { return 1 - x }, nil),

		"Sum": reduce(add, 0), "Prod": reduce(mul, 1), "Max": reduce(largest, math.MinInt64), "Min": reduce(smallest, math.MaxInt64),
		"All": reduce(smallest, 1), "Any": reduce(largest, 0),
	} {
		evaluators[op] = whole(eval)
	}
}

func add(a, b int64) (int64, bool)      { return a + b, true }
func sub(a, b int64) (int64, bool)      { return a - b, true }
func mul(a, b int64) (int64, bool)      { return a * b, true }
func largest(a, b int64) (int64, bool)  { return max(a, b), true }
func smallest(a, b int64) (int64, bool) { return min(a, b), true }

func truncateDiv(a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	return a / b, true
}

func truncateMod(a, b int64) (int64, bool) {
	if b == 0 {
		return 0, false
	}
	return a % b, true
}

func floorDiv(a, b int64) (int64, bool) {
	q, ok := truncateDiv(a, b)
	if ok && a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q, ok
}

func floorMod(a, b int64) (int64, bool) {
	m, ok := truncateMod(a, b)
	if ok && m != 0 && (m < 0) != (b < 0) {
		m += b
	}
	return m, ok
}

func addFloat(a, b float64) float64      { return a + b }
func subFloat(a, b float64) float64      { return a - b }
func mulFloat(a, b float64) float64      { return a * b }
func divFloat(a, b float64) float64      { return a / b }
func floorDivFloat(a, b float64) float64 { return math.Floor(a / b) }

// unary applies one of the functions to each element; nil is a type that the
// operation is not worked out for.
//
//go:noinline
func unary(onInt func(int64) int64, onFloat func(float64) float64) evalFunc {
	return func(e *evaluation) *value {
		x := e.in(0)
		if x == nil {
			return nil
		}
		v := &value{dtype: x.dtype, dims: x.dims, known: x.known}
		switch {
		case x.ints != nil && onInt != nil:
			v.ints = convert(x.ints, func(a int64) int64 { return wrap(x.dtype, onInt(a)) })
		case x.floats != nil && onFloat != nil:
			v.floats = convert(x.floats, func(a float64) float64 { return round(x.dtype, onFloat(a)) })
		default:
			return nil
		}
		return v
	}
}

// binary applies one of the functions to the elements of both inputs, which
// have one shape, or one of which has a single element.
//
//go:noinline
func binary(onInt func(a, b int64) (int64, bool), onFloat func(a, b float64) float64) evalFunc {
	return func(e *evaluation) *value {
		x, y := e.in(0), e.in(1)
		dims, ok := together(x, y)
		if !ok || x.dtype != y.dtype {
			return nil
		}
		n := max(x.len(), y.len())
		if min(x.len(), y.len()) == 0 {
			n = 0
		}
		v := newValue(x.dtype, dims, n)
		for k := range n {
			i, j := min(k, x.len()-1), min(k, y.len()-1)
			ok := x.knows(i) && y.knows(j)
			switch {
			case !ok:
			case v.ints != nil && onInt != nil:
				var r int64
				r, ok = onInt(x.ints[i], y.ints[j])
				v.ints[k] = wrap(v.dtype, r)
			case v.floats != nil && onFloat != nil:
				v.floats[k] = round(v.dtype, onFloat(x.floats[i], y.floats[j]))
			default:
				return nil
			}
			if !ok {
				v.forget(k)
			}
		}
		return v
	}
}

// together returns the shape of an elementwise result of x and y, ok false if their
// elements do not go one to one or one to all.
func together(x, y *value) (dims []int64, ok bool) {
	if x == nil || y == nil {
		return nil, false
	}
	s, err := broadcast(Of(x.dims...), Of(y.dims...))
	if err != nil {
		return nil, false
	}
	n, err := s.NumElements()
	ok = err == nil && (int64(x.len()) == n || x.len() == 1) && (int64(y.len()) == n || y.len() == 1)
	return s.Dims(), ok
}

// compare makes booleans of the order of the elements of both inputs.
//
//go:noinline
func compare(holds func(order int) bool) evalFunc {
	return func(e *evaluation) *value {
		x, y := e.in(0), e.in(1)
		dims, ok := together(x, y)
		if !ok || x.dtype != y.dtype || x.ints == nil {
			return nil
		}
		n := max(x.len(), y.len())
		if min(x.len(), y.len()) == 0 {
			n = 0
		}
		v := newValue(tensor.Bool, dims, n)
		for k := range n {
			i, j := min(k, x.len()-1), min(k, y.len()-1)
			if !x.knows(i) || !y.knows(j) {
				v.forget(k)
				continue
			}
			order := 0
			if a, b := x.ints[i], y.ints[j]; a < b {
				order = -1
			} else if a > b {
				order = 1
			}
			v.ints[k] = truth(holds(order))
		}
		return v
	}
}

func evalCast(e *evaluation) *value {
	x := e.in(0)
	if x == nil {
		return nil
	}
	v := newValue(e.outType(), x.dims, x.len())
	if v == nil {
		return nil
	}
	v.loose, v.packed = x.loose, x.packed
	for k := range x.len() {
		ok := x.knows(k)
		switch {
		case !ok:
		case x.ints != nil && v.ints != nil:
			v.ints[k] = wrap(v.dtype, x.ints[k])
		case x.ints != nil:
			v.floats[k] = round(v.dtype, float64(x.ints[k]))
		case v.floats != nil:
			v.floats[k] = round(v.dtype, x.floats[k])
		case v.dtype == tensor.Bool:
			v.ints[k] = truth(x.floats[k] != 0)
		default:
			v.ints[k], ok = truncate(v.dtype, x.floats[k])
		}
		if !ok {
			v.forget(k)
		}
	}
	return v
}

// evalSelect is for a condition that is a scalar or has the shape of both
// others.
func evalSelect(e *evaluation) *value {
	cond, x, y := e.in(0), e.operand(1), e.operand(2)
	if cond == nil || cond.ints == nil || x == nil || y == nil || x.dtype != y.dtype ||
		!Equal(Of(x.dims...), Of(y.dims...)) ||
		len(cond.dims) > 0 && !Equal(Of(cond.dims...), Of(x.dims...)) {
		return nil
	}
	v := newValue(x.dtype, x.dims, x.len())
	for k := range v.len() {
		switch c := min(k, cond.len()-1); {
		case !cond.knows(c):
			v.forget(k)
		case cond.ints[c] != 0:
			v.copy(k, x, k)
		default:
			v.copy(k, y, k)
		}
	}
	return v
}

// reduce folds all elements of an integer input into one.
//
//go:noinline
func reduce(f func(a, b int64) (int64, bool), start int64) evalFunc {
	return func(e *evaluation) *value {
		x := e.in(0)
		dims, ok := e.outShape(1)
		if !ok || x == nil || x.ints == nil || x.len() == 0 && start != 0 && start != 1 {
			return nil
		}
		v := newValue(x.dtype, dims, 1)
		v.ints[0] = start
		for k, a := range x.ints {
			if !x.knows(k) {
				v.forget(0)
				break
			}
			r, _ := f(v.ints[0], a)
			v.ints[0] = wrap(v.dtype, r)
		}
		return v
	}
}
