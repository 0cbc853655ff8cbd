package all

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A trial is an operation with a type for the inputs and one for the outputs that do not
// follow from those.
type trial struct {
	def     *registry.OpDef
	in, out tensor.DType
}

var types = []tensor.DType{tensor.Float, tensor.Double, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Int8, tensor.Bool, tensor.Complex64}

// trials lists an operation with each of the types that it runs with; none for one that
// is not a function of its inputs, or has a list of inputs or several outputs.
func trials(d *registry.OpDef) (list []trial) {
	if d.Stateful || d.Is(registry.Impure) || graph.ClassOf(d.Name) != graph.ClassOther || len(d.Inputs) == 0 || len(d.Outputs) != 1 {
		return nil
	}
	for _, a := range slices.Concat(d.Inputs, d.Outputs) {
		if a.IsRef || a.IsList() {
			return nil
		}
	}
	for _, in := range types {
		for _, out := range types {
			t := trial{d, in, out}
			if len(t.attrs()) == 0 && in != out {
				continue
			}
			inputs := t.inputs(plain, nil)
			if slices.Contains(inputs, nil) {
				continue
			}
			given := make([]tensor.DType, len(inputs))
			for i, x := range inputs {
				given[i] = x.DType()
			}
			if _, _, err := kerneltest.New("node", d.Name, t.attrs(), given...); err == nil {
				list = append(list, t)
			}
		}
	}
	return list
}

// attrs are the types that do not follow from the inputs.
func (t trial) attrs() (attrs registry.Attrs) {
	for _, a := range t.def.Attrs {
		follows := slices.ContainsFunc(t.def.Inputs, func(x registry.ArgDef) bool { return x.TypeAttr == a.Name })
		if a.Kind == registry.KindType && a.Default == nil && !follows {
			attrs = append(attrs, registry.NamedAttr{Name: a.Name, Value: registry.AttrValue{Kind: registry.KindType, Type: t.out}})
		}
	}
	return attrs
}

func (t trial) run(in []*tensor.Tensor) (*tensor.Tensor, error) {
	out, err := kerneltest.Run(t.def.Name, t.attrs(), in...)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// plain numbers are in the domain of every function; special ones are not.
var (
	plain   = []float64{1, 2, .5, 1, 2, .25}
	special = []float64{0, math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e30, -1e30, math.Copysign(0, -1), .5, 1}
)

// inputs returns a tensor of some of the numbers for each input, of a shape of its own or of
// the last one given.
func (t trial) inputs(numbers []float64, shapes ...[]int64) []*tensor.Tensor {
	in := make([]*tensor.Tensor, len(t.def.Inputs))
	for i := range in {
		dt := t.def.Inputs[i].Type
		if dt == 0 {
			dt = t.in
		}
		in[i] = numbersOf(dt, numbers, i, shapes[min(i, len(shapes)-1)])
	}
	return in
}

// numbersOf returns a tensor that begins with the given one of the numbers; nil of a type
// without numbers.
func numbersOf(dt tensor.DType, numbers []float64, from int, dims []int64) *tensor.Tensor {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = numbers[(i+from)%len(numbers)]
	}
	switch dt {
	case tensor.Float:
		return fill(x, dims, func(x float64) float32 { return float32(x) })
	case tensor.Double:
		return fill(x, dims, func(x float64) float64 { return x })
	case tensor.Int32:
		return fill(x, dims, func(x float64) int32 { return int32(whole(x)) })
	case tensor.Int64:
		return fill(x, dims, whole)
	case tensor.Uint8:
		return fill(x, dims, func(x float64) uint8 { return uint8(whole(x)) })
	case tensor.Int8:
		return fill(x, dims, func(x float64) int8 { return int8(whole(x)) })
	case tensor.Bool:
		return fill(x, dims, func(x float64) bool { return x >= 1 })
	case tensor.Complex64:
		return fill(x, dims, func(x float64) complex64 {
			if !(math.Abs(x) < 10) { // how large or infinite parts are rounded is not defined
				x = 0
			}
			return complex(float32(x), 1)
		})
	}
	return nil
}

// whole returns an integer for a number, not 0 for plain ones: for what is none, the least
// and the greatest.
func whole(x float64) int64 {
	x *= 4
	switch {
	case x != x || x < math.MinInt64:
		return math.MinInt64
	case x > math.MaxInt64:
		return math.MaxInt64
	}
	return int64(x)
}

func fill[T tensor.Element](x []float64, dims []int64, of func(float64) T) *tensor.Tensor {
	y := make([]T, len(x))
	for i := range x {
		y[i] = of(x[i])
	}
	t, err := tensor.FromSlice(y, dims...)
	if err != nil {
		panic(err)
	}
	return t
}

// elementwise reports whether the operation makes of tensors what it makes of the scalars in
// them, one after another.
func (t trial) elementwise() bool {
	dims := []int64{2, 1, 3}
	whole, err := t.run(t.inputs(plain, dims))
	if err != nil || !slices.Equal(whole.Dims(), dims) {
		return false
	}
	for i := range whole.NumElements() {
		in := t.inputs(slices.Concat(plain[i:], plain[:i]), nil)
		one, err := t.run(in)
		if err != nil || len(one.Dims()) != 0 || !near(one.ElementText(0), whole.ElementText(i)) {
			return false
		}
	}
	return true
}

// near reports whether elements are the same, or numbers that are: loops over many elements
// may compute by another formula.
func near(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && math.Abs(x-y) <= 1e-5*math.Abs(x)
}

// scalar reports whether the operation makes a scalar of tensors of any shape.
func (t trial) scalar() bool {
	for _, dims := range [][]int64{nil, {3}, {2, 3}, {1, 2, 3, 1}} {
		if out, err := t.run(t.inputs(plain, dims)); err != nil || len(out.Dims()) != 0 {
			return false
		}
	}
	return true
}

// total reports whether the operation of one or two inputs fails on no numbers, whatever
// shapes that broadcast these have.
func (t trial) total() bool {
	n := int64(len(special))
	for _, shapes := range [][][]int64{{nil}, {{n}}, {{2, n}, {n}}, {nil, {n}}, {{n, 1}, {2, 1, n}}, {{0}}, {{2, 1, n, 1}}} {
		for i := range special {
			if _, err := t.run(t.inputs(slices.Concat(special[i:], special[:i]), shapes...)); err != nil || len(t.def.Inputs) > 2 {
				return false
			}
		}
	}
	return true
}

// fusible reports whether chains of elementwise operations can have the operation.
func (t trial) fusible() bool {
	in := slices.Repeat([]tensor.DType{t.in}, len(t.def.Inputs))
	args := make([]int, len(in))
	k, out, err := kerneltest.New("node", t.def.Name, nil, in...)
	if err != nil || out[0] != t.in || len(t.def.Attrs) != 1 {
		return false
	}
	part := []elementwise.Part{{Node: "node", Op: t.def.Name, Kernel: k, In: args}}
	ok := false
	switch t.in {
	case tensor.Float:
		_, _, ok = elementwise.Links[float32](part)
	case tensor.Double:
		_, _, ok = elementwise.Links[float64](part)
	}
	return ok
}

// TestTraits runs every operation to see which traits it has, and compares those with
// what its definition declares: a new operation gets all that it can have, and none that
// it has not.
func TestTraits(t *testing.T) {
	for _, d := range registry.Global.Defs(true) {
		list := trials(d)
		if len(list) == 0 {
			continue
		}
		each := func(holds func(trial) bool) bool {
			return !slices.ContainsFunc(list, func(t trial) bool { return !holds(t) })
		}
		for _, c := range []struct {
			name  string
			trait registry.Traits
			has   bool
		}{
			{"Elementwise", registry.Elementwise, each(trial.elementwise)},
			{"Scalar", registry.Scalar, each(trial.scalar)},
			{"Total", registry.Total, each(trial.total) && d.Name != "Squeeze"}, // whose squeeze_dims may name a dimension that is not 1
			{"Fusible", registry.Fusible, slices.ContainsFunc(list, trial.fusible)},
		} {
			if declared := d.Is(c.trait); declared != c.has {
				t.Errorf("%s (%v): its definition says %s %v, and it behaves as if %v", d.Name, list[0].in, c.name, declared, c.has)
			}
		}
	}
}
