package programs

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// listNew is a list of Params[0] zeros, made empty if there are none. The others
// of Params are the element type and the dimensions.
var listNew = &Op{Name: "TensorList",
	eval: func(a *Apply, in []Value) []Value {
		of := tensorType(tensor.DType(a.Params[1]), a.Params[2:]...)
		l := &Items{Of: of}
		for range a.Params[0] {
			l.list = append(l.list, newArray(of.DType, of.Dims))
		}
		return []Value{l}
	},
	lower: func(s *scope, a *Apply) []output {
		t := s.l.p.Types[a.To[0]]
		shape := s.ints(t.Dims)
		if a.Params[0] == 0 {
			return s.apply(a, "EmptyTensorList", attrs{"element_dtype": t.DType}, shape, s.int(-1))
		}
		return s.apply(a, "TensorListReserve", attrs{"element_dtype": t.DType}, shape, s.int(a.Params[0]))
	},
}

// listPush is a list with one more element.
var listPush = &Op{Name: "TensorListPushBack",
	eval: func(a *Apply, in []Value) []Value {
		l := in[0].(*Items)
		return []Value{&Items{l.Of, append(slices.Clone(l.list), l.fitting(in[1].(*Array)))}}
	},
	lower: plain,
}

// listPop is a list without its last element, and that element.
var listPop = &Op{Name: "TensorListPopBack",
	eval: func(a *Apply, in []Value) []Value {
		l := in[0].(*Items)
		n := len(l.list) - 1
		return []Value{&Items{l.Of, l.list[:n:n]}, l.list[n]}
	},
	lower: func(s *scope, a *Apply) []output {
		t := s.l.p.Types[a.To[1]]
		return s.apply(a, "TensorListPopBack", attrs{"element_dtype": t.DType}, s.use(a.Args[0]), s.ints(t.Dims))
	},
}

// listSet is a list with another element at a place, which is taken modulo the
// length, listGet the element there.
var listSet = &Op{Name: "TensorListSetItem",
	eval: func(a *Apply, in []Value) []Value {
		l := in[0].(*Items)
		list := slices.Clone(l.list)
		list[modulo(in[1].(*Array).Int(), len(list))] = l.fitting(in[2].(*Array))
		return []Value{&Items{l.Of, list}}
	},
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, "TensorListSetItem", nil, s.use(a.Args[0]), s.modulo(a.Args[1], s.l.p.Types[a.Args[0]].Len), s.use(a.Args[2]))
	},
}

var listGet = &Op{Name: "TensorListGetItem",
	eval: func(a *Apply, in []Value) []Value {
		l := in[0].(*Items)
		return []Value{l.list[modulo(in[1].(*Array).Int(), len(l.list))]}
	},
	lower: func(s *scope, a *Apply) []output {
		t := s.l.p.Types[a.To[0]]
		return s.apply(a, "TensorListGetItem", attrs{"element_dtype": t.DType}, s.use(a.Args[0]),
			s.modulo(a.Args[1], s.l.p.Types[a.Args[0]].Len), s.ints(t.Dims))
	},
}

// fitting is x, which is to be an element of l. A branch may have given a list for
// elements of another shape, which refuses it.
func (l *Items) fitting(x *Array) *Array {
	for i, d := range l.Of.Dims {
		if len(x.Dims) != len(l.Of.Dims) || d >= 0 && d != x.Dims[i] {
			panic(unclear("a list for elements of another shape"))
		}
	}
	return x
}

func modulo(i, n int) int { return ((i % n) + n) % n }

// modulo returns an index within n places.
func (s *scope) modulo(v Var, n int) output {
	return s.op("FloorMod", nil, s.use(v), s.int(n))
}

// listStack is the elements as one tensor, listLength their number.
var (
	listStack = &Op{Name: "TensorListStack",
		eval: func(a *Apply, in []Value) []Value {
			l := in[0].(*Items)
			return []Value{stacked(l.list, 0, l.Of)}
		},
		lower: func(s *scope, a *Apply) []output {
			t := s.l.p.Types[a.To[0]]
			return s.apply(a, "TensorListStack", attrs{"element_dtype": t.DType}, s.use(a.Args[0]), s.ints(t.Dims[1:]))
		},
	}
	listLength = &Op{Name: "TensorListLength",
		eval:  func(a *Apply, in []Value) []Value { return []Value{scalarInt(len(in[0].(*Items).list))} },
		lower: plain,
	}
	// listFrom is the rows of a tensor.
	listFrom = &Op{Name: "TensorListFromTensor",
		eval: func(a *Apply, in []Value) []Value {
			x := in[0].(*Array)
			l := &Items{Of: Type{DType: x.Type, Dims: x.Dims[1:]}}
			for _, row := range unstacked(x, 0) {
				l.list = append(l.list, row.(*Array))
			}
			return []Value{l}
		},
		lower: func(s *scope, a *Apply) []output {
			return s.apply(a, "TensorListFromTensor", nil, s.use(a.Args[0]), s.ints(s.l.p.Types[a.To[0]].Dims))
		},
	}
)

func graphShape(dims []int) graph.Shape {
	d := make([]int64, len(dims))
	for i, n := range dims {
		d[i] = int64(n)
	}
	if len(d) == 0 {
		return graph.ScalarShape()
	}
	return graph.MakeShape(d...)
}
