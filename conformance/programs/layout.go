package programs

import (
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

func transposed(x *Array, perm []int) *Array {
	dims := make([]int, len(perm))
	for i, p := range perm {
		dims[i] = x.Dims[p]
	}
	return pull(x, dims, func(index, src []int) {
		for i, p := range perm {
			src[p] = index[i]
		}
	})
}

// as is x's elements under other dimensions; -1 is what is left over.
func as(x *Array, dims []int) *Array {
	dims = slices.Clone(dims)
	n := 1
	for _, d := range dims {
		n *= max(d, -d)
	}
	if i := slices.Index(dims, -1); i >= 0 {
		if n == 0 || len(x.elems)%n != 0 {
			panic(unclear("a dimension that may be any"))
		}
		dims[i] = len(x.elems) / n
	}
	if product(dims) != len(x.elems) {
		panic(unclear("a reshape"))
	}
	return &Array{x.Type, dims, x.elems}
}

// reshape is Reshape to Params.
var reshape = &Op{Name: "Reshape",
	eval:  func(a *Apply, in []Value) []Value { return []Value{as(in[0].(*Array), a.Params)} },
	lower: func(s *scope, a *Apply) []output { return s.apply(a, "Reshape", nil, s.args(a), s.ints(a.Params)) },
}

// reshapeLike is Reshape to what a Shape of the second argument says.
var reshapeLike = &Op{Name: "ReshapeLike",
	eval: func(a *Apply, in []Value) []Value { return []Value{as(in[0].(*Array), in[1].(*Array).Dims)} },
	lower: func(s *scope, a *Apply) []output {
		in := s.args(a)
		return s.apply(a, "Reshape", nil, in[0], s.op("Shape", nil, in[1]))
	},
}

// squeeze is Squeeze of the dimensions Params, expandDims ExpandDims at Params[0].
var (
	squeeze = &Op{Name: "Squeeze",
		eval: func(a *Apply, in []Value) []Value {
			x := in[0].(*Array)
			return []Value{as(x, reduced(x.Dims, a.Params, false))}
		},
		lower: func(s *scope, a *Apply) []output {
			dims := make([]int64, len(a.Params))
			for i, d := range a.Params {
				dims[i] = int64(d)
			}
			return s.apply(a, "Squeeze", attrs{"squeeze_dims": dims}, s.args(a))
		},
	}
	expandDims = &Op{Name: "ExpandDims",
		eval: func(a *Apply, in []Value) []Value {
			x := in[0].(*Array)
			return []Value{as(x, slices.Insert(slices.Clone(x.Dims), a.Params[0], 1))}
		},
		lower: func(s *scope, a *Apply) []output {
			return s.apply(a, "ExpandDims", nil, s.args(a), s.int(a.Params[0]))
		},
	}
	identity = &Op{Name: "Identity",
		eval:  func(a *Apply, in []Value) []Value { return []Value{in[0]} },
		lower: func(s *scope, a *Apply) []output { return s.apply(a, "Identity", nil, s.args(a)) },
	}
	identityN = &Op{Name: "IdentityN",
		eval:  func(a *Apply, in []Value) []Value { return in },
		lower: func(s *scope, a *Apply) []output { return s.apply(a, "IdentityN", nil, outputList(s.args(a))) },
	}
	transpose = &Op{Name: "Transpose",
		eval:  func(a *Apply, in []Value) []Value { return []Value{transposed(in[0].(*Array), a.Params)} },
		lower: func(s *scope, a *Apply) []output { return s.apply(a, "Transpose", nil, s.args(a), s.ints(a.Params)) },
	}
	// reverse is ReverseV2 of the axes Params.
	reverse = &Op{Name: "ReverseV2",
		eval: func(a *Apply, in []Value) []Value {
			x := in[0].(*Array)
			return []Value{pull(x, x.Dims, func(index, src []int) {
				copy(src, index)
				for _, axis := range a.Params {
					src[axis] = x.Dims[axis] - 1 - index[axis]
				}
			})}
		},
		lower: func(s *scope, a *Apply) []output { return s.apply(a, "ReverseV2", nil, s.args(a), s.ints(a.Params)) },
	}
	// tile is Tile by Params.
	tile = &Op{Name: "Tile",
		eval: func(a *Apply, in []Value) []Value {
			x := in[0].(*Array)
			dims := make([]int, len(x.Dims))
			for i, d := range x.Dims {
				dims[i] = d * a.Params[i]
			}
			return []Value{pull(x, dims, func(index, src []int) {
				for i, d := range x.Dims {
					src[i] = index[i] % d
				}
			})}
		},
		lower: func(s *scope, a *Apply) []output { return s.apply(a, "Tile", nil, s.args(a), s.ints(a.Params)) },
	}
	// broadcastTo is BroadcastTo the dimensions Params.
	broadcastTo = &Op{Name: "BroadcastTo",
		eval:  func(a *Apply, in []Value) []Value { return []Value{spread(in[0].(*Array), a.Params)} },
		lower: func(s *scope, a *Apply) []output { return s.apply(a, "BroadcastTo", nil, s.args(a), s.ints(a.Params)) },
	}
	// fill is Fill of the dimensions Params.
	fill = &Op{Name: "Fill",
		eval:  func(a *Apply, in []Value) []Value { return []Value{spread(in[0].(*Array), a.Params)} },
		lower: func(s *scope, a *Apply) []output { return s.apply(a, "Fill", nil, s.ints(a.Params), s.use(a.Args[0])) },
	}
	shapeOf = &Op{Name: "Shape",
		eval: func(a *Apply, in []Value) []Value {
			x := in[0].(*Array)
			o := newArray(tensor.Int32, []int{len(x.Dims)})
			for i, d := range x.Dims {
				o.elems[i].i = int64(d)
			}
			return []Value{o}
		},
		lower: plain,
	}
	sizeOf = &Op{Name: "Size",
		eval:  func(a *Apply, in []Value) []Value { return []Value{scalarInt(len(in[0].(*Array).elems))} },
		lower: plain,
	}
)

// slice is Slice: Params are begin, then sizes, of which -1 means the rest.
var slice = &Op{Name: "Slice",
	eval: func(a *Apply, in []Value) []Value {
		x := in[0].(*Array)
		r := len(x.Dims)
		begin, dims := a.Params[:r], slices.Clone(a.Params[r:])
		for i := range dims {
			if dims[i] < 0 {
				dims[i] = x.Dims[i] - begin[i]
			}
			if begin[i]+dims[i] > x.Dims[i] || dims[i] < 0 {
				panic(unclear("a slice outside"))
			}
		}
		return []Value{pull(x, dims, func(index, src []int) {
			for i := range src {
				src[i] = begin[i] + index[i]
			}
		})}
	},
	lower: func(s *scope, a *Apply) []output {
		r := len(a.Params) / 2
		return s.apply(a, "Slice", nil, s.args(a), s.ints(a.Params[:r]), s.ints(a.Params[r:]))
	},
}

// stridedSlice is StridedSlice as x[b:e:s] of the first dimension, cut to what
// is there, or x[b]: Params are begin, end, stride, and whether the dimension goes.
var stridedSlice = &Op{Name: "StridedSlice",
	eval: func(a *Apply, in []Value) []Value {
		x := in[0].(*Array)
		b, n := stridden(a.Params, x.Dims[0])
		dims := slices.Clone(x.Dims)
		dims[0] = n
		o := pull(x, dims, func(index, src []int) {
			copy(src, index)
			src[0] = b + index[0]*a.Params[2]
		})
		if a.Params[3] == 1 {
			if b < 0 || b >= x.Dims[0] {
				panic(unclear("an index outside"))
			}
			o = as(o, o.Dims[1:])
		}
		return []Value{o}
	},
	lower: func(s *scope, a *Apply) []output {
		p := a.Params
		attr := attrs{"shrink_axis_mask": int64(p[3])}
		return s.apply(a, "StridedSlice", attr, s.args(a), s.ints(p[:1]), s.ints(p[1:2]), s.ints(p[2:3]))
	},
}

// stridden returns where b:e:s of n elements begins, and how many it takes: as
// Python has it.
func stridden(p []int, n int) (begin, count int) {
	at := func(i, lo, hi int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, lo), hi)
	}
	if p[3] == 1 {
		if p[0] < 0 {
			return p[0] + n, 1
		}
		return p[0], min(1, n)
	}
	if p[2] > 0 {
		b, e := at(p[0], 0, n), at(p[1], 0, n)
		return b, max(0, (e-b+p[2]-1)/p[2])
	}
	b, e := at(p[0], -1, n-1), at(p[1], -1, n-1)
	return b, max(0, (b-e-p[2]-1)/-p[2])
}
