package programs

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// A reduction is an operation over axes of a tensor. Params are whether the
// axes stay as 1, and the axes.
type reduction struct {
	name  string
	types []tensor.DType
	begin func(dt tensor.DType) (number, bool) // false: an empty one is unclear
	f     func(dt tensor.DType, a, x number) number
	op    *Op
}

func startAt(x float64) func(tensor.DType) (number, bool) {
	return func(dt tensor.DType) (number, bool) { return of(dt, x), true }
}

func startNowhere(tensor.DType) (number, bool) { return number{}, false }

var reductions = []*reduction{
	{name: "Sum", types: numbers, begin: startAt(0), f: sum},
	{name: "Prod", types: slices.Concat(ints, []tensor.DType{tensor.Float, tensor.Double}), begin: startAt(1), f: prodOfTwo},
	{name: "Max", types: reals, begin: startNowhere, f: func(dt tensor.DType, a, x number) number {
		clearOf(a, x)
		return pick(less(dt, a, x), x, a)
	}},
	{name: "Min", types: reals, begin: startNowhere, f: func(dt tensor.DType, a, x number) number {
		clearOf(a, x)
		return pick(less(dt, x, a), x, a)
	}},
	{name: "Any", types: bools, begin: startAt(0), f: func(dt tensor.DType, a, x number) number { return number{i: a.i | x.i} }},
	{name: "All", types: bools, begin: startAt(1), f: func(dt tensor.DType, a, x number) number { return number{i: a.i & x.i} }},
}

func init() {
	for _, r := range reductions {
		r.op = &Op{Name: r.name, eval: r.eval, lower: func(s *scope, a *Apply) []output {
			return s.apply(a, r.name, attrs{"keep_dims": a.Params[0] == 1}, s.args(a), s.ints(a.Params[1:]))
		}}
	}
}

func (r *reduction) eval(a *Apply, in []Value) []Value {
	x := in[0].(*Array)
	axes := a.Params[1:]
	stays := make([]int, len(x.Dims)) // with the axes as 1
	for i, d := range x.Dims {
		stays[i] = pick(slices.Contains(axes, i), 1, d)
	}
	o := newArray(x.Type, stays)
	start, ok := r.begin(x.Type)
	if !ok && len(x.elems) == 0 {
		panic(unclear("the largest of nothing"))
	}
	for i := range o.elems {
		o.elems[i] = start
	}
	begun := make([]bool, len(o.elems))
	to := make([]int, len(x.Dims))
	eachIndex(x.Dims, func(k int, index []int) {
		for i := range to {
			to[i] = min(index[i], stays[i]-1)
		}
		at := place(stays, to)
		if !ok && !begun[at] {
			o.elems[at] = x.elems[k]
		} else {
			o.elems[at] = r.f(x.Type, o.elems[at], x.elems[k])
		}
		begun[at] = true
	})
	if !ok {
		r.share(x, o, stays)
	}
	return []Value{&Array{x.Type, reduced(x.Dims, axes, a.Params[0] == 1), o.elems}}
}

// reduced returns the dimensions that a reduction leaves.
func reduced(dims, axes []int, keep bool) []int {
	var out []int
	for i, d := range dims {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, d)
		case keep:
			out = append(out, 1)
		}
	}
	return out
}

// argMax is ArgMax along Params[0], int64 or, if Params[1] is 1, int32.
var argMax = &Op{Name: "ArgMax",
	eval: func(a *Apply, in []Value) []Value {
		x, axis := in[0].(*Array), a.Params[0]
		if x.Dims[axis] == 0 {
			panic(unclear("the largest of nothing"))
		}
		clearOf(x.elems...)
		dims := reduced(x.Dims, []int{axis}, false)
		o := newArray(pick(a.Params[1] == 1, tensor.Int32, tensor.Int64), dims)
		at := func(index []int, i int) number {
			return x.elems[place(x.Dims, slices.Insert(slices.Clone(index), axis, i))]
		}
		eachIndex(dims, func(k int, index []int) {
			best := 0
			for i := range x.Dims[axis] {
				if less(x.Type, at(index, best), at(index, i)) {
					best = i
				}
			}
			o.elems[k].i = int64(best)
		})
		return []Value{o}
	},
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, "ArgMax", attrs{"output_type": s.type1(a.To[0])}, s.args(a), s.int(a.Params[0]))
	},
}

// matMul is MatMul; Params say which argument is transposed.
var matMul = &Op{Name: "MatMul",
	eval: func(a *Apply, in []Value) []Value {
		x, y := in[0].(*Array), in[1].(*Array)
		if a.Params[0] == 1 {
			x = transposed(x, []int{1, 0})
		}
		if a.Params[1] == 1 {
			y = transposed(y, []int{1, 0})
		}
		n, m, l := x.Dims[0], y.Dims[1], x.Dims[1]
		if l != y.Dims[0] {
			panic(unclear("matrices"))
		}
		o := newArray(x.Type, []int{n, m})
		for i := range n {
			for j := range m {
				for k := range l {
					o.elems[i*m+j] = sum(x.Type, o.elems[i*m+j], exactProduct(x.Type, x.elems[i*l+k], y.elems[k*m+j]))
				}
			}
		}
		return []Value{o}
	},
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, "MatMul", attrs{"transpose_a": a.Params[0] == 1, "transpose_b": a.Params[1] == 1}, s.args(a))
	},
}
