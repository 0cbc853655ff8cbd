package programs

import (
	"slices"
)

// What an Identity reads of a reference variable is shared with it: whoever looks at
// it, at whatever time, sees what the variable holds then. A value of kind [Shared] is
// an [*Array], which stays what it is, or the variable's [*Object]. It goes through
// branches, loops and calls like any other; who looks at it does so between what is
// done to all references, by their flows.

// varShare shares the value of a reference variable, and gives the flow.
var varShare = &Op{Name: "Share",
	eval: func(a *Apply, in []Value) []Value { return []Value{in[0], flow} },
	lower: func(s *scope, a *Apply) []output {
		v, f := s.use(a.Args[0]), s.use(a.Args[1])
		x := s.applyAfter(a, f, "Identity", nil, v)[0]
		return []output{x, s.after(f, s.last)}
	},
}

// unshared is a tensor among what is shared: nobody changes it.
var unshared = &Op{Name: "Unshared",
	eval:  func(a *Apply, in []Value) []Value { return in },
	lower: func(s *scope, a *Apply) []output { return s.apply(a, "Identity", nil, s.use(a.Args[0])) },
}

// passShared forwards what is shared, by one of two operations.
var passShared = &Op{Name: "Pass",
	eval: func(a *Apply, in []Value) []Value { return in },
	lower: func(s *scope, a *Apply) []output {
		return s.apply(a, []string{"Identity", "StopGradient"}[a.Params[0]], nil, s.use(a.Args[0]))
	},
}

// varTake looks at what is shared, after the flows that are its last arguments, which
// it gives again: for Params[0] of 0 it adds the second argument to it, for 1 it to
// that, and for 2 there is no second argument, and it is what it finds.
var varTake = &Op{Name: "Take",
	eval: func(a *Apply, in []Value) []Value {
		x, ok := in[0].(*Array)
		if !ok {
			x = in[0].(*Object).now
		}
		flows := len(in) - 1
		if a.Params[0] < 2 {
			y := in[1].(*Array)
			if a.Params[0] == 1 {
				x, y = y, x
			}
			x, y = together(x, y)
			dt := x.Type
			x = zip(dt, x, y, func(p, q number) number { return fit(dt, number{i: p.i + q.i, re: p.re + q.re, im: p.im + q.im}) })
			flows--
		}
		out := []Value{x}
		for range flows {
			out = append(out, flow)
		}
		return out
	},
	lower: func(s *scope, a *Apply) []output {
		in, op, flows := []any{s.use(a.Args[0])}, "Snapshot", a.Args[1:]
		if a.Params[0] < 2 {
			op, in, flows = "AddV2", append(in, s.use(a.Args[1])), a.Args[2:]
			if a.Params[0] == 1 {
				slices.Reverse(in)
			}
		}
		for _, f := range flows {
			in = append(in, control{s.after(s.use(f), nil).Op})
		}
		out := s.apply(a, op, nil, in...)
		last := s.last
		for _, f := range flows {
			out = append(out, s.after(s.use(f), last))
		}
		return out
	},
}

// unshared makes a value of kind Shared that is a tensor's.
func (m *maker) unshared(t Type) Var {
	return m.must(m.apply(unshared, []Type{t}, nil, m.value(tensorType(t.DType, t.Dims...))))
}

// shareAll shares the values of all references, before anything else is done.
func (m *maker) shareAll() {
	for _, s := range m.states {
		if isReference(s) {
			m.shareOne(s)
		}
	}
}

func (m *maker) shareOne(s *state) {
	s.flow = m.apply(varShare, []Type{{Kind: Shared, DType: s.of.DType, Dims: s.of.Dims}, {Kind: Flow}}, nil, s.handle, s.flow)[1]
}

// share emits a statement on what is shared.
func (m *maker) share() {
	var refs []*state
	for _, s := range m.states {
		if isReference(s) {
			refs = append(refs, s)
		}
	}
	if len(refs) < m.references { // nothing can be put between what is done to them
		m.stateful()
		return
	}
	x, ok := m.pick(func(_ Var, t Type) bool { return t.Kind == Shared })
	switch what := m.src.Int("share", 0, 8); {
	case !ok || what < 2:
		m.shareOne(refs[m.src.Int("reference", 0, len(refs)-1)])
	case what == 2:
		m.apply(passShared, []Type{m.p.Types[x]}, []int{m.src.Int("pass", 0, 1)}, x)
	case what == 3:
		m.unshared(m.p.Types[x])
	case what == 4: // before an update, and after it with what was found before
		before := m.take(refs, x, 2, nil)
		m.stateful()
		m.take(refs, x, m.src.Int("take", 0, 1), &before)
	default:
		m.take(refs, x, m.src.Int("take", 0, 2), nil)
	}
}

// take looks at what is shared, in the way that varTake's Params say, with a second
// argument if one is given.
func (m *maker) take(refs []*state, x Var, how int, with *Var) Var {
	of := m.p.Types[x]
	t := tensorType(of.DType, of.Dims...)
	args, types := []Var{x}, []Type{t}
	switch {
	case !of.known():
		how = 2
	case how == 2:
	case with != nil:
		args = append(args, *with)
	default:
		args = append(args, m.value(t))
	}
	for _, s := range refs {
		args, types = append(args, s.flow), append(types, Type{Kind: Flow})
	}
	made := m.apply(varTake, types, []int{how}, args...)
	for i, f := range made[1:] {
		refs[i].flow = f
	}
	return made[0]
}
