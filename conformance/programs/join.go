package programs

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// part is n places of x along an axis.
func slab(x *Array, axis, begin, n int) *Array {
	dims := slices.Clone(x.Dims)
	dims[axis] = n
	return pull(x, dims, func(index, src []int) {
		copy(src, index)
		src[axis] += begin
	})
}

func joined(axis int, list []Value) *Array {
	dims := slices.Clone(list[0].(*Array).Dims)
	dims[axis] = 0
	for _, v := range list {
		d := v.(*Array).Dims
		for i := range d {
			if i != axis && d[i] != dims[i] {
				panic(unclear("shapes of Concat"))
			}
		}
		dims[axis] += d[axis]
	}
	o := newArray(list[0].(*Array).Type, dims)
	at := 0
	for _, v := range list {
		x := v.(*Array)
		to := make([]int, len(dims))
		eachIndex(x.Dims, func(k int, index []int) {
			copy(to, index)
			to[axis] += at
			o.elems[place(dims, to)] = x.elems[k]
		})
		at += x.Dims[axis]
	}
	return o
}

// unstacked returns the slices of x along an axis.
func unstacked(x *Array, axis int) []Value {
	out := make([]Value, x.Dims[axis])
	for i := range out {
		out[i] = as(slab(x, axis, i, 1), reduced(x.Dims, []int{axis}, false))
	}
	return out
}

func stacked(list []*Array, axis int, of Type) *Array {
	if len(list) == 0 {
		return newArray(of.DType, slices.Insert(slices.Clone(of.Dims), axis, 0))
	}
	rows := make([]Value, len(list))
	for i, x := range list {
		rows[i] = as(x, slices.Insert(slices.Clone(x.Dims), axis, 1))
	}
	return joined(axis, rows)
}

// concat is ConcatV2, pack Pack, along Params[0]; split is Split into
// Params[1] parts, splitV SplitV into parts of the sizes Params[1:], unpack Unpack.
var (
	concat = &Op{Name: "ConcatV2",
		eval: func(a *Apply, in []Value) []Value { return []Value{joined(a.Params[0], in)} },
		lower: func(s *scope, a *Apply) []output {
			return s.apply(a, "ConcatV2", nil, outputList(s.args(a)), s.int(a.Params[0]))
		},
	}
	pack = &Op{Name: "Pack",
		eval: func(a *Apply, in []Value) []Value {
			list := make([]*Array, len(in))
			for i, v := range in {
				if list[i] = v.(*Array); !slices.Equal(list[i].Dims, list[0].Dims) {
					panic(unclear("shapes of Pack"))
				}
			}
			return []Value{stacked(list, a.Params[0], Type{})}
		},
		lower: func(s *scope, a *Apply) []output {
			return s.apply(a, "Pack", attrs{"axis": int64(a.Params[0])}, outputList(s.args(a)))
		},
	}
	split = &Op{Name: "Split",
		eval: func(a *Apply, in []Value) []Value {
			x, axis, n := in[0].(*Array), a.Params[0], a.Params[1]
			out := make([]Value, n)
			for i := range out {
				out[i] = slab(x, axis, i*x.Dims[axis]/n, x.Dims[axis]/n)
			}
			return out
		},
		lower: func(s *scope, a *Apply) []output {
			return s.apply(a, "Split", attrs{"num_split": int64(a.Params[1])}, s.int(a.Params[0]), s.use(a.Args[0]))
		},
	}
	splitV = &Op{Name: "SplitV",
		eval: func(a *Apply, in []Value) []Value {
			x, at := in[0].(*Array), 0
			var out []Value
			for _, n := range a.Params[1:] {
				out = append(out, slab(x, a.Params[0], at, n))
				at += n
			}
			return out
		},
		lower: func(s *scope, a *Apply) []output {
			return s.apply(a, "SplitV", attrs{"num_split": int64(len(a.Params) - 1)}, s.use(a.Args[0]), s.ints(a.Params[1:]), s.int(a.Params[0]))
		},
	}
	unpack = &Op{Name: "Unpack",
		eval: func(a *Apply, in []Value) []Value { return unstacked(in[0].(*Array), a.Params[0]) },
		lower: func(s *scope, a *Apply) []output {
			return s.apply(a, "Unpack", attrs{"axis": int64(a.Params[0]), "num": int64(len(a.To))}, s.args(a))
		},
	}
)

// gather is GatherV2 along Params[0] with indices of a vector or a scalar. With a Params[1] it
// is a scalar inside of a vector, and written as front ends write x[i]: StridedSlice from i to
// i+1, packed to vectors.
var gather = &Op{Name: "GatherV2",
	eval: func(a *Apply, in []Value) []Value {
		x, at, axis := in[0].(*Array), in[1].(*Array), a.Params[0]
		if len(a.Params) > 1 { // from the end, too, if it is fed such an index
			i, n := at.Int(), x.Dims[0]
			if i < -n || i >= n {
				panic(thrown{status.InvalidArgument, fmt.Sprintf("slice index %d of dimension 0 out of bounds.", i), "StridedSlice"})
			}
			return []Value{pull(x, nil, func(_, src []int) { src[0] = (i + n) % n })}
		}
		for k, i := range at.elems {
			if i.i < 0 || int(i.i) >= x.Dims[axis] {
				where := fmt.Sprintf("[%d]", k)
				if len(at.Dims) == 0 {
					where = ""
				}
				panic(thrown{status.InvalidArgument, fmt.Sprintf("indices%s = %d is not in [0, %d)", where, i.i, x.Dims[axis]), "GatherV2"})
			}
		}
		dims := slices.Concat(x.Dims[:axis], at.Dims, x.Dims[axis+1:])
		r := len(at.Dims)
		return []Value{pull(x, dims, func(index, src []int) {
			copy(src, index[:axis])
			src[axis] = int(at.elems[place(at.Dims, index[axis:axis+r])].i)
			copy(src[axis+1:], index[axis+r:])
		})}
	},
	lower: func(s *scope, a *Apply) []output {
		if len(a.Params) > 1 {
			i := s.use(a.Args[1])
			end := s.op("AddV2", nil, i, s.int(1))
			vector := func(x output) output { return s.op("Pack", attrs{"axis": int64(0)}, outputList{x}) }
			return s.apply(a, "StridedSlice", attrs{"shrink_axis_mask": int64(1)}, s.use(a.Args[0]), vector(i), vector(end), s.ints([]int{1}))
		}
		return s.apply(a, "GatherV2", nil, s.args(a), s.int(a.Params[0]))
	},
}

// rangeOf is Range from 0 to an int32.
var rangeOf = &Op{Name: "Range",
	eval: func(a *Apply, in []Value) []Value {
		n := max(0, in[0].(*Array).Int())
		if n > 64 {
			panic(unclear("a long range"))
		}
		o := newArray(tensor.Int32, []int{n})
		for i := range o.elems {
			o.elems[i].i = int64(i)
		}
		return []Value{o}
	},
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, "Range", nil, s.int(0), s.op("Maximum", nil, s.use(a.Args[0]), s.int(0)), s.int(1))
	},
}

// check is x, provided that a bool holds: an Assert before an Identity. The
// error tells the number that is the third argument.
var check = &Op{Name: "Check",
	eval: func(a *Apply, in []Value) []Value {
		if !in[1].(*Array).True() {
			panic(thrown{status.InvalidArgument, fmt.Sprintf("assertion failed: [of %v] [%d]", a.To[0], in[2].(*Array).Int()), "Assert"})
		}
		return in[:1]
	},
	lower: func(s *scope, a *Apply) []output {
		in := s.args(a)
		first := control{s.after(in[0], nil).Op} // an error says nothing of what waits for x
		s.apply(a, "Assert", nil, in[1], outputList{s.constant("of " + a.To[0].String()), in[2]}, first)
		return []output{s.after(in[0], s.last)}
	},
}
