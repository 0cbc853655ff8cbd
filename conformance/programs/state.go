package programs

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// flow is the value of every flow.
var flow = scalar(tensor.Float, number{})

// Operations on objects take a handle first and a flow last. A variable's
// operations wait for the flow by a control edge.

// varRead gives the value of a variable, and the flow.
var varRead = &Op{Name: "Read",
	eval: func(a *Apply, in []Value) []Value { return []Value{in[0].(*Object).read(), flow} },
	lower: func(s *scope, a *Apply) []output {
		v, f := s.use(a.Args[0]), s.use(a.Args[1])
		op, attr := "ReadVariableOp", attrs{"dtype": s.type1(a.To[0])}
		if v.DataType().IsRef() { // which an Identity would share
			op, attr = "Snapshot", nil
		}
		x := s.applyAfter(a, f, op, attr, v)[0]
		return []output{x, s.after(f, s.last)}
	},
}

// varAssign and its kind change a variable, and give the flow.
var (
	varAssign = assignment("Assign", func(dt tensor.DType, old, x number) number { return x })
	varAdd    = assignment("AssignAdd", func(dt tensor.DType, old, x number) number {
		return fit(dt, number{i: old.i + x.i, re: old.re + x.re, im: old.im + x.im})
	})
	varSub = assignment("AssignSub", func(dt tensor.DType, old, x number) number {
		return fit(dt, number{i: old.i - x.i, re: old.re - x.re, im: old.im - x.im})
	})
)

func assignment(name string, f func(dt tensor.DType, old, x number) number) *Op {
	return &Op{Name: name,
		eval: func(a *Apply, in []Value) []Value {
			v, x := in[0].(*Object), in[1].(*Array)
			if !slices.Equal(x.Dims, v.now.Dims) {
				panic(unclear("the shape of a variable"))
			}
			v.now = zip(x.Type, v.now, x, func(old, x number) number { return f(v.Of.DType, old, x) })
			return []Value{flow}
		},
		lower: func(s *scope, a *Apply) []output {
			v, x, f := s.use(a.Args[0]), s.use(a.Args[1]), s.use(a.Args[2])
			op := name + "VariableOp"
			if v.DataType().IsRef() {
				op = name
			}
			s.applyAfter(a, f, op, nil, v, x)
			return []output{s.after(f, s.last)}
		},
	}
}

// varPlus adds to the value of a variable, or, if Params[0] is 1, to the second
// argument, what the other is, without changing either. It gives the flow as well.
// A reference goes into the addition itself.
var varPlus = &Op{Name: "Plus",
	eval: func(a *Apply, in []Value) []Value {
		x, y := together(in[0].(*Object).read(), in[1].(*Array))
		return []Value{zip(x.Type, x, y, func(p, q number) number {
			z := fit(x.Type, number{i: p.i + q.i, re: p.re + q.re, im: p.im + q.im})
			z.slope = p.slope.plus(1, q.slope, 1)
			return z
		}), flow}
	},
	lower: func(s *scope, a *Apply) []output {
		v, x, f := s.use(a.Args[0]), s.use(a.Args[1]), s.use(a.Args[2])
		if !v.DataType().IsRef() {
			v = s.op("ReadVariableOp", attrs{"dtype": s.type1(a.To[0])}, v, control{s.after(f, nil).Op})
		}
		if a.Params[0] == 1 {
			v, x = x, v
		}
		sum := s.applyAfter(a, f, "AddV2", nil, v, x)[0]
		return []output{sum, s.after(f, s.last)}
	},
}

// handle makes the node of a session's variable, and the one that initializes it.
func (s *scope) handle(v Session, of Type, form Form) (handle output, init *graph.Node) {
	name := "variable_" + v.Handle.String()
	a := attrs{"dtype": of.DType, "shape": graphShape(of.Dims), "shared_name": name}
	first := s.constant(v.Init)
	if of.Object == Reference && form == Frames {
		handle = s.l.add("VariableV2", name, nil, a).Output(0)
		return handle, s.l.add("Assign", name+"/init", []graph.Input{handle, first}, nil)
	}
	handle = s.l.add("VarHandleOp", name, nil, a).Output(0)
	return handle, s.l.add("AssignVariableOp", name+"/init", []graph.Input{handle, first}, nil)
}

// arrayNew makes a TensorArray of Params[0] elements, and its flow.
var arrayNew = &Op{Name: "TensorArray",
	eval: func(a *Apply, in []Value) []Value {
		return []Value{&Object{items: make([]*Array, a.Params[0])}, flow}
	},
	lower: func(s *scope, a *Apply) []output {
		t := s.l.p.Types[a.To[0]]
		return s.apply(a, "TensorArrayV3", attrs{"dtype": t.DType, "element_shape": graphShape(t.Dims),
			"clear_after_read": false, "identical_element_shapes": t.known()}, s.int(a.Params[0]))
	},
}

// arrayWrite writes an element; it gives the flow.
var arrayWrite = &Op{Name: "TensorArrayWrite",
	eval: func(a *Apply, in []Value) []Value {
		o, i := in[0].(*Object), in[1].(*Array).Int()
		if i < 0 || i >= len(o.items) || o.items[i] != nil {
			panic(unclear("a place of an array"))
		}
		o.items[i] = in[2].(*Array)
		return []Value{flow}
	},
	lower: func(s *scope, a *Apply) []output { return s.apply(a, "TensorArrayWriteV3", nil, s.args(a)) },
}

// arrayRead gives an element.
var arrayRead = &Op{Name: "TensorArrayRead",
	eval: func(a *Apply, in []Value) []Value {
		o, i := in[0].(*Object), in[1].(*Array).Int()
		if i < 0 || i >= len(o.items) || o.items[i] == nil {
			panic(unclear("a place of an array"))
		}
		return []Value{o.items[i]}
	},
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, "TensorArrayReadV3", attrs{"dtype": s.type1(a.To[0])}, s.args(a))
	},
}

// arrayGather stacks the elements Params.
var arrayGather = &Op{Name: "TensorArrayGather",
	eval: func(a *Apply, in []Value) []Value {
		var rows []*Array
		for _, i := range a.Params {
			x := in[0].(*Object).items[i]
			if x == nil || !slices.Equal(x.Dims, in[0].(*Object).items[a.Params[0]].Dims) {
				panic(unclear("elements of an array"))
			}
			rows = append(rows, x)
		}
		return []Value{stacked(rows, 0, Type{})}
	},
	lower: func(s *scope, a *Apply) []output {
		t := s.l.p.Types[a.To[0]]
		return s.apply(a, "TensorArrayGatherV3", attrs{"dtype": t.DType, "element_shape": graphShape(t.Dims[1:])},
			s.use(a.Args[0]), s.ints(a.Params), s.use(a.Args[1]))
	},
}

// arrayScatter writes the rows of a tensor to the elements of an array; it
// gives the flow.
var arrayScatter = &Op{Name: "TensorArrayScatter",
	eval: func(a *Apply, in []Value) []Value {
		for i, x := range unstacked(in[1].(*Array), 0) {
			in[0].(*Object).items[i] = x.(*Array)
		}
		return []Value{flow}
	},
	lower: func(s *scope, a *Apply) []output {
		n := make([]int, s.l.p.Types[a.Args[0]].Len)
		for i := range n {
			n[i] = i
		}
		return s.apply(a, "TensorArrayScatterV3", nil, s.use(a.Args[0]), s.ints(n), s.use(a.Args[1]), s.use(a.Args[2]))
	},
}

// stackNew makes a stack, and its flow.
var stackNew = &Op{Name: "Stack",
	eval: func(a *Apply, in []Value) []Value { return []Value{&Object{}, flow} },
	lower: func(s *scope, a *Apply) []output {
		h := s.apply(a, "StackV2", attrs{"elem_type": s.l.p.Types[a.To[0]].DType}, s.int(-1))[0]
		return []output{h, s.after(s.constant(float32(0)), s.last)}
	},
}

// stackPush pushes a tensor and gives it, and the flow.
var stackPush = &Op{Name: "Push",
	eval: func(a *Apply, in []Value) []Value {
		o := in[0].(*Object)
		x := in[1].(*Array).level() // nothing flows back through stacks
		o.items = append(o.items, x)
		return []Value{x, flow}
	},
	lower: func(s *scope, a *Apply) []output {
		f := s.use(a.Args[2])
		x := s.applyAfter(a, f, "StackPushV2", attrs{"swap_memory": a.Params[0] == 1}, s.use(a.Args[0]), s.use(a.Args[1]))[0]
		return []output{x, s.after(f, s.last)}
	},
}

// stackPop gives the tensor on top, and the flow.
var stackPop = &Op{Name: "Pop",
	eval: func(a *Apply, in []Value) []Value {
		o := in[0].(*Object)
		n := len(o.items) - 1
		if n < 0 {
			panic(unclear("an empty stack"))
		}
		x := o.items[n]
		o.items = o.items[:n]
		return []Value{x, flow}
	},
	lower: func(s *scope, a *Apply) []output {
		f := s.use(a.Args[1])
		x := s.applyAfter(a, f, "StackPopV2", attrs{"elem_type": s.type1(a.To[0])}, s.use(a.Args[0]))[0]
		return []output{x, s.after(f, s.last)}
	},
}
